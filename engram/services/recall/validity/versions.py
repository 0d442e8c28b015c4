"""What does not hold any more of what a question brings, and what holds in its place."""

import datetime as dt
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from functools import cached_property
from typing import Final
from typing import NamedTuple

from engram.language.compare.updates.clause_change import clauses_spoken_of
from engram.language.signal.order_terms import read_order
from engram.language.terms.terms import terms
from engram.model.document import Document
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.ports.index import SearchFilter
from engram.ports.index import VectorIndex
from engram.rules.recall.ranking import named_entities
from engram.services.recall.homes import Homes
from engram.services.recall.query import RecallQuery
from engram.services.recall.validity.likely import PERHAPS
from engram.services.recall.validity.outdated import find_outdated_now
from engram.services.recall.validity.outdated import is_until
from engram.services.recall.validity.outdated import list_likely_now
from engram.services.recall.validity.outdated import may_tell
from engram.services.recall.validity.outdated import newest_of
from engram.services.recall.validity.outdated import outdated_by
from engram.services.recall.validity.outdated import promised
from engram.services.recall.validity.renewals import find_renewed
from engram.services.recall.validity.said import read_said
from engram.services.recall.validity.superseded import SupersededStatement
from engram.services.recall.validity.superseded import find_retired
from engram.services.recall.validity.superseded import former_versions
from engram.services.recall.validity.superseded import retired_in

Names = dict[tuple[str, ...], frozenset[str]]  # terms of a name -> paths of the entities that have it

OUTDATED: Final = "outdated"  # exit of a live fact of which a newer one says that it is over

_NEAR: Final = 12  # facts that share words with the first ones of an answer
_RETIRED = 50  # facts near a question, live or not, among which those are that do not hold any more; near an event, too


class Replaced(NamedTuple):
    """Older facts, each with a newer one: the newest, where there are several."""

    probably: list[tuple[Fact, Fact]]
    in_part: list[tuple[Fact, Fact]]  # probably, and of what else the older one says the newer one speaks not
    perhaps: list[tuple[Fact, Fact]]


class Versions:
    """Knows in one state of index and database what took the place of what."""

    def __init__(
        self, index: VectorIndex | None, database: FactDatabase, names: Callable[[RecallQuery], Names], now: dt.datetime
    ) -> None:
        """Take what is looked at; `names` returns those of the entities that the asker of a question may know."""
        self._index = index
        self._database = database
        self._names = names
        self._now = now

    def find_retired(self, asked: RecallQuery) -> list[SupersededStatement]:
        """Return the statements near the question that do not hold any more, which raw text may still say."""
        if self._index is None or not self._any_retired:
            return []
        wanted = SearchFilter(kinds=("fact",), scopes=asked.visible_scopes(), live_only=False)
        near = self._index.search(asked.query, wanted, limit=_RETIRED, by_meaning=False).get("lexical", [])
        dead = [one.document.id for one in near if not one.document.live]
        return find_retired(self._database, dead, asked.visible_scopes())

    def retired_in(
        self, document: Document, retired: Sequence[SupersededStatement], asked: RecallQuery
    ) -> SupersededStatement | None:
        """Return the retired statement that a raw text says, unless the text says it of somebody else."""
        said = retired_in(document, retired)
        if said is None:
            return None
        named = named_entities(terms(document.text), self._names(asked))
        return said if not named or named & {said.fact.entity, *said.fact.related} else None

    def find_outdated(self, facts: Iterable[Fact]) -> list[SupersededStatement]:
        """Return those of these facts that another one of them tells to be over, oldest first, with what holds now.

        That the event of an order has happened is found wherever it is said, and so is that a promise was kept: who
        asks about one need not use its words.
        """
        listed = [*facts]
        over = find_outdated_now(listed, self._home, self._now, said=read_said(self._database, listed))
        if waiting := [fact for fact in listed if is_until(fact) or promised(fact)]:
            telling = may_tell(self._near_events(waiting), waiting)
            said = read_said(self._database, [*waiting, *telling])
            over |= find_outdated_now(waiting, self._home, self._now, telling, said)
        older = sorted((fact for fact in listed if fact.id in over), key=lambda fact: (fact.valid_from, fact.id))
        return [SupersededStatement(fact, newest_of(over, fact)) for fact in older]

    def find_replaced(self, facts: Sequence[Fact], asked: RecallQuery) -> Replaced:
        """Return which of these facts are out of date, probably or perhaps, each with the fact that tells of it.

        That one is looked for among them and the facts that share words with them.
        """
        near = {fact.id: fact for fact in facts}
        if self._index is not None and facts:
            wanted = SearchFilter(kinds=("fact",), scopes=asked.visible_scopes())
            texts = "\n".join(fact.text for fact in facts)
            found = self._index.search(texts, wanted, limit=_NEAR, by_meaning=False).get("lexical", [])
            unknown = tuple(sorted({one.document.id for one in found} - near.keys()))
            near |= {fact.id: fact for fact in self._database.list_facts(FactFilter(ids=unknown))} if unknown else {}
        said = read_said(self._database, near.values())
        changes = list_likely_now([*near.values()], self._home, self._now, PERHAPS, said)
        told = find_outdated_now([*near.values()], self._home, self._now, said=said)
        over = outdated_by(changes) | told
        perhaps = {one.old.id: one.new for one in changes if one.new.id not in over}
        probably = [(fact, newest_of(over, fact)) for fact in facts if fact.id in over]
        in_part = [pair for pair in probably if pair[0].id not in told and clauses_spoken_of(*_texts(pair))]
        return Replaced(
            [pair for pair in probably if pair not in in_part],
            in_part,
            [(fact, perhaps[fact.id]) for fact in facts if fact.id in perhaps and fact.id not in over],
        )

    def _near_events(self, waiting: Sequence[Fact]) -> list[Fact]:
        """Return the facts near what ends orders and promises; without an index, all that these share a scope with."""
        scopes = tuple(sorted({fact.scope for fact in waiting}))
        if self._index is None:
            return self._database.list_facts(FactFilter(scopes=scopes))
        wanted = SearchFilter(kinds=("fact",), scopes=scopes)
        found = (
            self._index.search(read_order(fact.text).until or fact.text, wanted, limit=_RETIRED, by_meaning=False)
            for fact in waiting
        )
        ids = {one.document.id for near in found for one in near.get("lexical", [])}
        return self._database.list_facts(FactFilter(ids=tuple(sorted(ids)))) if ids else []

    def find_renewed(self, documents: Iterable[Document], facts: Mapping[str, Fact], question: str) -> dict[str, str]:
        """Return, by the id of each candidate that is out of date, the id of the one that says what holds now."""
        home = self._homes.worked_on
        return find_renewed(
            documents, facts, lambda one: home(one, facts.get(one.id)), question=question, now=self._now
        )

    def former(self, facts: Mapping[str, Fact], scopes: Sequence[str]) -> dict[str, Fact]:
        """Return, by fact id, the version that each fact took the place of, of those that may be seen."""
        return former_versions(self._database, facts, scopes)

    def worked_on(self, document: Document, fact: Fact | None) -> str | None:
        """Return the project worked on that a text belongs to, a fact or not; None when it belongs to none."""
        return self._homes.worked_on(document, fact)

    @property
    def homes(self) -> Homes:
        """The projects that facts belong to; they are read at the first use."""
        return self._homes

    def _home(self, fact: Fact) -> str | None:
        return self._homes.of(fact)  # the sessions are read only when there is something to compare

    @cached_property
    def _any_retired(self) -> bool:
        counts = self._database.fact_counts()
        return any(counts.get(status.value) for status in (Status.SUPERSEDED, Status.RETRACTED))

    @cached_property
    def _homes(self) -> Homes:
        database = self._database
        return Homes(database, database.list_sessions(), lambda: {one.path: one for one in database.list_entities()})


def _texts(pair: tuple[Fact, Fact]) -> tuple[str, str]:
    return pair[0].text, pair[1].text
