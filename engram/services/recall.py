"""How a question is answered: candidates of the legs, one order, and one exit for everything that is not shown.

Candidate: a document that a leg found (with `by = session`: a session). Exit: why a candidate is not among the hits;
each has exactly one, so hits and exits together are the candidates. Withheld: known, but not for this asker, or not
any more.
"""

import math
from collections.abc import Container
from collections.abc import Iterable
from typing import Any

from engram.base.clock import local_day
from engram.errors import NotFoundError
from engram.language.lexical import terms
from engram.model.document import Document
from engram.model.document import Hit
from engram.model.fact import SHARED
from engram.model.fact import Source
from engram.ports.database import FactDatabase
from engram.ports.index import Candidate
from engram.ports.index import VectorIndex
from engram.rules.eligibility import WITHHOLDING
from engram.rules.fusion import WEIGHTS
from engram.rules.fusion import Fused
from engram.rules.fusion import fuse
from engram.rules.fusion import fuse_groups
from engram.rules.ranking import Standing
from engram.rules.ranking import duplicates
from engram.rules.ranking import estimate_tokens
from engram.rules.ranking import fit_budget
from engram.rules.ranking import multiplier
from engram.rules.ranking import named_entities
from engram.rules.ranking import shown_score
from engram.services.recall_candidates import Gatherer
from engram.services.recall_candidates import Pool
from engram.services.recall_query import DEGRADED
from engram.services.recall_query import FOUND
from engram.services.recall_query import NOTHING_KNOWN
from engram.services.recall_query import WITHHELD
from engram.services.recall_query import Circumstances
from engram.services.recall_query import RecallAnswer
from engram.services.recall_query import RecallQuery

_FIRST_LINE_CHARS = 120  # of a text in an answer that gives first lines only
_WORDS_ONLY = "no embedding model: words only"


class Recall:
    """Answers questions from one state of index and database; made once for many questions."""

    def __init__(self, index: VectorIndex | None, database: FactDatabase, circumstances: Circumstances) -> None:
        """Keep what the questions are answered from.

        Args:
            index: under the index lock and caught up; None when it cannot be used.
            database: open for reading; the last word on what is current.
            circumstances: when and where it is asked, and what is missing.
        """
        self._index = index
        self._around = circumstances
        self._gatherer = Gatherer(index, database, circumstances)

    def answer(self, asked: RecallQuery) -> RecallAnswer:
        """Answer one question.

        Raises:
            UnknownEntityError, AmbiguousNameError: when the entity that was asked for is not one.
            UnknownSessionError: when there is no such session.
            DegradedIndexError: when the index's engine fails.
        """
        started = self._around.clock()
        self._gatherer.check_session(asked.session)
        if asked.entity is not None:
            asked = asked.model_copy(update={"entity": self._gatherer.entity_path(asked.entity)})
        named = named_entities(terms(asked.query), self._gatherer.names)
        pool = self._gatherer.gather(asked, named, wide=False)
        ranked = self._ranked(pool, named, by_session=asked.by == "session")
        hits, cut = self._chosen(pool, ranked, asked)
        withheld = bool(cut) or (not hits and self._is_withheld(asked, named))
        return RecallAnswer(
            hits=hits,
            answer=self._kind(found=bool(hits), withheld=withheld),
            tokens=sum(estimate_tokens(hit.text) for hit in hits),
            cut=cut,
            index_lag=self._around.behind,
            degraded=self._missing(pool),
            took_ms=round((self._around.clock() - started) * 1000, 3),
            impaired=self._impaired,
            explain=self._explanation(asked, named, pool, hits) if asked.explain else None,
        )

    def detail(self, ids: Iterable[str], scopes: Container[str] = (SHARED,)) -> list[Hit]:
        """Return chosen documents with their whole text, in the order asked for, live or not.

        Raises NotFoundError that names the first id that is unknown, or not in these scopes.
        """
        asked = list(dict.fromkeys(ids))
        pool = Pool()
        seen = [document for document in self._gatherer.retrieve(asked) if document.scope in scopes]
        pool.add("asked", [Candidate(document, 1.0) for document in seen])
        self._gatherer.look_up(pool)
        if missing := [key for key in asked if key not in pool.documents]:
            raise NotFoundError(f"nothing here has the id {missing[0]!r}", hint="ids are those that recall shows")
        return [self._hit(pool, key, 0.0) for key in asked]

    # --- order -------------------------------------------------------------------------------------------------

    def _ranked(self, pool: Pool, named: set[str], *, by_session: bool) -> list[Fused]:
        """Order what may be shown, best first; sessions in the place of their members when asked to."""
        scored = []
        for one in fuse(pool.open_legs()):
            fact = pool.facts.get(one.id)
            standing = Standing(fact, pool.tiers.get(one.id), named=fact is not None and fact.entity in named)
            factor = multiplier(standing, now=self._around.now)
            scored.append(one._replace(score=one.score + math.log(factor)))
        ranked = sorted(scored, key=lambda one: (-one.score, one.id))
        return self._by_session(pool, ranked) if by_session else ranked

    @staticmethod
    def _by_session(pool: Pool, ranked: list[Fused]) -> list[Fused]:
        """Put sessions in the place of their members; the best member lends its text."""
        best: dict[str, Document] = {}
        for one in ranked:
            document = pool.documents[one.id]
            if document.session is None:
                pool.exits[one.id] = "no_session"
            else:
                best.setdefault(document.session, document)
        grouped = {one.id: pool.documents[one.id].session or "" for one in ranked if one.id not in pool.exits}
        sessions = fuse_groups([one for one in ranked if one.id in grouped], grouped)
        pool.documents = {key: pool.documents[key] for key in pool.exits}
        pool.legs = {leg: {one.id: one.legs[leg] for one in sessions} for leg in ("whole", "best")}
        for name, document in best.items():
            update = {"id": name, "kind": "session", "ref": name, "entity": None}
            pool.documents[name] = document.model_copy(update=update)
        return sessions

    def _chosen(self, pool: Pool, ranked: list[Fused], asked: RecallQuery) -> tuple[list[Hit], list[dict[str, Any]]]:
        """Return the hits and the receipts of what the budget cut; everything else takes its exit."""
        repeated = duplicates([pool.documents[one.id] for one in ranked])
        fresh = [one for one in ranked if one.id not in repeated]
        hits = [self._hit(pool, one.id, one.score, asked) for one in fresh[: asked.limit]]
        costs = {hit.id: estimate_tokens(hit.text) for hit in hits}
        kept, cut = fit_budget(costs, asked.budget)
        pool.exits |= dict.fromkeys(repeated, "duplicate_text")
        pool.exits |= dict.fromkeys((one.id for one in fresh[asked.limit :]), "over_limit")
        pool.exits |= dict.fromkeys(cut, "over_budget")
        receipts = [{"id": key, "kind": pool.documents[key].kind, "tokens": costs[key]} for key in cut]
        return [hit for hit in hits if hit.id in set(kept)], receipts

    def _hit(self, pool: Pool, key: str, score: float, asked: RecallQuery | None = None) -> Hit:
        document, fact = pool.documents[key], pool.facts.get(key)
        return Hit(
            id=key,
            kind=document.kind,
            text=first_line(document.text) if asked and asked.index_only else document.text,
            score=round(shown_score(score), 6),
            date=local_day(document.at, self._around.zone).isoformat() if document.at else None,
            entity=fact.entity if fact else document.entity,
            source=source_words(fact.source) if fact else document.path or document.session,
            tier=pool.tiers.get(key),
            trust=fact.trust if fact else document.trust,
            path=document.path,
            lines=document.lines,
            ref=document.ref,
            session=document.session,
            legs=pool.legs_of(key) if asked and asked.explain else None,
        )

    # --- what kind of answer -----------------------------------------------------------------------------------

    def _is_withheld(self, asked: RecallQuery, named: set[str]) -> bool:
        wide = self._gatherer.gather(asked, named, wide=True)
        return any(why in WITHHOLDING for why in wide.exits.values())

    @property
    def _impaired(self) -> bool:
        return self._index is None or self._around.behind > 0 or bool(self._around.degraded)

    def _kind(self, *, found: bool, withheld: bool) -> str:
        if found:
            return FOUND
        if self._impaired:
            return DEGRADED
        return WITHHELD if withheld else NOTHING_KNOWN

    def _missing(self, pool: Pool) -> list[str]:
        words = list(self._around.degraded)
        if self._index is not None and "dense" not in pool.legs and "whole" not in pool.legs and "lexical" in pool.legs:
            words.append(_WORDS_ONLY)
        if self._around.behind > 0:
            words.append(f"the index is {self._around.behind} journal records behind")
        return words

    def _explanation(self, asked: RecallQuery, named: set[str], pool: Pool, hits: list[Hit]) -> dict[str, Any]:
        wide = self._gatherer.gather(asked, named, wide=True)
        unseen = {key: why for key, why in wide.exits.items() if key not in pool.documents}
        dropped = [{"id": key, "exit": why, "legs": pool.legs_of(key)} for key, why in pool.exits.items()]
        dropped += [{"id": key, "exit": why, "legs": wide.legs_of(key)} for key, why in unseen.items()]
        return {
            "candidates": len(hits) + len(dropped),
            "weights": dict(WEIGHTS),
            "named": sorted(named),
            "dropped": dropped,
        }


def first_line(text: str) -> str:
    """Return the first line of a text that is not blank, cut to 120 characters with an ellipsis."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= _FIRST_LINE_CHARS else line[: _FIRST_LINE_CHARS - 1].rstrip() + "…"


def source_words(source: Source) -> str:
    """Return where a fact came from, in the most telling words that there are."""
    return source.label or source.path or source.session or source.actor.value
