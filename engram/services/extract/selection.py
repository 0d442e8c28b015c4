"""Which statements of a note or a turn are worth keeping as facts, and of which category."""

import functools
import re
from collections import deque
from collections.abc import Iterator
from collections.abc import Sequence
from typing import NamedTuple

from engram.base.text import MAX_FACT_CHARS
from engram.base.text import clean_statement
from engram.language.dates.named_days import names_only_days
from engram.language.matching.kept_expressions import kept
from engram.language.matching.patterns import expression
from engram.language.matching.patterns import joined
from engram.language.matching.prefilter import compiled
from engram.language.signal.categories import fact_category
from engram.language.signal.detector import HIGH
from engram.language.signal.detector import Span
from engram.language.signal.detector import detect
from engram.language.text.machine_text import MachineText
from engram.language.text.machine_text import is_status_line
from engram.language.text.markdown_notes import strip_markdown
from engram.language.text.markdown_tables import are_columns
from engram.language.text.markdown_tables import row_statement
from engram.language.text.note_sections import section_category
from engram.language.text.note_sections import takes_promise_back
from engram.language.text.printed_lines import is_printed
from engram.language.text.statements import BLOCK
from engram.language.text.statements import CODE
from engram.language.text.statements import HEADING
from engram.language.text.statements import ROW
from engram.language.text.statements import Statement
from engram.model.fact import Category

SECTION_CONFIDENCE = 0.7  # of a statement that only its heading speaks for
MAX_QUOTE_CHARS = MAX_FACT_CHARS  # a longer statement is no statement
_LONGEST_DATE = 40  # characters of a line that is a date and nothing more
_MIN_WORDS = 4  # fewer words under a promising heading are a name or a number, not a statement
_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_HAN_WORD = kept(f"[{_HAN}]{{2}}")  # about the length of a Chinese word
_BETWEEN_WORDS = kept(rf"[\s{_HAN}]+")
_QUESTION = re.compile(r"[?？][\s\"'»”)*_]*(?:\([^()\n]{1,200}\)[\s*_]*)?$")
_COMMIT = "(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,40}"  # the id of one, as git prints it before its title
_STRUCK = "~~"  # on both sides of what a person has struck out
_CHECKBOX_CHARS = 10  # of a checkbox with spaces and emphasis behind it
# "Decision: we stay", "教训：先备份": a heading in the line itself. It is no part of what is said.
_INLINE_HEADING = re.compile(r"[^\w\s\"'“«„(\[]{0,3}\s*([^\W\d_][^:：.!?\n]{1,40})[:：]\s*(?=\S)")
# "Deployed Services Audit: ...": a title in capitals names what follows, and reports nothing done.
_TITLE = re.compile(r"\W{0,6}[A-Z][\w-]{0,40}(?: [A-Z][\w-]{0,40}){1,4}\W{0,4}[:：]\s+(?=\S)")


class Kept(NamedTuple):
    """A statement that is worth keeping."""

    statement: Statement
    text: str  # the statement as people say it
    category: Category
    confidence: float
    has_signal: bool  # False: only its heading speaks for it


def find_kept(text: str, statements: Sequence[Statement], *, headings: tuple[str, ...] = ()) -> Iterator[Kept]:
    """Yield the statements of a note that are worth keeping, in order.

    Those whose signal is high, and those under a heading that promises statements of a category.
    """
    promised = section_category(headings)
    signal = detect(text)
    spans = deque(signal.spans if signal.signal == HIGH else ())
    in_table = bool(headings) and are_columns(headings[-1])
    machine = MachineText(text)
    for statement in statements:
        if is_noise(statement, machine) or _is_struck(text, statement):
            continue
        if statement.kind == ROW:
            if promised and in_table and _is_statement(statement.text) and not _undecided().search(statement.text):
                row = _as_row(statement.text, headings[-1])
                yield Kept(statement, row, Category(promised), SECTION_CONFIDENCE, has_signal=False)
            continue
        label, said = _without_heading(statement.text)
        span = _span_over(statement, spans)
        if span is not None and (label or not _only_titled(said)):
            yield Kept(statement, _plain(said), fact_category(span.category), signal.confidence, has_signal=True)
        elif (category := label or promised) and _is_settled(said, category) and not _is_to_do(text, statement.start):
            yield Kept(statement, _plain(said), Category(category), SECTION_CONFIDENCE, has_signal=False)


def _span_over(statement: Statement, spans: deque[Span]) -> Span | None:
    """Return the first span that the statement shares text with; those that end before it are dropped. In order."""
    while spans and spans[0].end <= statement.start:
        spans.popleft()
    return spans[0] if spans and spans[0].start < statement.end else None


def _only_titled(text: str) -> bool:
    """Tell whether a title stands before a colon, and nothing behind it is of high signal by itself."""
    title = _TITLE.match(text)
    return title is not None and detect(text[title.end() :]).signal != HIGH


def _is_settled(text: str, category: str) -> bool:
    """Tell whether a text is a statement, not a task, and, when it is called a decision, not a mere possibility."""
    heading = _INLINE_HEADING.match(text)
    if heading and takes_promise_back(heading[1]):
        return False
    return _is_statement(text) and not (category == Category.DECISION and is_hedged(text))


def is_hedged(text: str) -> bool:
    """Tell whether a text speaks of what may be: "might move", "возможно"."""
    return expression("lines", "hedged", "(?i:%s)").search(text) is not None


def _is_to_do(text: str, start: int) -> bool:
    """Tell whether an empty checkbox stands before the statement that begins here."""
    return text[max(0, start - _CHECKBOX_CHARS) : start].rstrip(" *_`").endswith("[ ]")


def _without_heading(text: str) -> tuple[str, str]:
    """Return the category that a heading in the line itself promises, or "", and the text without such a heading."""
    heading = _INLINE_HEADING.match(text)
    label = section_category((heading[1],)) if heading else ""
    return (label, text[heading.end() :]) if heading and label else ("", text)


def _as_row(text: str, columns: str) -> str:
    """Return a table's row as a statement, led by the column that promises what it is."""
    first = next((name for name in columns.split(" | ") if section_category((name,))), "")
    return _plain(row_statement(text, columns, first))


def is_noise(statement: Statement, machine: MachineText, *, is_turn: bool = False) -> bool:
    """Tell whether a statement of a text tells nothing that lasts: what a program wrote, or an agent of its own work.

    `machine` is of the same text. In a turn, what is said of one's own work counts.
    """
    if machine.holds(statement.start) or (not is_turn and is_status_line(statement.text)):
        return True
    text = statement.text
    if statement.kind in {CODE, BLOCK, HEADING} or len(text) > MAX_QUOTE_CHARS or _QUESTION.search(text):
        return True
    if text.endswith((":", "：")):  # leads a list, says nothing by itself
        return True
    if not is_turn and len(text) <= _LONGEST_DATE and names_only_days(text):  # in a turn it may be an answer
        return True
    if text.count('"') % 2 or text.count("“") != text.count("”") or text.count("«") != text.count("»"):
        return True  # a piece of a quotation
    return bool(_machine().search(text) or _command().match(text) or _of_work().search(text)) or is_printed(text)


@functools.cache
def _machine() -> re.Pattern[str]:
    """Return what finds a line that no person says; what a program has written is known by `MachineText`."""
    output, status = joined("machine", "output"), joined("machine", "of_status")
    return kept(
        rf"^\W*(?:\$ |>>> |commit [0-9a-f]{{7}}|{_COMMIT}\b\W+\w)|^[^\s{_HAN}]+$|^[\W\d]*$"
        rf"|^\W*(?:{output})\b[^.]{{0,20}}:|^\W*(?:{status})\W{{0,4}}:",
        re.IGNORECASE,
    )


@functools.cache
def _command() -> re.Pattern[str]:
    """Return what finds a command as it is typed: in small letters, and no sentence about the program."""
    programs = joined("machine", "programs")
    return kept(rf"\W*(?:{programs}) (?!(?:{joined('machine', 'about_program')})\b)\S")


@functools.cache
def _of_work() -> re.Pattern[str]:
    """Return what finds a note of an agent on its own work."""
    return kept(joined("machine", "work"), re.IGNORECASE)


@functools.cache
def _undecided() -> re.Pattern[str]:
    """Return what finds that a row of a table is no statement yet, or no longer."""
    return kept(f"[⏳⌛🔄]|{joined('lines', 'undecided')}", re.IGNORECASE)


def _is_struck(text: str, statement: Statement) -> bool:
    """Tell whether a statement, or a part of it, is struck out: it holds no longer."""
    return _STRUCK in text[max(0, statement.start - len(_STRUCK)) : statement.end]


def _is_statement(text: str) -> bool:
    spaced = sum(any(ch.isalpha() for ch in word) for word in _BETWEEN_WORDS.split(text))
    return spaced + len(_HAN_WORD.findall(text)) >= _MIN_WORDS and not compiled(
        rf"(?i:\W*(?:{joined('lines', 'anaphor')}))"
    ).match(text)


@functools.lru_cache(maxsize=4096)
def _plain(quote: str) -> str:
    """Return a quote as people say it: on one line, without list markers and emphasis."""
    bare = " ".join(strip_markdown(line) for line in quote.splitlines())
    return clean_statement(bare)[:MAX_FACT_CHARS]
