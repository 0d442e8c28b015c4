"""What every floor knows about text: normal forms, slugs, hashes, the fingerprint."""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

from engram.errors import BadValueError

MAX_FACT_CHARS = 2000  # characters of one statement after NFC
RECALLED_OPENING = "=== recalled:"  # begins the line that opens the fence around what recall prints
RECALLED_CLOSING = "=== end ==="  # the line that closes it
DOUBTED = "note: this is about the question, but probably does not answer it"  # the line below it, when it is doubted
INVISIBLE = "\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f"
"""What is drawn as nothing or turns a line about, for the brackets of an expression: text may hide in it."""
MAX_SLUG_BYTES = 120  # bytes of UTF-8, so that a folder name fits every file system
ARCHIVES = "archives"  # the folder of what is put away
KINDS = ("people", "projects", ARCHIVES)  # the folders of life/

_EDGE = ",.;:!\"'«»“”„’‘()[]…"  # punctuation that carries no meaning at the edge of a word
_HEAD_EDGE = _EDGE.replace(".", "")  # a leading dot belongs to a name: .env
# Not compiled here: every process that writes comes by, and such a class takes half a millisecond.
_CONTROL = "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]"
_ACTING = f"[\r\u202d\u202e]|{_CONTROL}"  # the two turn the rest of a line about: what stands there reads otherwise
_UNSEEN = f"[{INVISIBLE}]"
_PLAIN_SLUG = "[A-Za-z0-9._-]*"  # what most slugs are made of, seen at once
_RESERVED = frozenset(
    ["con", "prn", "aux", "nul", *(f"com{n}" for n in range(1, 10)), *(f"lpt{n}" for n in range(1, 10))]
)


def sha256_hex(value: bytes | str) -> str:
    """Return the SHA-256 of bytes, or of a text's UTF-8 bytes, as 64 hexadecimal characters."""
    import hashlib  # noqa: PLC0415 - a hook that keeps nothing does without, and it loads a library

    return hashlib.sha256(value.encode() if isinstance(value, str) else value).hexdigest()


def clean_statement(text: str) -> str:
    """Return the text in NFC with runs of white space folded to one space and none at the ends."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def without_invisible(text: str) -> str:
    """Return a text without what is drawn as nothing or turns a line about: two names must not look like one."""
    return re.sub(_UNSEEN, "", text)


def has_control(text: str) -> bool:
    """Tell whether the text holds a control character other than tab and line breaks, or half a surrogate pair."""
    return not text.isprintable() and re.search(_CONTROL, text) is not None


def is_utf8(text: str) -> bool:
    """Tell whether the text can be written as UTF-8: it holds no half of a surrogate pair."""
    return text.isascii() or not any("\ud800" <= ch <= "\udfff" for ch in text)


def without_control(text: str) -> str:
    """Return a text that a terminal shows and does nothing else with: a sign stands for each character that acts.

    Tabs and line feeds stay. A carriage return acts, as what follows would cover the line; so does what turns it about.
    """
    return re.sub(_ACTING, "\N{REPLACEMENT CHARACTER}", text)


def texts_of(value: object) -> list[str]:
    """Return the texts of a field: itself, or the members of a list or of an object such as a source.

    Not deeper: the entries of a note stand two levels down, and may hold what a note holds.
    """
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else (value,)
    return [member for member in members if isinstance(member, str)]


def require_plain(fields: Mapping[str, object]) -> None:
    """Refuse a field, or a member of one, with a control character; raise BadValueError that names the field.

    Every door asks this one question, so that the same words get the same answer at each; see `has_control`.
    """
    for name, value in fields.items():
        if any(has_control(text) for text in texts_of(value)):
            raise BadValueError(f"{name} holds a control character or broken UTF-8", hint="pass plain text")


def replace_control(text: str) -> str:
    """Return the text with a replacement character in the place of each that `has_control` finds."""
    return re.sub(_CONTROL, "\N{REPLACEMENT CHARACTER}", text)


def fingerprint(text: str) -> str:
    """Return the form under which two statements are the same statement.

    NFKC and case folding, ё as е, white space folded, meaningless punctuation at word edges off. Everything that
    carries meaning stays: numbers, negation, `+`, `#`, inner dots, a leading dot or minus, question marks.
    """
    words = []
    for word in unicodedata.normalize("NFKC", text).casefold().replace("ё", "е").split():
        if word[0].isalnum() and word[-1].isalnum():
            words.append(word)
        else:
            words.append(word.lstrip(_HEAD_EDGE).rstrip(_EDGE) or word)
    return " ".join(words)


def slug_problem(slug: str) -> str:
    """Return why the text cannot be a folder name in life/, or an empty string when it can."""
    if not slug:
        return "it is empty"
    if len(slug.encode()) > MAX_SLUG_BYTES:
        return f"it is longer than {MAX_SLUG_BYTES} bytes"
    if not re.fullmatch(_PLAIN_SLUG, slug) and not all(
        ch.isalnum() or ch in "-_." or unicodedata.combining(ch) for ch in slug
    ):
        return "it may hold only letters, digits, '-', '_' and '.'"
    if not slug[0].isalnum() or slug.endswith(".") or ".." in slug:
        return "it must begin with a letter or digit and not end with a dot"
    if unicodedata.normalize("NFKC", slug.split(".", maxsplit=1)[0]).casefold() in _RESERVED:
        return "that name is reserved on some systems"
    return ""


def slugify(title: str) -> str:
    """Return a folder name made from a title: letters and digits kept, the rest joined by '-'; may be empty."""
    folded = unicodedata.normalize("NFKC", title).casefold()
    if folded.isascii() and folded.isalnum() and len(folded) <= MAX_SLUG_BYTES:  # one word, as most names are
        return "" if folded in _RESERVED else folded
    kept = "".join(ch if ch.isalnum() or ch in "._" or unicodedata.combining(ch) else "-" for ch in folded)
    slug = "-".join(part for part in kept.strip("-._").split("-") if part)
    slug = slug.encode()[:MAX_SLUG_BYTES].decode(errors="ignore")  # a title, or an id of somebody else's, may be huge
    while slug and not slug[0].isalnum():
        slug = slug[1:]
    while ".." in slug:
        slug = slug.replace("..", ".")
    slug = slug.rstrip("-._")
    return "" if slug_problem(slug) else slug


def is_archived(path: str | None) -> bool:
    """Tell whether an entity path is that of one that was put away."""
    return path is not None and path.startswith(f"{ARCHIVES}/")


@lru_cache(maxsize=8192)  # many facts are about one entity
def parse_entity_path(text: str) -> tuple[str, str] | None:
    """Return (kind, slug) in normal form when the text is an entity path such as `people/anna`, else None."""
    folded = unicodedata.normalize("NFKC", text).casefold().strip()
    kind, slash, slug = folded.partition("/")
    if not slash or kind not in KINDS or slug_problem(slug):
        return None
    return kind, slug
