"""What is known and not shown, as far as it is about the question: withheld from the asker, or another agent's."""

from engram.language.terms.terms import terms
from engram.model.document import Document
from engram.ports.index import VectorIndex
from engram.rules.recall.eligibility import WITHHOLDING
from engram.rules.recall.relevance import BEST
from engram.rules.recall.relevance import Signs
from engram.rules.recall.relevance import is_relevant
from engram.rules.recall.relevance import words_shared
from engram.services.recall.query import RecallContext
from engram.services.recall.query import RecallQuery
from engram.services.recall.relevance import closeness_of
from engram.services.recall.relevance import far_below
from engram.services.recall.retrieval.candidate_set import CandidateSet
from engram.services.recall.retrieval.candidates import CandidateSource
from engram.services.recall.retrieval.others_text import is_others_text
from engram.services.recall.standing_order import rank


class Hidden:
    """Tells of one state of index and database whether anything about a question is not shown."""

    def __init__(self, gatherer: CandidateSource, index: VectorIndex | None, circumstances: RecallContext) -> None:
        """Keep what the questions are answered from; see `answer.Recall`."""
        self._gatherer = gatherer
        self._index = index
        self._around = circumstances

    def is_withheld(self, asked: RecallQuery, named: set[str]) -> bool:
        """Tell whether something is known that may not be shown, and that is about the question."""
        wide = self._gatherer.gather(asked, named, wide=True)
        return self._is_about(wide, {key for key, why in wide.exits.items() if why in WITHHOLDING}, asked)

    def of_other_agents(self, pool: CandidateSet, named: set[str], asked: RecallQuery) -> list[Document]:
        """Return what other agents wrote that would be among the hits, if it were shown; only the owner hears of it."""
        if not asked.asker().is_owner or asked.surely or asked.by == "session":
            return []
        hidden = {key for key in pool.exits if is_others_text(pool.documents[key], asked)}
        if not self._is_about(pool, hidden, asked):
            return []
        unhidden = pool.without_exits(hidden)
        ranked = rank(unhidden, named, asked.query, self._around.now)
        far = far_below(unhidden, ranked, closeness_of(unhidden, asked, self._index), asked.query)
        first = [one.id for one in ranked if one.id not in far][: asked.limit]
        return [pool.documents[key] for key in first if key in hidden]

    def _is_about(self, wide: CandidateSet, hidden: set[str], asked: RecallQuery) -> bool:
        """Tell whether the best of these candidates, which are not shown, are surely about the question."""
        if not hidden:
            return False
        words, meaning = wide.legs.get("lexical", {}), wide.legs.get("dense", {})
        best = sorted(hidden, key=lambda key: (-words.get(key, 0.0), -meaning.get(key, -1.0), key))[:BEST]
        shared = words_shared(terms(asked.query), map(terms, self._gatherer.searched_texts(best, wide)))
        nearest = max((meaning[key] for key in hidden if key in meaning), default=None)
        closeness = None if nearest is None or self._index is None else self._index.closeness(asked.query, nearest)
        return is_relevant(Signs(shared, closeness), self._around.threshold, surely=True)
