"""What a question looks at: the candidates of the legs, what the store says of each, and who may not be shown."""

import datetime as dt
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from functools import cached_property
from functools import partial

from engram.base.clock import local_day
from engram.errors import AmbiguousNameError
from engram.errors import UnknownEntityError
from engram.language.compare.slots.value_questions import asks_beyond_now
from engram.language.names.mentions import Known
from engram.language.names.sounds import SoundIndex
from engram.language.terms.terms import terms
from engram.model.document import OF_STORE
from engram.model.document import Document
from engram.model.fact import Fact
from engram.model.fact import Usage
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.ports.index import Candidate
from engram.ports.index import SearchFilter
from engram.ports.index import VectorIndex
from engram.rules.fold.facts import fact_number
from engram.rules.life.calibration import rated_confidences
from engram.rules.life.decay import Calendar
from engram.rules.life.decay import tiers
from engram.rules.recall.eligibility import exit_of
from engram.rules.temporal import ENDED
from engram.rules.temporal import PLANNED
from engram.rules.temporal import standing
from engram.rules.temporal import written_overdue
from engram.services.index.documents import fact_document
from engram.services.recall.homes import project_of_name
from engram.services.recall.query import RecallContext
from engram.services.recall.query import RecallQuery
from engram.services.recall.retrieval.candidate_set import CandidateSet
from engram.services.recall.retrieval.graph_leg import spread
from engram.services.recall.retrieval.lexical_fallback import search_facts
from engram.services.recall.retrieval.others_text import exit_of_text
from engram.services.recall.retrieval.past import PastSearch
from engram.services.recall.retrieval.past import replaced_then
from engram.services.recall.retrieval.search_filter import NOT_ASKED_FOR
from engram.services.recall.retrieval.search_filter import is_narrowed
from engram.services.recall.retrieval.search_filter import narrowed_ids
from engram.services.recall.retrieval.self_lines import self_lines
from engram.services.recall.retrieval.sought_names import names_of
from engram.services.recall.retrieval.time_leg import Period
from engram.services.recall.retrieval.time_leg import find_period
from engram.services.recall.validity.superseded import says_only
from engram.services.recall.validity.versions import Names
from engram.services.recall.validity.versions import Versions
from engram.services.visibility import Caller
from engram.services.visibility import find_visible_entities
from engram.services.visibility import identify
from engram.services.visibility import visible_entities

_MOST_MET = 5000  # facts that are kept for the next look-up
_MIN_CANDIDATES = 200  # documents that each leg may propose at least
_SAID_THEN = 50  # documents of the period that a question names
_SESSION_CANDIDATES = 1000  # the same when sessions are ranked: a session is judged by its members


class CandidateSource:
    """Finds candidates in one state of index and database; made once for many questions."""

    def __init__(self, index: VectorIndex | None, database: FactDatabase, circumstances: RecallContext) -> None:
        """See `Recall`."""
        self._index = index
        self._database = database
        self._around = circumstances
        self._self_lines = self_lines(circumstances.self_text)
        self._names: dict[tuple[Caller, tuple[str, ...]], tuple[Names, SoundIndex]] = {}
        self._near: tuple[object, dict[str, tuple[Fact, float]]] = (None, {})  # what was found last, and of what
        self._met: dict[str, Fact] = {}  # facts that were looked up for the question, by id
        self.versions = Versions(
            index, database, lambda asked: self.names(asked.asker(), asked.scopes), circumstances.now
        )

    def names(self, caller: Caller, besides: tuple[str, ...] = ()) -> Names:
        """Return every name of every entity that the caller may know as terms: an inflected name is still that name."""
        return self._names_for(caller, besides)[0]

    def _names_for(self, caller: Caller, besides: tuple[str, ...]) -> tuple[Names, SoundIndex]:
        if (caller, besides) not in self._names:
            entities = visible_entities(self._database, caller, besides)
            sounds = SoundIndex(Known(one.path, (one.title, *one.aliases)) for one in entities)
            self._names[caller, besides] = names_of(entities), sounds
        return self._names[caller, besides]

    def named_by_sound(self, asked: RecallQuery) -> set[str]:
        """Return the entities that a question names in another script than they are called in: Лантерн for Lantern.

        Left out are names that stand in the memory as the question writes them: their words find what they are in.
        """
        heard = self._names_for(asked.asker(), asked.scopes)[1].find(asked.query)
        return {one.path for one in heard if not self._is_written(asked.query[one.start : one.end], asked)}

    def _is_written(self, words: str, asked: RecallQuery) -> bool:
        """Tell whether anything that the asker may see has one of these words."""
        if self._index is None:
            return False
        found = (self._index.search(words, one, limit=1, by_meaning=False) for one in asked.filters(wide=False))
        return any(legs.get("lexical") for legs in found)

    @cached_property
    def _calendar(self) -> Calendar:
        return Calendar(self._around.zone, self._database.active_days(self._around.zone))

    def caller(self, session: str | None, agent: str | None) -> Caller:
        """Return who asks; raise UnknownSessionError, see `identify`."""
        return identify(self._database, self._around.agent, session, agent, has_notes=self._around.has_notes)

    def entity_path(self, name: str, caller: Caller, besides: tuple[str, ...] = ()) -> str:
        """Return the path that a path, title or alias means to a caller.

        Raises UnknownEntityError or AmbiguousNameError.
        """
        paths = find_visible_entities(self._database, caller, name, besides)
        if not paths:
            raise UnknownEntityError(f"no entity has the path, title or alias {name!r}")
        if len(paths) > 1:
            raise AmbiguousNameError(f"{name!r} fits {', '.join(paths)}", matches=paths)
        return paths[0]

    def project_path(self, name: str, caller: Caller) -> str | None:
        """Return the path of the project that a name or a folder means to a caller; raises UnknownEntityError."""
        return project_of_name(self._database, caller, name)

    def gather(self, asked: RecallQuery, named: set[str], *, wide: bool) -> CandidateSet:
        """Gather candidates and what the store says of them; `wide` also looks at what may not be shown."""
        pool = CandidateSet()
        limit = _SESSION_CANDIDATES if asked.by == "session" else max(_MIN_CANDIDATES, 4 * asked.limit)
        within = narrowed_ids(self._database, self._index, asked) if is_narrowed(asked) else None
        filters = _narrowed(asked.filters(wide=wide), within)
        question = "\n".join((asked.query, *(path.partition("/")[2] for path in sorted(named))))
        past = asked if asked.asks_for_the_past() and not wide else None
        pool.period = period = self._asked_period(asked)
        if period is not None:
            for wanted in filters:
                pool.add("time", self._said_then(asked, wanted, period))
            if period.is_all and pool.legs["time"]:  # nothing of another day answers "what happened on 15 February"
                filters = [_of_period(wanted, period, self._around.zone) for wanted in filters]
        for wanted in filters:
            if self._index is None:
                pool.add("lexical", search_facts(self._database, question, wanted, past, self._around.zone)[:limit])
                continue
            now = self._around.now
            search = PastSearch(self._index, self._database, past, now).search if past else self._index.search
            for leg, candidates in search(question, wanted, limit=limit).items():
                pool.add(leg, candidates)
        if period is not None:
            pool.period_words = period.said if pool.legs["time"] else ""
        if named and self._around.graph and asked.wants_graph():
            pool.add("graph", self._graph_candidates(asked, named))
        if self._index is None and asked.wants_self():
            pool.add("lexical", self._self_candidates(asked.query, pool))
        self.look_up(pool)
        pool.exits |= self._exits(pool, asked, within)
        left = [fact for key, fact in pool.facts.items() if key not in pool.exits]
        pool.exits |= replaced_then(self._database, left, asked)
        return pool

    def _exits(self, pool: CandidateSet, asked: RecallQuery, within: frozenset[str] | None) -> dict[str, str]:
        """Return why candidates may not be shown, of those that may not."""
        exit_here = partial(
            exit_of,
            scopes=asked.searched_scopes(),
            as_of=asked.as_of,
            as_known=asked.as_known,
            now=self._around.now,
            ended=asks_beyond_now(asked.query),
        )
        exits: dict[str, str] = {}
        for key, document in pool.documents.items():
            why = exit_here(document, pool.facts.get(key)) or exit_of_text(document, asked)
            if why or (within is not None and key not in within):
                exits[key] = why or NOT_ASKED_FOR
        return exits

    def _asked_period(self, asked: RecallQuery) -> Period | None:
        """Return the period that the words of a question mean; None beside filters of time, which say it better."""
        if self._index is None or asked.since or asked.until or asked.asks_for_the_past():
            return None
        return find_period(asked.query, local_day(self._around.now, self._around.zone))

    def _said_then(self, asked: RecallQuery, wanted: SearchFilter, period: Period) -> list[Candidate]:
        """Return what was said, or began to hold, in a period, by the words of the question and of its days."""
        if self._index is None:
            return []
        within = _of_period(wanted, period, self._around.zone)
        question = f"{asked.query}\n{period.words}"
        limit = _MIN_CANDIDATES if period.is_all else _SAID_THEN
        return self._index.search(question, within, limit=limit, by_meaning=False).get("lexical", [])

    def _graph_candidates(self, asked: RecallQuery, named: set[str]) -> list[Candidate]:
        """Propose facts of the entities that the question names and of those near them."""
        scopes = tuple(asked.visible_scopes())
        near = (frozenset(named), scopes)
        if self._near[0] != near:
            self._near = near, spread(self._database, named, scopes)
        found = self._near[1]
        since, until = asked.since, asked.until
        timely = [
            (fact, activation)
            for fact, activation in found.values()
            if (since is None or fact.valid_from >= since) and (until is None or fact.valid_from < until)
        ]
        documents = _as_documents((fact for fact, _ in timely), self._around.zone)
        return [Candidate(document, near) for document, (_, near) in zip(documents, timely, strict=True)]

    def lines_around(self, places: Sequence[Document], asked: RecallQuery) -> dict[str, Document]:
        """Return by id the lines beside these texts that may be shown to the asker, and that still hold."""
        wanted = dict.fromkeys(key for place in places for key in place.beside)
        if self._index is None or not wanted or asked.index_only:
            return {}
        scopes = asked.searched_scopes()
        found = [one for one in self._index.retrieve(wanted) if one.live and one.scope in scopes]
        around = asked.model_copy(update={"query": "\n".join(one.text for one in found) or asked.query})
        retired = self.versions.find_retired(around)
        gone = {one.id: self.versions.retired_in(one, retired, asked) for one in found}
        return {one.id: one for one in found if not (said := gone[one.id]) or not says_only(one, said)}

    def searched_texts(self, ids: list[str], pool: CandidateSet) -> list[str]:
        """Return what was searched of these candidates: the text with its date, speaker and entity."""
        if self._index is None:
            return [pool.documents[key].indexed_text for key in ids]
        indexed = {one.id: one.indexed_text for one in self._index.retrieve(ids)}
        return [indexed.get(key) or pool.documents[key].indexed_text or pool.documents[key].text for key in ids]

    def _self_candidates(self, question: str, pool: CandidateSet) -> list[Candidate]:
        """Score lines of MEMORY.md by their share of the question's terms; a line with all of them equals the best."""
        asked = set(terms(question))
        best = max(pool.legs.get("lexical", {}).values(), default=1.0)
        found = [(line, len(asked & set(terms(line.text)))) for line in self._self_lines]
        return [Candidate(line, best * count / len(asked)) for line, count in found if count]

    def retrieve(self, ids: list[str]) -> list[Document]:
        """Return the documents with these ids; unknown ones are left out."""
        if self._index is not None:
            return self._index.retrieve(ids)
        own = [line for line in self._self_lines if line.id in ids]
        facts = self._database.list_facts(FactFilter(status="all", ids=tuple(ids)))
        return own + _as_documents(facts, self._around.zone)

    def bring_in(self, pool: CandidateSet, ids: list[str]) -> None:
        """Add documents that no leg has found to the candidates, without a score."""
        unknown = [key for key in ids if key not in pool.documents]
        if unknown:
            pool.documents |= {document.id: document for document in self.retrieve(unknown)}
            self.look_up(pool)

    def look_up(self, pool: CandidateSet) -> None:
        """Add what the store says now of the facts among the candidates."""
        ids = tuple(key for key, document in pool.documents.items() if document.kind in OF_STORE)
        if ids:
            facts = self._facts(ids)
            pool.facts = {fact.id: fact for fact in facts}
            stands = {fact.id: standing(fact, self._around.now) for fact in facts}
            pool.to_mark = {key: state.value for key, state in stands.items() if state in {PLANNED, ENDED}}
            late = {fact.id: written_overdue(fact, self._around.now, self._around.zone) for fact in facts}
            pool.overdue = {key: day for key, day in late.items() if day}
            usages = self._database.usages(fact.id for fact in facts)
            pool.tiers = self._tiers(facts, usages)
            pool.rated = rated_confidences(facts, usages)

    def _facts(self, ids: Sequence[str]) -> list[Fact]:
        """Return facts by id, in the store's order; one question looks the same ones up several times."""
        if len(self._met) > _MOST_MET:
            self._met = {}
        if unknown := tuple(key for key in ids if key not in self._met):
            self._met |= {fact.id: fact for fact in self._database.list_facts(FactFilter(status="all", ids=unknown))}
        found = (self._met[key] for key in dict.fromkeys(ids) if key in self._met)
        return sorted(found, key=lambda fact: (fact.entity, fact_number(fact.id), fact.id))

    def _tiers(self, facts: list[Fact], usages: Mapping[str, Usage]) -> dict[str, str]:
        around = self._around
        return tiers(facts, usages, now=around.now, calendar=self._calendar, settings=around.decay)


def _narrowed(filters: list[SearchFilter], within: frozenset[str] | None) -> list[SearchFilter]:
    """Return what is searched of these documents; nothing where there are none."""
    if within is None:
        return filters
    return [one._replace(ids=tuple(sorted(within))) for one in filters] if within else []


def _of_period(wanted: SearchFilter, period: Period, zone: dt.tzinfo) -> SearchFilter:
    since, until = period.bounds(zone)
    return wanted._replace(since=since, until=until)


def _as_documents(facts: Iterable[Fact], zone: dt.tzinfo) -> list[Document]:
    return [fact_document(fact, zone) for fact in facts]
