"""What extraction reads: passages, and the lines in them that may say something."""

from collections import deque
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from functools import lru_cache
from string import digits
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.speaker_names import is_own_speech
from engram.base.speaker_names import is_program
from engram.base.text import slugify
from engram.language.names.spans import heading_topics
from engram.language.signal.detector import NONE
from engram.language.signal.detector import Span
from engram.language.signal.detector import detect
from engram.language.text.machine_text import MachineText
from engram.language.text.statements import BLOCK
from engram.language.text.statements import CODE
from engram.language.text.statements import HEADING
from engram.language.text.statements import Statement
from engram.language.text.statements import split_statements
from engram.language.text.talk.requests import split_requests
from engram.services.extract.lines.line import Line

_LEAD_CHARS: Final = 12  # of a line before a statement: list marker, checkbox, emphasis


class Passage(NamedTuple):
    """A text that is read: a note entry, or a turn."""

    id: str  # entry or turn id
    text: str  # as it stands in its source
    headings: tuple[str, ...] = ()  # above it, outermost first
    is_turn: bool = False  # said in a conversation
    speaker: str | None = None  # of a turn
    occasion: str = ""  # on which it was said: the day or the note, or the conversation
    home: str = ""  # path of the project of its session, or of the agent of its note; "" when there is none
    home_title: str = ""  # its title, for when it has to be made


def read_passages(rows: Iterable[Mapping[str, Any]]) -> list[Passage]:
    """Return passages from the rows of a question to the extraction phase."""
    return [
        Passage(
            row["id"],
            row["text"],
            tuple(row.get("headings", ())),
            bool(row.get("is_turn")),
            row.get("speaker"),
            row.get("occasion", ""),
            row.get("home", ""),
            row.get("home_title", ""),
        )
        for row in rows
    ]


@lru_cache(maxsize=1024)  # the entries of a note stand together, and many below the same headings
def without_own_title(headings: tuple[str, ...], file: str) -> tuple[str, ...]:
    """Return headings without the outermost one where that only says what the file is called: "Memory 2026-02-01"."""
    name = file.rpartition("/")[2]
    own = {_letters(name), _letters(name.rpartition(".")[0])}
    topics = heading_topics(headings[0]) if headings else ()
    return headings[1:] if any(_letters(topic).rstrip(digits) in own for topic in topics) else headings


def _letters(name: str) -> str:
    return slugify(name).replace("-", "")


def read_lines(
    passage: Passage, text: str, before: str = "", machine: MachineText | None = None
) -> Iterator[tuple[Statement, Line]]:
    """Yield the statements of a passage's text with their surroundings, in order; code, blocks and headings are none.

    `text` is the passage's with what must not be read made blank, as long as it; `before` is the statement before it;
    `machine` says which parts of it a program has written, where that is known.
    """
    signal = detect(text)
    spans = deque(signal.spans)
    machine = machine or MachineText(text)
    line_breaks = text.count("\n")
    is_talk = passage.is_turn and not is_program(passage.speaker)
    statements = split_statements(text)
    for statement in split_requests(statements) if is_talk else statements:
        if statement.kind in {CODE, BLOCK, HEADING}:
            continue
        found = _spans_over(statement, spans)
        begin = max(text.rfind("\n", 0, statement.start) + 1, statement.start - _LEAD_CHARS)
        yield (
            statement,
            Line(
                text=statement.text,
                kind=statement.kind,
                headings=passage.headings,
                before=before,
                lead=text[begin : statement.start],
                is_first=not text[: statement.start].strip(" \t\n-*+•‣·>[]xX#_~`0123456789.)"),
                line_breaks=line_breaks,
                speaker=(passage.speaker or "user") if passage.is_turn else "",
                is_user=passage.is_turn and is_own_speech(passage.speaker),
                is_agent=passage.is_turn and is_program(passage.speaker),
                home=_project_name(passage),
                grade=signal.signal if found else NONE,
                signals=tuple(dict.fromkeys(span.category for span in found)),
                is_machine=machine.holds(statement.start),
            ),
        )
        before = statement.text


def _project_name(passage: Passage) -> str:
    """Return the name of the project that a passage belongs to; a note of a person's own belongs to none."""
    kind, _, slug = passage.home.partition("/")
    return (passage.home_title or slug) if kind == "projects" else ""


def _spans_over(statement: Statement, spans: deque[Span]) -> list[Span]:
    """Return the spans that a statement shares text with; those that end before it are dropped. In order."""
    while spans and spans[0].end <= statement.start:
        spans.popleft()
    return [span for span in spans if span.start < statement.end]
