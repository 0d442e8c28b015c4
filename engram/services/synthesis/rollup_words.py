"""How a line of a note reads in a roll-up: on one line, without clock, markup and labels that say nothing. Pure."""

import re

from engram.base.text import clean_statement
from engram.base.text import fingerprint
from engram.language.matching.patterns import joined
from engram.language.matching.patterns import phrases
from engram.language.matching.prefilter import compiled
from engram.language.text.markdown_notes import strip_markdown
from engram.language.text.markdown_tables import are_columns
from engram.language.text.note_sections import section_category
from engram.language.text.note_sections import takes_promise_back
from engram.services.silo.daily_note import SECTIONS

_LINE_CHARS = 280  # of a line; a longer one is cut at a word
_LEAST_WORDS = 5  # of a line that only its words speak for
_LEAST_LETTERS = 0.7  # share of letters in such a line: less is a path, a command or a table of numbers
_LEAD_CHARS = 50  # of a heading that is put before its line
_CLOCK = re.compile(
    r"^\[?(?:\d{4}-\d\d-\d\d[T ])?\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|\s*(?:UTC|GMT|[AP]M)\b)?\]?"
    r"\s*(?:[-\u2013\u2014:]\s*)?",
    re.IGNORECASE,
)
_POINT = re.compile(r"[\s>]*(?:[-*+\u2022]|\d{1,3}[.)])\s")
_OWN_SECTIONS = frozenset(SECTIONS.values())  # headings of notes made by command
_DATED_HEADING = re.compile(r"\d{4}-\d\d-\d\d|\b\d{1,2}:\d\d\b")
_QUESTION = ("?", "？", ":", "：")
_EDGE = re.compile(r"^[^\w\"'«“„‘(\[/.@$]+|[^\w\"'»”’)\]%+#]+$")  # signs around a heading: emoji, dashes, markup
_FIELD = re.compile(r"\W{0,6}[^\W\d_][^:：\n]{0,30}[:：](?:\s|\*|$)")  # "Duration: ", "**Status:** "
_ENDED = tuple(".,;:!?…。，；：！？、")
_ODD_WORD = re.compile(  # a path, a name of a file or a variable, a hash, an amount
    r"\S*[/\\_]\S*|\W*[\w-]+\.[A-Za-z]\w{0,4}\W*|\W*(?=\w*\d)[0-9a-f]{7,64}\W*|"
    r"\W*\d[\d.,]*(?:[KMGT]i?B?|ms|s|m|h|%|x)\W*"
)
_MOST_ODD = 0.25  # share of such words from which a line that only its words speak for is one of a log


def is_telling(text: str) -> bool:
    """Tell whether a line is long enough, of words, and asks nothing."""
    if text.endswith(_QUESTION) or text.startswith("|"):
        return False
    solid = "".join(text.split())
    letters = sum(ch.isalpha() for ch in solid)
    spoken = len(text.split()) + sum(ch > "\u2e80" for ch in text) // 2
    return spoken >= _LEAST_WORDS and letters >= _LEAST_LETTERS * len(solid)


def is_prose(text: str) -> bool:
    """Tell whether a line is no banner of pieces and no list of paths, hashes and amounts, as a log has them."""
    tokens = text.split()
    odd = sum(_ODD_WORD.fullmatch(token) is not None for token in tokens if max(token) < "\u2e80")
    return " | " not in text and odd <= _MOST_ODD * len(tokens)


def one_line(text: str) -> str:
    """Return the lines of a text on one; what stood on lines of their own as fields or points stays apart."""
    joined = ""
    for line in text.splitlines():
        plain = strip_markdown(line).strip()
        begins = bool(_FIELD.match(plain) or _POINT.match(line))
        between = "; " if begins and not joined.endswith(_ENDED) else " "
        joined = f"{joined}{between}{plain}" if joined and plain else joined or plain
    return clean_statement(joined)


def is_record(text: str) -> bool:
    """Tell whether a text only fills in fields, such as date, duration and status: it is about a note, not a note."""
    lines = [line for line in text.splitlines() if line.strip()]
    return len(lines) > 1 and all(map(_FIELD.match, lines)) and any(map(_of_a_note().match, lines))


def unlabelled(text: str, section: str) -> str:
    """Return a text without a label that says what its section says: "Decision: we stay" among decisions."""
    label = _own_label().match(text)
    return text[label.end() :] if label and section.casefold().startswith(label[1].casefold()) else text


def shown(text: str, topics: tuple[str, ...]) -> str:
    """Return the text on one bounded line, led by the heading that says what it is about."""
    said = _CLOCK.sub("", text).strip()
    about = [lead for heading in topics if not are_columns(heading) and (lead := _lead(heading))]
    lead = about[-1] if about else ""
    if lead and fingerprint(lead) not in fingerprint(said):
        said = f"{lead}: {said}"
    said = said.replace("<!--", "‹!--").replace("-->", "--›")
    return said if len(said) <= _LINE_CHARS else _cut(said)


def _cut(text: str) -> str:
    """Return the beginning of a long text, which ends with a word; of one without spaces, as much as fits."""
    head = text[:_LINE_CHARS]
    words_end = head.rfind(" ")
    return (head[:words_end] if words_end > _LINE_CHARS // 2 else head).rstrip(",;:") + " …"


def _lead(heading: str) -> str:
    """Return a heading that names a topic; "" for one that only sorts, dates or promises."""
    plain = _task().sub("", _EDGE.sub("", strip_markdown(heading)), count=1)
    sorts = section_category((heading,)) or takes_promise_back(heading) or _DATED_HEADING.search(plain)
    if plain.casefold() in phrases(joined("lines", "general")) or plain in _OWN_SECTIONS:
        return ""
    return "" if sorts or not 0 < len(plain) <= _LEAD_CHARS or "." in plain[-1:] else plain.rstrip(":：")


def _task() -> re.Pattern[str]:
    """Return what finds a label that says of any heading that it is a task."""
    return compiled(rf"(?i:(?:{joined('lines', 'task')})\s*[:：]\s*(?=\S))")


def _own_label() -> re.Pattern[str]:
    """Return what finds a label by which a line names its own category, as the first group."""
    before, label, behind = (joined("lines", name) for name in ("before_own_label", "own_labels", "behind_own_label"))
    return compiled(rf"(?i:\W{{0,4}}(?:{before})?({label})(?:{behind})?\s*[:：]\s*(?=\S))")


def _of_a_note() -> re.Pattern[str]:
    """Return what finds how a field of a form is called."""
    return compiled(rf"(?i:\W{{0,6}}(?:{joined('lines', 'fields')})\W{{0,4}}[:：])")
