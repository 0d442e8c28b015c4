"""Searching by words without the index: slower, facts only, and better than no answer while the index is unusable."""

import datetime as dt
import math
from collections import Counter
from collections.abc import Sequence

from engram.language.terms.terms import terms
from engram.model.document import CANDIDATE
from engram.model.document import Document
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.ports.index import Candidate
from engram.ports.index import SearchFilter
from engram.services.facts.held_at import held_at
from engram.services.index.documents import fact_document
from engram.services.recall.query import RecallQuery

_K1 = 0.9  # how fast repeating a term stops counting, as in the index; facts are short, so length does not count


def search_facts(
    database: FactDatabase, question: str, wanted: SearchFilter, past: RecallQuery | None, zone: dt.tzinfo
) -> list[Candidate]:
    """Search the store's facts, best first; of a question about the past those that held then."""
    if "fact" not in wanted.kinds:
        return []
    statuses = ("active", *([CANDIDATE] if CANDIDATE in wanted.kinds else [])) if wanted.live_only else ("all",)
    filters = [
        FactFilter(entity=wanted.entity, status=status, scopes=wanted.scopes, ids=wanted.ids) for status in statuses
    ]
    facts = [fact for one in filters for fact in database.list_facts(one)]
    since, until = wanted.since or -math.inf, wanted.until or math.inf
    if past is not None:
        facts = held_at(facts, past.as_of, past.as_known)
    timely = [fact for fact in facts if since <= fact.valid_from.timestamp() < until]
    return match_words(question, [fact_document(fact, zone) for fact in timely])


def match_words(question: str, documents: Sequence[Document]) -> list[Candidate]:
    """Return the documents that share a term with the question, best first; rare terms count more."""
    counts = {document.id: Counter(terms(document.indexed_text)) for document in documents}
    asked = dict.fromkeys(terms(question))
    holders = {term: sum(term in found for found in counts.values()) for term in asked}
    weights = {term: math.log1p((len(documents) - held + 0.5) / (held + 0.5)) for term, held in holders.items()}
    scored = [
        Candidate(document, math.fsum(weights[term] * _repeated(counts[document.id][term]) for term in asked))
        for document in documents
    ]
    return sorted((one for one in scored if one.score > 0), key=lambda one: (-one.score, one.document.id))


def _repeated(count: int) -> float:
    return count * (_K1 + 1) / (count + _K1)
