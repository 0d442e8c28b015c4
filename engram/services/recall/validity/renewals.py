"""Which of the candidates a newer one brings up to date: the same sentence of the same thing with another value. Pure.

Facts and raw text count alike: a turn that became no fact still tells how things are. Statements meet by their own
subject, whatever entity each is filed under.
"""

import datetime as dt
import itertools
import re
from collections import defaultdict
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from typing import Final
from typing import NamedTuple

from engram.language.compare.reading.stems import fold
from engram.language.compare.updates.renewal import MAX_CHARS
from engram.language.compare.updates.renewal import is_renewed
from engram.language.compare.updates.renewal import names_its_day
from engram.language.compare.updates.renewal import renewal_keys
from engram.language.names.spans import PLAIN_NAMES
from engram.language.names.spans import PROPER
from engram.language.names.spans import find_names
from engram.language.terms.terms import terms
from engram.model.document import FACT
from engram.model.document import Document
from engram.model.fact import Fact
from engram.model.fact import Trust
from engram.rules.temporal import holds_now
from engram.rules.trust.authority import authority_of
from engram.rules.trust.authority import may_retire
from engram.rules.writes.derivation import is_less_trusted

_SPOKEN: Final = frozenset({FACT, "turn"})  # kinds of documents that hold what one person said at one moment
_SPEAKER: Final = re.compile(r"^[^\s:][^:\n]{0,60}: ")
_MOST_OF_ONE_KEY: Final = 20  # statements that say the same but for a value; of more the newest


class _Statement(NamedTuple):
    """A candidate as it is compared."""

    id: str
    fact: Fact | None
    text: str
    said_at: tuple[dt.datetime, dt.datetime]  # when it was said; from when it holds
    place: int  # in its session; of a fact 0
    home: str | None  # the project that it belongs to
    scope: str
    trust: Trust
    names: frozenset[str]  # in the text, folded; the word at its beginning only where the question names it
    holds: bool  # it holds by now


def find_renewed(
    documents: Iterable[Document],
    facts: Mapping[str, Fact],
    home: Callable[[Document], str | None],
    *,
    question: str,
    now: dt.datetime,
) -> dict[str, str]:
    """Return, by the id of each candidate that is out of date, the id of the newest that says what holds now.

    Args:
        documents: the candidates.
        facts: the facts among them, by id.
        home: the project that a candidate belongs to.
        question: names that stand in it are names in a text, too.
        now: the moment that counts; what holds only later makes nothing old yet.
    """
    asked = frozenset(fold(span.name) for span in find_names(question) if span.form in PLAIN_NAMES)
    met: dict[str, list[Document]] = defaultdict(list)
    for document in _alike(documents):
        for key in renewal_keys(_said(document)):
            met[key].append(document)
    renewed: dict[str, _Statement] = {}
    for alike in (some for some in met.values() if len(some) > 1):
        statements = [_statement(one, facts.get(one.id), home, asked, now) for one in alike]
        newest_last = sorted(statements, key=lambda one: (one.said_at, one.place, one.id))[-_MOST_OF_ONE_KEY:]
        for place, new in enumerate(newest_last):
            renewed |= {old.id: new for old in newest_last[:place] if _renews(new, old)}
    return {key: _end(renewed, one).id for key, one in renewed.items()}


def _alike(documents: Iterable[Document]) -> list[Document]:
    """Return those that have half of their words in common with another one: to take a statement apart costs more."""
    spoken = [one for one in documents if one.kind in _SPOKEN and not one.by_assistant and one.at is not None]
    place: dict[str, int] = {}  # of a term: the bit that stands for it, since a few hundred texts make many pairs
    told: list[tuple[Document, int, int]] = []
    for one in spoken:
        if len(text := _said(one)) <= MAX_CHARS:
            bits = sum(1 << place.setdefault(term, len(place)) for term in {*terms(text)})
            told.append((one, bits, bits.bit_count()))
    found: dict[str, Document] = {}
    for (one, its, many), (other, others, more) in itertools.combinations(told, 2):
        if one.id in found and other.id in found:
            continue
        if 2 * (its & others).bit_count() >= min(many, more) > 0:
            found |= {one.id: one, other.id: other}
    return list(found.values())


def _statement(
    document: Document,
    fact: Fact | None,
    home: Callable[[Document], str | None],
    asked: frozenset[str],
    now: dt.datetime,
) -> _Statement:
    said, at = _said(document), document.at or now
    spans = [span for span in find_names(said) if span.form in PLAIN_NAMES]
    names = {fold(span.name) for span in spans if span.start > 0 or span.form != PROPER}
    names |= {name for span in spans if (name := fold(span.name)) in asked}
    return _Statement(
        document.id,
        fact,
        said,
        (at, at) if fact is None else (min(fact.valid_from, fact.recorded_at), fact.valid_from),
        document.ordinal or 0,
        home(document),
        document.scope,
        Trust(document.trust),
        frozenset(names),
        holds=fact is None or holds_now(fact, now),
    )


def _said(document: Document) -> str:
    """Return what a document says, without the speaker whose name stands before the text of a turn."""
    return document.text if document.kind == FACT else _SPEAKER.sub("", document.text, count=1)


def _renews(new: _Statement, old: _Statement) -> bool:
    if not (new.holds and old.holds) or (new.said_at, new.place) <= (old.said_at, old.place) or new.scope != old.scope:
        return False
    if new.home != old.home or (old.fact is not None and not _may_retire(new, old.fact)):
        return False
    is_of_one = new.fact is not None and old.fact is not None and new.fact.entity == old.fact.entity
    if not (is_of_one or new.names & old.names) or not is_renewed(old.text, new.text):
        return False
    return not all(names_its_day(one.text, one.said_at[0].date()) for one in (new, old))  # the records of two days


def _may_retire(new: _Statement, old: Fact) -> bool:
    """Tell whether a statement may take the place of a fact: an agent's word takes that of no person's."""
    if is_less_trusted(new.trust, old.trust):
        return False
    return new.fact is None or may_retire(authority_of(new.fact), old)


def _end(renewed: Mapping[str, _Statement], one: _Statement) -> _Statement:
    """Return what holds in the place of a statement that may be out of date, too: each is newer."""
    while one.id in renewed:
        one = renewed[one.id]
    return one
