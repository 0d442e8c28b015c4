"""How a question is answered: candidates of the legs, one order, and one exit for everything that is not shown.

Candidate: a document that a leg found (with `by = session`: a session). Exit: why a candidate is not among the hits;
each has exactly one, so hits and exits together are the candidates. Withheld: known, but not for this asker, or not
any more.
"""

from collections.abc import Iterable
from collections.abc import Mapping
from typing import Any

from engram.base.telemetry import observed
from engram.base.tokens.estimate import estimate_tokens
from engram.errors import DegradedIndexError
from engram.errors import NotFoundError
from engram.language.terms.terms import terms
from engram.model.document import Hit
from engram.model.fact import Fact
from engram.ports.database import FactDatabase
from engram.ports.index import REBUILD
from engram.ports.index import Candidate
from engram.ports.index import VectorIndex
from engram.rules.recall.fusion import Fused
from engram.rules.recall.ranking import fit_budget
from engram.rules.recall.ranking import named_entities
from engram.rules.recall.relevance import BEST
from engram.rules.recall.relevance import Signs
from engram.rules.recall.relevance import is_probably_unknown
from engram.services.recall.departures import Replacement
from engram.services.recall.departures import drop_other_projects
from engram.services.recall.departures import drop_outdated
from engram.services.recall.departures import drop_renewed
from engram.services.recall.departures import drop_replaced
from engram.services.recall.departures import drop_retired
from engram.services.recall.fitness.asked_kind import lacks_answer
from engram.services.recall.fresh_hits import with_freshness
from engram.services.recall.hidden import Hidden
from engram.services.recall.hits import harmless
from engram.services.recall.hits import is_for
from engram.services.recall.hits import make_hit
from engram.services.recall.hits import with_history
from engram.services.recall.last_order import bring
from engram.services.recall.other_agents import count_of_others
from engram.services.recall.presentation.near_duplicates import find_repeated
from engram.services.recall.presentation.shown_hits import LOOKED_AT
from engram.services.recall.presentation.shown_hits import cost
from engram.services.recall.presentation.shown_hits import show
from engram.services.recall.query import DEGRADED
from engram.services.recall.query import FOUND
from engram.services.recall.query import NOTHING_KNOWN
from engram.services.recall.query import WITHHELD
from engram.services.recall.query import AskedDays
from engram.services.recall.query import RecallAnswer
from engram.services.recall.query import RecallContext
from engram.services.recall.query import RecallQuery
from engram.services.recall.relevance import closeness_of
from engram.services.recall.relevance import signs_of
from engram.services.recall.retrieval.candidate_set import CandidateSet
from engram.services.recall.retrieval.candidates import CandidateSource
from engram.services.recall.standing_order import rank
from engram.services.recall.standing_order import weights_for
from engram.services.recall.validity.outdated import is_until
from engram.services.recall.validity.superseded import SupersededStatement

_WORDS_ONLY = "no embedding model: words only"


class Recall:
    """Answers questions from one state of index and database; made once for many questions."""

    def __init__(self, index: VectorIndex | None, database: FactDatabase, circumstances: RecallContext) -> None:
        """Keep what the questions are answered from.

        Args:
            index: under the index lock and caught up; None when it cannot be used.
            database: open for reading; the last word on what is current.
            circumstances: when and where it is asked, and what is missing.
        """
        self._index = index
        self._database = database
        self._around = circumstances
        self._gatherer = CandidateSource(index, database, circumstances)
        self._versions = self._gatherer.versions
        self._hidden = Hidden(self._gatherer, index, circumstances)

    def answer(self, asked: RecallQuery) -> RecallAnswer:
        """Answer one question; where the index turns out to be damaged, without it, and the answer says so.

        Raises:
            UnknownEntityError, AmbiguousNameError: when the entity that was asked for is not one.
            UnknownSessionError: when there is no such session.
            DegradedIndexError: when the index's engine fails otherwise, such as a server that does not answer.
        """
        with observed("recall") as observation:
            answer = self._answer_with_any_index(asked)
            told = {"hits": len(answer.hits), "tokens": answer.tokens, "index_lag": answer.index_lag}
            observation.note(answer=answer.answer, impaired=answer.impaired, **told)
        return answer

    def _answer_with_any_index(self, asked: RecallQuery) -> RecallAnswer:
        try:
            return self._answer(asked)
        except DegradedIndexError as problem:
            if self._index is None or problem.hint != REBUILD:
                raise
            why = f"no index: {problem.message} ({problem.hint})"
        around = self._around._replace(degraded=(*self._around.degraded, why))
        return Recall(None, self._database, around)._answer(asked)

    def _answer(self, asked: RecallQuery) -> RecallAnswer:
        started = self._around.clock()
        asked = asked.asked_by(self._gatherer.caller(asked.session, asked.agent))
        if asked.entity is not None:
            path = self._gatherer.entity_path(asked.entity, asked.asker(), asked.scopes)
            asked = asked.model_copy(update={"entity": path})
        if asked.project is not None:
            asked = asked.model_copy(update={"project": self._gatherer.project_path(asked.project, asked.asker())})
        named = named_entities(terms(asked.query), self._gatherer.names(asked.asker(), asked.scopes))
        if not asked.surely:  # what a name sounds like is a guess, and here nobody asked
            named |= self._gatherer.named_by_sound(asked)
        pool = self._gatherer.gather(asked, named, wide=False)
        drop_other_projects(pool, self._versions, asked)
        outdated = drop_outdated(pool, self._versions, asked)
        retired = drop_retired(pool, self._versions, asked, outdated)
        drop_renewed(pool, self._versions, asked)
        ranked, replaced = self._ranked(pool, named, asked)
        best = self._gatherer.searched_texts([one.id for one in ranked[:BEST]], pool)
        closeness = closeness_of(pool, asked, self._index)
        signs = signs_of(pool, ranked, best, closeness, named=named, question=asked.query)
        others = self._hidden.of_other_agents(pool, named, asked)
        brought = bring(pool, ranked, asked, signs, closeness, self._around)
        former = replaced.former | {one.now.id: one.fact for one in outdated if one.now and not is_until(one.fact)}
        hits, cut = self._chosen(pool, brought, asked, retired | replaced.in_part, former)
        has_texts = asked.by == "item" and not asked.index_only  # else hits are sessions, or first lines only
        signs = signs._replace(lacks=has_texts and lacks_answer(hits, closeness, asked.query, pool.come_forward))
        hits = with_freshness(hits, pool.documents, pool.facts, self._versions, self._around.workplaces, asked)
        # Who asked nothing waits for no word on what is not shown, and looking for it takes a quarter of the time.
        withheld = bool(cut) or (not hits and not asked.surely and self._hidden.is_withheld(asked, named))
        return RecallAnswer(
            hits=hits,
            answer=self._kind(found=bool(hits), withheld=withheld),
            tokens=sum(estimate_tokens(hit.text) for hit in hits),
            cut=cut,
            index_lag=self._around.behind,
            degraded=self._missing(pool),
            took_ms=round((self._around.clock() - started) * 1000, 3),
            probably_unknown=not hits or self._is_doubted(pool, signs),
            impaired=self._impaired,
            asked_days=AskedDays(pool.period.said, pool.period.first, pool.period.last) if pool.period else None,
            other_agents=count_of_others(others),
            explain=self._explanation(asked, named, pool, hits) if asked.explain else None,
            model=self._index.model() if self._index is not None and "dense" in pool.legs else None,
            engine=self._around.engine if self._index is not None else None,
        )

    def detail(self, ids: Iterable[str], asker: RecallQuery | None = None) -> list[Hit]:
        """Return chosen documents with their whole text, in the order asked for, live or not.

        Args:
            ids: as hits show them.
            asker: a query that says who asks; its question does not matter.

        Raises NotFoundError that names the first id that is unknown, or not for this asker; UnknownSessionError.
        """
        asked = list(dict.fromkeys(ids))
        found = {hit.id: hit for hit in self.known(asked, asker)}
        if missing := [key for key in asked if key not in found]:
            raise NotFoundError(f"nothing here has the id {missing[0]!r}", hint="ids are those that recall shows")
        return [found[key] for key in asked]

    def known(self, ids: Iterable[str], asker: RecallQuery | None = None) -> list[Hit]:
        """Return those of these documents that the asker may see, as `detail` does; the others are left out."""
        who = asker or RecallQuery(query="ids")
        who = who.asked_by(self._gatherer.caller(who.session, who.agent))
        asked = list(dict.fromkeys(ids))
        pool = CandidateSet()
        seen = [document for document in self._gatherer.retrieve(asked) if is_for(document, who)]
        pool.add("asked", [Candidate(document, 1.0) for document in seen])
        self._gatherer.look_up(pool)
        return [harmless(make_hit(pool, key, 0.0, self._around.zone)) for key in asked if key in pool.documents]

    def _ranked(self, pool: CandidateSet, named: set[str], asked: RecallQuery) -> tuple[list[Fused], Replacement]:
        """Return the candidates in their first order, and the facts that newer ones took the place of."""
        ranked = rank(pool, named, asked.query, self._around.now)
        replaced = drop_replaced(pool, self._gatherer, ranked, asked)
        return rank(pool, named, asked.query, self._around.now) if replaced.has_moved else ranked, replaced

    # --- what is shown -----------------------------------------------------------------------------------------

    def _chosen(
        self,
        pool: CandidateSet,
        ranked: list[Fused],
        asked: RecallQuery,
        retired: Mapping[str, SupersededStatement],
        outdated: Mapping[str, Fact],
    ) -> tuple[list[Hit], list[dict[str, Any]]]:
        """Return the hits and the receipts of what the budget cut; everything else takes its exit.

        Args:
            pool: of the candidates.
            ranked: what is brought, in its last order.
            asked: the question.
            retired: by id, what raw text says that does not hold any more.
            outdated: by id of a fact, the one that it tells to be over.
        """
        repeated = find_repeated([pool.documents[one.id] for one in ranked], asked.limit * LOOKED_AT)
        fresh = [one for one in ranked if one.id not in repeated]
        shown = show(
            fresh,
            pool.documents,
            pool.place_of,
            lambda places: self._gatherer.lines_around(places, asked),
            question=asked.query,
            limit=asked.limit,
        )
        scores = {one.id: one.score for one in fresh}
        chosen = {key: pool.facts[key] for key in shown.texts if key in pool.facts}
        former = {} if asked.asks_for_the_past() else self._versions.former(chosen, asked.visible_scopes())
        former = {**outdated, **former}
        hits = [make_hit(pool, key, scores[key], self._around.zone, asked, text) for key, text in shown.texts.items()]
        hits = [with_history(hit, former.get(hit.id), retired.get(hit.id)) for hit in hits]
        costs = {hit.id: cost(hit.text, hit.was, hit.now) for hit in hits}
        kept, cut = fit_budget(costs, asked.budget)
        pool.exits |= dict.fromkeys(repeated, "duplicate_text") | shown.exits
        pool.exits |= dict.fromkeys((key for key in scores if key not in {*shown.texts, *shown.exits}), "over_limit")
        pool.exits |= dict.fromkeys(cut, "over_budget")
        receipts = [{"id": key, "kind": pool.documents[key].kind, "tokens": costs[key]} for key in cut]
        return [hit for hit in hits if hit.id in set(kept)], receipts

    # --- what kind of answer -----------------------------------------------------------------------------------

    @property
    def _impaired(self) -> bool:
        return self._index is None or self._around.behind > 0 or bool(self._around.degraded)

    def _is_doubted(self, pool: CandidateSet, signs: Signs) -> bool:
        """Tell whether the hits probably do not answer: what was then is answered by whatever is of that time alone."""
        if self._around.threshold > 0 and pool.period is not None and pool.period.is_all:
            return not pool.legs.get("time")
        return is_probably_unknown(signs, self._around.threshold)

    def _kind(self, *, found: bool, withheld: bool) -> str:
        if found:
            return FOUND
        if self._impaired:
            return DEGRADED
        return WITHHELD if withheld else NOTHING_KNOWN

    def _missing(self, pool: CandidateSet) -> list[str]:
        words = list(self._around.degraded)
        if self._index is not None and "dense" not in pool.legs and "whole" not in pool.legs and "lexical" in pool.legs:
            words.append(_WORDS_ONLY)
        if self._around.behind > 0:
            words.append(f"the index is {self._around.behind} journal records behind")
        return words

    def _explanation(self, asked: RecallQuery, named: set[str], pool: CandidateSet, hits: list[Hit]) -> dict[str, Any]:
        wide = self._gatherer.gather(asked, named, wide=True)
        unseen = {key: why for key, why in wide.exits.items() if key not in pool.documents}
        dropped = [{"id": key, "exit": why, "legs": pool.legs_of(key)} for key, why in pool.exits.items()]
        dropped += [{"id": key, "exit": why, "legs": wide.legs_of(key)} for key, why in unseen.items()]
        return {
            "candidates": len(hits) + len(dropped),
            "weights": dict(weights_for(asked.query)),
            "named": sorted(named),
            "dropped": dropped,
        }
