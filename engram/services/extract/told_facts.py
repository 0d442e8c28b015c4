"""The facts of one extraction as they come: what is told again is one, and a lesson takes up its cause and its cure."""

from typing import Final
from typing import NamedTuple

from engram.base.text import MAX_FACT_CHARS
from engram.base.text import fingerprint
from engram.language.signal.error_terms import meets_error
from engram.language.signal.error_terms import mends
from engram.model.handoff import HandoffFact
from engram.model.vocabulary import Category
from engram.services.extract.lessons import joined_text
from engram.services.extract.lines.evidence import TEXT
from engram.services.extract.lines.read_line import ReadLine
from engram.services.extract.subject.attribution import About

MAX_RELATED: Final = 5  # entities that one fact is linked to


class _Told(NamedTuple):
    """A fact that what stands right behind it may still become a part of."""

    key: tuple[str, str, str]  # of the fact
    fact: HandoffFact
    first: ReadLine  # the statement that it begins with
    last: ReadLine  # the last one that tells of it


class ToldFacts:
    """Facts by entity, words and occasion: what is said again counts once for each occasion."""

    def __init__(self) -> None:
        """Begin with none."""
        self._facts: dict[tuple[str, str, str], HandoffFact] = {}
        self._last: _Told | None = None  # what was told last, which a reason may follow
        self._lesson: _Told | None = None  # what its cause or its cure may stand behind

    @property
    def facts(self) -> list[HandoffFact]:
        """The facts, in the order in which they were told first."""
        return list(self._facts.values())

    def add_reason(self, one: ReadLine) -> None:
        """Take up a statement that only gives the reason of the one before it; behind none it says nothing."""
        if self._last is not None and (whole := _with_next(self._last, one)) is not None:
            self._facts[self._last.key] = whole

    def add(self, one: ReadLine, fact: HandoffFact, about: About) -> None:
        """Take up a fact that a statement tells, into the lesson before it where it is a part of that."""
        if self._lesson is not None and (whole := _with_cure(self._lesson, one, fact, about)) is not None:
            self._facts[self._lesson.key] = whole
            self._lesson = self._lesson._replace(fact=whole, last=one)
            return
        if self._last is not None and (whole := _completed(self._last, one, fact)) is not None:
            self._facts[self._last.key] = whole
            self._last = self._last._replace(fact=whole, last=one)
            return
        key = (fact.entity, fingerprint(fact.fact), one.passage.occasion)
        self._last = _Told(key, self._facts.setdefault(key, fact), one, one)
        if fact.category == Category.LESSON or meets_error(one.line.text):  # the cause may stand behind it
            self._lesson = self._last


def _completed(told: _Told, one: ReadLine, fact: HandoffFact) -> HandoffFact | None:
    """Return a fact with the statement right behind it that reads by itself only with its words; else None.

    "Hired Rune for backend. She takes the reviews over" is one fact, about what its first half is about.
    """
    again = fact.fact.startswith(told.fact.fact) and len(fact.fact) > len(told.fact.fact)
    if not again or one.passage.id != told.last.passage.id or not one.is_right_behind(told.last):
        return None
    place = {"quote": one.text[told.first.statement.start : one.statement.end], "entry": one.passage.id}
    named = dict.fromkeys([*told.fact.related, fact.entity, *fact.related])
    related = tuple(path for path in named if path != told.fact.entity)[:MAX_RELATED]
    waits = told.fact.candidate and fact.candidate
    return told.fact.model_copy(update={"fact": fact.fact, "related": related, "candidate": waits, **place})


def _with_cure(lesson: _Told, one: ReadLine, fact: HandoffFact, about: About) -> HandoffFact | None:
    """Return a lesson with the statement right behind it, where that tells its cause or its cure; else None."""
    is_more = fact.category == Category.LESSON or mends(one.line.text)
    if not is_more or one.passage.id != lesson.last.passage.id or one.line is lesson.last.line:
        return None
    if about.origin == TEXT and fact.entity != lesson.fact.entity and meets_error(one.line.text):
        return None  # what failed of something else
    whole = _with_next(lesson, one)
    waits = lesson.fact.candidate and fact.candidate
    return whole and whole.model_copy(update={"category": Category.LESSON, "candidate": waits})


def _with_next(told: _Told, one: ReadLine) -> HandoffFact | None:
    """Return a fact with the statement right behind it; None where something stands between, or both are too long."""
    begin, end = told.first.statement.start, one.statement.end
    text = joined_text(told.fact.fact, one.line.text)
    if not one.is_right_behind(told.last) or len(text) > MAX_FACT_CHARS:
        return None
    place = {"quote": one.text[begin:end], "entry": one.passage.id}  # what was told again stood elsewhere before
    return told.fact.model_copy(update={"fact": text, **place})
