"""What somebody tells and what they ask for in one sentence, apart: "I'm on Flask 3, can you review this?".

Whoever asks for something says in the same breath how things stand. The request is over when it is answered; what was
told holds on. Found by form: a comma, a dash or the like, and behind it the words that a question or a request begins
with. What is only supposed ("if I move to Bonn, can you ...?") is told by nobody, and stays with its request.
"""

import re
from collections.abc import Iterable
from collections.abc import Iterator
from functools import cache
from typing import Final

from engram.language.matching.kept_expressions import kept
from engram.language.matching.patterns import joined
from engram.language.text.statements import BULLET
from engram.language.text.statements import SENTENCE
from engram.language.text.statements import Statement

_KIND: Final = "sentences"
_DIVIDED: Final = frozenset({SENTENCE, BULLET})
_LEAST_CHARS: Final = 16  # of a sentence that tells something and asks for something
_LEAST_TOLD: Final = 6  # characters of what is told: in Chinese that says something
_ASKS: Final = re.compile(r"[?？][\s\"'»”)*_!.…]*$")
_BREAK: Final = r"(?:[,;:，；：]|\s[-–—]+|…|\.\.\.)\s*"
_EDGES: Final = " \t\r\n,;:，；：-–—…"


def split_requests(statements: Iterable[Statement]) -> Iterator[Statement]:
    """Yield statements, and for a sentence that tells something and asks for something both parts. Linear."""
    for statement in statements:
        place = _request_in(statement)
        if place is None:
            yield statement
            continue
        yield from _parts(statement, *place)


def _request_in(statement: Statement) -> tuple[int, int] | None:
    """Return where what is said first ends in a statement's text, and where the rest begins; None when it is one."""
    text = statement.text
    if statement.kind not in _DIVIDED or len(text) < _LEAST_CHARS:
        return None
    if any(_begins_with(name).match(text) for name in ("supposed", "need")):
        return None
    found = _request_behind(is_asked=_ASKS.search(text) is not None).search(text)
    if asks_for_something(text[: found.start()] if found else text):
        found = _told_behind().search(text)
    if found is None:
        return None
    is_told = len(text[: found.start()].strip(_EDGES)) >= _LEAST_TOLD and len(text) - found.end() >= _LEAST_TOLD
    return (found.start(), found.end()) if is_told else None


def asks_for_something(text: str) -> bool:
    """Tell whether a sentence begins with the words of a request or a question, whatever mark is at its end."""
    return any(_begins_with(name).match(text) for name in ("request", "request_anyway"))


def _parts(statement: Statement, end: int, begin: int) -> Iterator[Statement]:
    first, rest = statement.text[:end].rstrip(_EDGES), statement.text[begin:]
    start = statement.start
    yield Statement(start, start + len(first), first, statement.kind)
    yield Statement(start + begin, statement.end, rest, statement.kind)


@cache
def _begins_with(name: str) -> re.Pattern[str]:
    return kept(rf"(?i:{joined(_KIND, name)})")


@cache
def _request_behind(*, is_asked: bool) -> re.Pattern[str]:
    """Return the break behind which a request begins; with a question mark at the end more of them are one."""
    either = [joined(_KIND, "request_anyway"), *([joined(_KIND, "request")] if is_asked else [])]
    return kept(rf"(?:{_BREAK}|{joined(_KIND, 'request_break')})(?=(?i:{'|'.join(either)}))")


@cache
def _told_behind() -> re.Pattern[str]:
    """Return the break behind which a request is followed by what is so: "because I'm allergic to nuts"."""
    return kept(rf"(?:{_BREAK}|\s)(?=(?i:{joined(_KIND, 'told_behind')}))")
