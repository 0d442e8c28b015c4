"""The text of a fact: a statement as people say it, that reads by itself. The quote beside it stays byte-exact."""

import functools
import re
from collections.abc import Sequence
from typing import Final

from engram.base.table_files import read_table
from engram.base.text import MAX_FACT_CHARS
from engram.base.text import clean_statement
from engram.language import PATTERNS
from engram.language.names.spans import heading_topics
from engram.language.screen.injection import find_injection
from engram.language.text.markdown_notes import bare_words
from engram.language.text.markdown_notes import section_category
from engram.language.text.markdown_notes import takes_promise_back
from engram.language.text.markdown_tables import are_columns
from engram.language.text.markdown_tables import row_statement
from engram.language.text.statements import ROW
from engram.services.extract.line import Line
from engram.services.extract.subject_features import name_key

_FRAGMENT_WORDS: Final = 7  # a label with so few words behind it says nothing without its heading
_BEHIND: Final = r"(?:\s*[,:，：;—–-]+\s*|\s*[!.！。…]+\s+|(?<=[\u3400-\u9fff])|(?<=[가-힣])\s+)"
_TOPIC_WORDS = 4  # of a heading that names what its lines are about
_PAIR = 2  # columns
_SHORTEST = 8  # characters that must be left when a lead-in goes
_LONGEST_PIECE: Final = 200  # characters; what is longer tells enough by itself
_WITHOUT_SUBJECT = re.compile(  # "Stored as a constant", "Idempotent: ...", "If lower, ...": of what, the heading says
    r"\W{0,4}(?:(?![A-Z][a-z]*eed)[A-Z][a-z]{2,12}ed|Built|Made|Set|Kept|Ran|Wrote|Split|Put|Sent|Found|Took|Chose|"
    r"(?:If|When)(?! \w+(?:ing|ed) )(?: [^\s,]+){1,3},|"
    r"Only|Also|Otherwise|[A-Z][a-z]{2,14}(?=\s?[:—–]|\s-\s))(?![\w-])"
)
_LABEL = re.compile(r"\W{0,4}([^\W\d_][^:：.!?。！？\n]{1,40})[:：](?!//)\s*(?=\S)")
_KIND: Final = re.compile(  # a word before what a heading is about: "Task: Split the prompt"
    r"^\W{0,4}(?:task|goal|topic|issue|bug|feature|задача|тема|цель|任务|목표)\s?[:：]\s?(?=\S)", re.IGNORECASE
)
_PLAIN: Final = re.compile(  # headings that say nothing of what stands below them
    r"\W*(?:(?:key |more )?(?:notes?|changes|content|details|summary|overview|results?|fix(?:es)?|updates?|general|"
    r"other|misc|events|threads|next|learnings)|what (?:was|got|we|i) \w+)\W*",
    re.IGNORECASE,
)
_LONGEST_BEFORE = 160  # characters of a sentence that is told with the one behind it
_PRONOUN = re.compile(
    r"(?:(?P<en>it|he|she)(?=\s(?:is|was|has|had|will|can|must|should|needs?|runs?|uses?|lives?|works?|costs?|takes?|wants?|"
    r"likes?|prefers?|does|goes|gets|keeps|belongs|starts|stays|moved?|left|owns|supports?)\b)|(?P<its>its|his)(?=\s)|"
    r"(?P<ru>он|она|оно)(?=\s)|(?P<zh>它|他|她)(?![们的])|(?P<ko>그는|그녀는|이건|그건|이것은|그것은)(?=\s))",
    re.IGNORECASE,
)
_UNCLEAR = re.compile(
    r"\W*(?:(?:this|that|these|those|they|them|his|her|its|he|she|it|это|этот|эта|эти|они|их|его|её|он|она|оно|"
    r"(?:이것|그것|이건|그건)[은는이을]?|그는|그녀는|그들은)(?!\w)|它|他们|她们|他|她|这(?!周|个?月|次|里)|那(?!么)|此)",
    re.IGNORECASE,
)


def fact_text(line: Line, *, entity: str, title: str, origin: str) -> str:
    """Return the text of a fact, one line of at most 2,000 characters; "" when it cannot stand by itself.

    `entity` and `title` name whom it is about, `origin` says where that name stands (see `subject_features`).
    """
    if line.kind == ROW:
        return _row(line)
    text = without_lead_in(_without_label(_plain(line.text)))
    if name_key(text.rpartition(":")[2]) == name_key(title or entity.partition("/")[2]):
        return ""  # "Project: Comet" says no more than the name
    if is_unclear(text):
        resolved = _resolved(text, title) if origin in {"heading", "before"} else ""
        return resolved or _with_sentence_before(text, line)
    if _needs_heading(text, line):
        topic = _topic(line.headings, entity)
        return f"{topic}: {text}"[:MAX_FACT_CHARS] if topic else text
    return text


def promised_category(line: Line) -> str:
    """Return the category that a heading in the line itself, or the one above a note's line, promises; "" for none."""
    if line.speaker:
        return ""
    label = _LABEL.match(_plain(line.text))
    return (section_category((label[1],)) if label else "") or section_category(line.headings)


def is_open(line: Line) -> bool:
    """Tell whether a label says that a line is still to be done or decided: "TODO: ...", "Open question: ..."."""
    label = _LABEL.match(_plain(line.text))
    return label is not None and takes_promise_back(label[1])


def is_unclear(text: str) -> bool:
    """Tell whether a text begins with a word that means what was said before it."""
    return _UNCLEAR.match(text) is not None


def without_lead_in(text: str) -> str:
    """Return a statement without words such as "by the way" before it; what is left then begins with a capital."""
    for _ in range(3):
        found = _lead_ins().match(text)
        rest = text[found.end() :] if found else ""
        if not found or len(rest) < _SHORTEST:
            break
        text = rest[0].upper() + rest[1:]
    return text


def _without_label(text: str) -> str:
    """Return a statement without a heading in the line itself that only says of what kind it is: "Decision: ..."."""
    label = _LABEL.match(text)
    return text[label.end() :] if label and section_category((label[1],)) else text


@functools.lru_cache(maxsize=4096)
def _plain(quote: str) -> str:
    """Return a quote as people say it: on one line, without list markers and emphasis."""
    return clean_statement(" ".join(bare_words(part) for part in quote.splitlines()))[:MAX_FACT_CHARS]


def _row(line: Line) -> str:
    columns = line.headings[-1] if line.headings and are_columns(line.headings[-1]) else ""
    cells = [cell for part in line.text.strip("| ").split("|") if (cell := _plain(part.strip()))]
    if not columns or len(cells) == _PAIR:  # in two columns the first one names, the second one tells
        return ": ".join(cells) if len(cells) == _PAIR else " | ".join(cells)
    return _plain(row_statement(line.text, columns, ""))


def _needs_heading(text: str, line: Line) -> bool:
    """Tell whether a line of a note is a mere piece: a label with a value, or a few words."""
    if line.speaker or not line.headings:
        return False
    if len(text) <= _LONGEST_PIECE and _WITHOUT_SUBJECT.match(text) is not None:
        return True
    label = _LABEL.match(text)
    words = len(text.split()) + sum("\u3400" <= ch <= "\u9fff" for ch in text) // 2
    return words < _FRAGMENT_WORDS or (label is not None and len(text) - label.end() < 60)


def _topic(headings: Sequence[str], entity: str) -> str:
    """Return what the nearest telling heading is about; "" when it is the entity itself or a mere kind of section."""
    telling = [heading for heading in reversed(headings) if not are_columns(heading) and not _PLAIN.fullmatch(heading)]
    for heading in telling[:2]:
        # A long heading is a sentence of its own ("Bump the version to 4.2"): before a fact it would be read as one.
        topics = [
            one.rstrip(":： ") for one in heading_topics(_KIND.sub("", heading)) if len(one.split()) <= _TOPIC_WORDS
        ]
        if not topics or section_category((heading,)) or takes_promise_back(heading):
            continue
        return "" if name_key(topics[0]) == name_key(entity.partition("/")[2]) else topics[0]
    return ""


def _resolved(text: str, title: str) -> str:
    """Return a text with the name in the place of the pronoun that it begins with; "" when that is not certain."""
    found = _PRONOUN.match(text)
    if not found or not title:
        return ""
    name = f"{title}'s" if found["its"] else f"{title}는" if found["ko"] else title
    return f"{name}{text[found.end() :]}"[:MAX_FACT_CHARS]


def _with_sentence_before(text: str, line: Line) -> str:
    """Return a text behind the sentence that says what its first word means; "" when none in the same breath does."""
    before = without_lead_in(_without_label(_plain(line.before)))
    is_asked = before.endswith(("?", "？"))
    if line.is_first or not before or len(before) > _LONGEST_BEFORE or is_asked or is_unclear(before):
        return ""
    if find_injection(before) is not None:
        return ""
    end = "" if before.endswith((".", "!", "。", "！", "…", ":")) else "."
    return f"{before}{end} {text}"[:MAX_FACT_CHARS]


@functools.cache
def _lead_ins() -> re.Pattern[str]:
    raw = read_table(PATTERNS + "lead_ins.toml")
    bare = "|".join(raw.pop("bare"))
    words = "|".join(expression for expressions in raw.values() for expression in expressions)
    return re.compile(rf"\W{{0,3}}(?:(?:{words})(?: (?:{words}))?{_BEHIND}|(?:{bare})\s+)", re.IGNORECASE)
