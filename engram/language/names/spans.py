"""Where names of people and things stand in a line, known or not: by their form alone, with no list of names.

A *span* is a stretch of a line that may name somebody or something. Each form finds much that is no name; what a span
is worth is judged by whoever weighs it. Every search is bounded, so a line costs time in proportion to its length.
"""

import functools
import re
from collections.abc import Iterator
from typing import Final
from typing import NamedTuple

from engram.language.matching.kept_expressions import kept
from engram.language.matching.patterns import expression
from engram.language.matching.patterns import joined
from engram.language.names.adverbs import is_title
from engram.language.names.adverbs import without_adverbs
from engram.language.names.adverbs import without_openers
from engram.language.names.properties import without_property
from engram.language.names.word_lists import words

PROPER: Final = "proper"  # Anna Petrova, Lantern: capital letters
MIXED: Final = "mixed"  # EvoMap, iOS: capitals inside
ACRONYM: Final = "acronym"  # ETL, S3
KEBAB: Final = "kebab"  # parcel-api, tide-gauge
CODE: Final = "code"  # `ingest.py`
QUOTED: Final = "quoted"  # «Гранит», 「灯笼」
HANDLE: Final = "handle"  # @anna, [[Lantern]]
PHRASE: Final = "phrase"  # the billing service, 交付日期, 라벨 프린터는: a thing without a name of its own
TITLED: Final = "titled"  # 小王, 老李, 김민수 님
DEFINED: Final = "defined"  # Lantern in "Lantern is a web shop": a thing of which a sentence outright says what it is
DOMAIN: Final = "domain"  # parcel-post.org: a site
PLAIN_NAMES: Final = frozenset({PROPER, MIXED, KEBAB})  # forms that are names by themselves, in any sentence

MOST_WORDS: Final = 4  # of one name
_LATIN = "A-Za-zÀ-ÖØ-öø-ÿ"
_UPPER = "A-ZÀ-ÖØ-ÞА-ЯЁ"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_WORD = rf"[{_UPPER}][{_LATIN}А-Яа-яЁё0-9'’]{{0,30}}(?:[-.+#_][{_LATIN}А-Яа-яЁё0-9]{{1,20}}){{0,3}}[+#]{{0,2}}"
_EAST = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff가-힣"  # may stand beside a Latin name without a space: 用Docker部署
_INSIDE = rf"(?:(?![{_EAST}])\w)"  # of a word of letters
_KEBAB = kept(rf"(?<![/.@-])(?<!{_INSIDE})[a-z][a-z0-9]{{1,25}}(?:-[a-z0-9]{{1,25}}){{1,4}}(?!{_INSIDE}|[/@(-])")
_CODE = re.compile(r"`([^`\n]{2,60})`")
_QUOTED = re.compile(
    r"«([^«»\n]{2,40})»|「([^「」\n]{2,30})」|《([^《》\n]{2,30})》|“([^“”\n]{2,30})”|\"([^\"\n]{2,30})\""
)
_HANDLE = re.compile(r"(?<![\w@./:-])@([^\W\d_][\w-]{1,38})(?![\w/.@(])|\[\[([^\[\]|#\n]{1,80})")
_HANGUL = "가-힣"
_PATHLIKE = re.compile(r"https?://\S{1,300}|(?<![\w`])[~.]?/?(?:[\w.@-]{1,60}/){1,8}[\w.@-]{0,60}")
_EXTENSIONS = r"\.(?:md|py|tsx?|m?js|json|toml|ya?ml|sh|txt|html|css|db|sql|go|rs|java|csv|pdf|docx?|xlsx?|png|jpe?g)"
_EXTENSION = re.compile(rf"{_EXTENSIONS}$", re.I)
# "tide-tables.md" names nothing but a file; "Node.js" is called so.
_FILE = re.compile(rf"(?<![\w.-])(?!(?-i:[A-Z])\w*\.js)\w[\w.-]{{0,100}}{_EXTENSIONS}(?![\w-])", re.I)
_DOMAIN = re.compile(r"(?<![\w@./:-])(?:[^\W_][\w-]{1,40}\.){1,2}[^\W\d_]{2,6}(?![\w@(-]|\.\w)")
_TOP_LEVEL = re.compile(r"\.(?:com|org|net|io|ai|dev|app|co|me|info|site|online|club|shop|tech|xyz|рф|[a-z]{2})$", re.I)
_REPOSITORY = re.compile(
    r"(?:(?:github|gitlab|bitbucket|codeberg)\.(?:com|org)[/:][\w.-]{1,60}|(?<![\w-])[\w-]{1,60}\.(?:github|gitlab)\.io)"
    r"/([\w.-]{2,80}?)(?:\.git)?(?=[^\w.-]|\.?\s|\.?$)"
)
_MODULE = re.compile(r"(?<![\w-])([\w-]{1,60})\.(?:tsx?|m?jsx?|py|go|rs|java|kt|cs|rb|swift|php|c|h|cpp)(?!\w)")


def is_system(name: str) -> bool:
    """Tell whether a phrase says itself that it names a thing by itself: "billing service", "label printer"."""
    return expression("lines", "phrase_kinds", r"(?i:(?:[\w.-]{2,20} ){1,2}(?:%s))").fullmatch(name) is not None


def is_file(name: str) -> bool:
    """Tell whether a name is a file's: agents.md, ingest.py."""
    return _EXTENSION.search(name) is not None


def module_names(text: str) -> list[str]:
    """Return what the files with source code are called that a text names: "feed-store" for `src/feed-store.ts`."""
    return _MODULE.findall(text) if "." in text else []


def repository_names(text: str) -> list[str]:
    """Return what the repositories are called whose addresses a text holds: "loom" for github.com/weavers/loom.

    The pages of a repository lie below its owner's site: weavers.github.io/loom.
    """
    return _REPOSITORY.findall(text) if "/" in text else []


class NameSpan(NamedTuple):
    """What may be a name: `line[start:end]`, or what stands within it without quotation marks."""

    start: int  # characters from the beginning of the line
    end: int  # characters, exclusive
    name: str  # as written, on one line, without marks around it
    form: str  # proper, mixed, acronym, kebab, code, quoted, handle, phrase, titled, defined, domain


_FEWEST: Final = 2  # signs of a name
_BEYOND_ASCII: Final = "beyond ASCII"  # of forms that no text in ASCII has
_GENITIVE: Final = re.compile("['’]s$")  # "Anna's Rules"
_CAPITAL_BEHIND: Final = re.compile(rf"\.?\s[{_UPPER}]")


def find_names(line: str) -> list[NameSpan]:
    """Return what may be names in a line in order; spans of different forms may overlap."""
    found = {(span.start, span.name): span for span in _iter_names(line)}
    told = {span.start for span in found.values() if span.form in {TITLED, DEFINED}}
    return sorted(span for span in found.values() if span.form != PHRASE or span.start not in told)


def _iter_names(line: str) -> Iterator[NameSpan]:
    bare = _PATHLIKE.sub(lambda part: " " * len(part[0]), line) if "/" in line else line
    if "`" in line:
        for code in _CODE.finditer(line):
            yield from _code_name(code)
        bare = _CODE.sub(lambda part: " " * len(part[0]), bare)
    if "." in bare:
        bare = _FILE.sub(lambda part: " " * len(part[0]), bare)
    for start, run in _iter_runs(bare):
        yield from _proper_names(bare, start, run)
    for found in _KEBAB.finditer(bare) if "-" in bare else ():
        yield NameSpan(*found.span(), found[0], KEBAB)
    for found in _DOMAIN.finditer(bare) if "." in bare else ():
        if _TOP_LEVEL.search(found[0]) and not is_file(found[0]) and not _MODULE.match(found[0]):
            yield NameSpan(*found.span(), found[0], DOMAIN)
    yield from _iter_formed(bare)


def _iter_formed(bare: str) -> Iterator[NameSpan]:
    """Yield what words or marks around it make a name."""
    for form, known, signs in _forms():
        if bare.isascii() if signs == _BEYOND_ASCII else signs and not any(map(bare.__contains__, signs)):
            continue
        for found in known.finditer(bare):
            group = found.lastindex or 0
            name = " ".join(found[group].split())
            bare_name = without_property(without_adverbs(name)) if form == PHRASE else name
            is_less = bare_name != name and (
                " " not in bare_name if known is _capitalised() else len(bare_name) < _FEWEST
            )
            if form in {PHRASE, TITLED, DEFINED} and _names_nobody(bare_name, form):
                continue
            if not is_less:  # one word is no phrase, and one sign no name
                start = found.start(group) + (0 if name.startswith(bare_name) else name.find(bare_name))
                end = found.end(group) if bare_name == name else start + len(bare_name)
                yield NameSpan(start, end, bare_name, form)


def _names_nobody(name: str, form: str) -> bool:
    """Tell whether words before a particle or title name nobody: a piece of a sentence, or no certain one."""
    if form != TITLED and expression("lines", "no_phrase").search(name) is not None:
        return True
    if form == PHRASE:
        return any(map(is_title, name.split()))  # "accountant Mr. Kowalski" is two
    return name in words("untitled") or name in words("plain_nouns")


@functools.cache
def _forms() -> tuple[tuple[str, re.Pattern[str], str], ...]:
    """Return the forms that words or marks make, as they are tried, each with signs of which one must stand there."""
    article, kind, verb = _words("articles"), _words("phrase_kinds"), _words("phrase_verbs")
    syllables = rf"[{_HANGUL}A-Za-z0-9]{{1,12}}"
    phrases = (  # "the billing service", "our label printer": words behind an article, then a verb or a kind
        kept(rf"(?<![\w-])(?:{article}) ((?:[\w.-]{{2,20}} ){{0,2}}[\w.-]{{2,20}}) (?=(?:{verb})(?!\w))"),
        kept(rf"(?<![\w-])(?:{article}) ((?:[\w.-]{{2,20}} ){{1,2}}(?:{kind}))(?![\w-])"),
        _capitalised(),
        kept(rf"^[^\w{_HAN}]{{0,6}}([{_HAN}A-Za-z0-9·]{{2,12}}?)(?={_words('han_subject_ends')})"),
        kept(rf"^\W{{0,6}}((?:{syllables} ){{0,2}}{syllables}?)(?:{_words('topics')})(?= )"),
    )
    han = (
        rf"(?<![{_HAN}])?((?:{_words('han_titles_before')})[{_HAN}])(?=[^{_HAN}]|{_words('han_behind_names')})|"
        rf"((?:(?![{_words('han_no_names')}])[{_HAN}]){{1,3}}(?:{_words('han_titles')}))"
    )
    hangul = (
        rf"(?<![{_HANGUL}])([{_HANGUL}]{{1,4}}?) ?(?:{_words('hangul_titles')})"
        rf"(?=(?:{_words('hangul_behind_titles')})?(?![{_HANGUL}]))"
    )
    needed = ("", "", "", _BEYOND_ASCII, _BEYOND_ASCII)
    named = ((PHRASE, phrase, signs) for phrase, signs in zip(phrases, needed, strict=True))
    titled = ((TITLED, kept(one), _BEYOND_ASCII) for one in (han, hangul, _words("somebody")))
    marked = ((QUOTED, _QUOTED, '«「《“"'), (HANDLE, _HANDLE, "@["))
    return (*marked, *named, *titled, (DEFINED, kept(_words("defined")), ""))


@functools.cache
def _proper() -> re.Pattern[str]:
    """Return a run of capitalised words, versions and what joins names: Anna Petrova, PostgreSQL 16, Bank of Riga."""
    inside = rf"{_WORD}|v?\d[\d.]{{0,6}}(?![\w/:-])|(?:{_words('inside_names')})(?=\ [{_UPPER}])"
    return kept(rf"(?<![/.@-])(?<!{_INSIDE}){_WORD}(?:[ ](?:{inside})){{0,3}}")


@functools.cache
def _capitalised() -> re.Pattern[str]:
    """Return what a sentence begins with when its subject is a thing without a name: "Weather station runs ..."."""
    words = r"[A-Z][\w-]{2,20}(?: [a-z][\w-]{2,20}){1,2}"
    return kept(rf"^\W{{0,6}}(?!(?:{_words('articles')}) )({words}) (?=(?:{_words('phrase_verbs')})(?!\w))")


@functools.cache
def _endings() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what stands together with a name and is no part of it, and what stands together with what is none."""
    return kept(rf"(?:{_words('behind_names')})$"), kept(rf"(?i:\w(?:{_words('with_no_name')}))$")


def _words(name: str) -> str:
    return joined("lines", name)


def _code_name(code: "re.Match[str]") -> Iterator[NameSpan]:
    inside = code[1].strip()
    if inside.startswith("/") and "/" not in inside[1:]:
        return  # a route or a command: `/status`
    last = inside.rstrip("/").rpartition("/")[2]
    name = _EXTENSION.sub("", last)
    if re.fullmatch(r"[^\W\d][\w.-]{1,40}", name):
        yield NameSpan(*code.span(), name, CODE)


def _iter_runs(line: str) -> Iterator[tuple[int, str]]:
    """Yield the runs of capitals, each with its place; a title of people parts one: "Chefin Frau Dr. Lang" is two."""
    for found in _proper().finditer(line):
        begun = found.start()
        for word in re.finditer(r"\S+", found[0]):
            start, end = found.start() + word.start(), found.start() + word.end()
            goes_on = end < found.end() or _CAPITAL_BEHIND.match(line, end) is not None
            if not (goes_on and is_title(word[0])):
                continue
            if start > begun:
                yield begun, line[begun:start].rstrip()
            begun = end + 1
        if begun < found.end():
            yield begun, line[begun : found.end()]


def _proper_names(line: str, begin: int, run: str) -> Iterator[NameSpan]:
    """Yield the whole run of capitals, and each single word of it that may be a name by itself."""
    name = run.rstrip(".'’-")
    behind, no_name = _endings()
    if no_name.search(name):
        name = name.rpartition(" ")[0]
    name = behind.sub("", name)
    if not name:
        return
    start = begin + len(name)
    name = without_openers(name)
    start -= len(name)
    parts = name.split()
    yield NameSpan(start, start + len(name), name, _form_of(name) if len(parts) == 1 else PROPER)
    if len(parts) == 1:
        return
    place = start
    for number, part in enumerate(parts):
        place = line.index(part, place)
        if number < MOST_WORDS and part[0].isupper():
            bare = _GENITIVE.sub("", part.rstrip(".'’"))
            yield NameSpan(place, place + len(bare), bare, _form_of(bare))
        place += len(part)
    if len(parts) > 2:
        yield NameSpan(start, start + len(" ".join(parts[:2])), " ".join(parts[:2]), PROPER)


def _form_of(word: str) -> str:
    if word.isupper() and len(word) > 1:
        return ACRONYM
    return MIXED if any(ch.isupper() for ch in word[1:]) else PROPER


# --- headings ----------------------------------------------------------------------------------------------------

_PARTING = re.compile(r"\s[—–|-]\s|\s?[—–]\s?|[:：]\s?|\s?[(（\[]|\s?→\s?|\s?/\s")


@functools.lru_cache(maxsize=1024)  # many lines stand below the same headings
def heading_topics(heading: str) -> tuple[str, ...]:
    """Return what a heading may be about: itself without numbering and signs, then its parts, first to last."""
    bare = _closed(_lead().sub("", heading.strip()).strip(" .*_`#\"'»)）]"))
    parts = [part.strip(" .*_`#\"'«»()（）[]") for part in _PARTING.split(bare)]
    topics = dict.fromkeys([bare, *parts])
    return tuple(topic for topic in topics if 1 < len(topic) <= 60 and any(map(str.isalpha, topic)))


@functools.cache
def _lead() -> re.Pattern[str]:
    """Return what stands before the topic of a heading: a clock time, a numbering, signs, "Step 3", 第二部分."""
    clock = r"\d{1,2}:\d{2}\s?(?-i:[A-Z]{2,4})(?=\s?[—–|:-])"
    numbered = rf"(?:{_words('numbered_headings')})\s?[\d一二三四五六七八九十]{{1,3}}(?:{_words('heading_parts')})?"
    return re.compile(rf"^(?:{clock}|[\W\d_]|(?:\d{{1,2}}:\d{{2}}|[IVX]{{1,4}}\.|[a-h]\)|{numbered})(?=\W|$))+", re.I)


def _closed(text: str) -> str:
    """Return a text with the bracket closed that is open at its end: "Names (draft" becomes "Names (draft)"."""
    for opening, closing in ("()", "（）", "[]"):
        if text.rfind(opening) > text.rfind(closing):
            return text + closing
    return text


@functools.lru_cache(maxsize=16384)  # a statement is compared with many
def names_inside(text: str) -> frozenset[str]:
    """Return the plain names in a statement, case-folded; a word in a capital that only begins it is none."""
    spans = (span for span in find_names(text) if span.form in PLAIN_NAMES)
    return frozenset(span.name.casefold() for span in spans if span.start > 0 or span.form != PROPER)
