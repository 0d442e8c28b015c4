"""Which facts are near a statement in meaning, by the index."""

from typing import Any

from engram.language.compare.contradiction.compare import similarity
from engram.ports.index import SearchFilter
from engram.ports.index import VectorIndex

NEAREST = 5  # facts reported
NEAR_IN_WORDS = 0.6  # share of common words from which a fact is reported
NEAR_IN_MEANING = 0.65
"""Closeness from which a fact is reported where a model compares: the best F1 on pairs in English, Korean and Russian,
of which one sentence says the same as the other or follows from it. Chosen on two of the languages it is 0.66, 0.66 and
0.72, with an F1 of 0.77, 0.83 and 0.61 on the third. It finds 87 % of those pairs, 0.3 % of pairs about different
things, and 49 % of pairs that say something else about the same thing."""


def similar_facts(index: VectorIndex, entity: str, text: str, scopes: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Return live facts of an entity near a text, nearest first: {"id", "text", "similarity", "by"}.

    `scopes`: only facts of these; empty: of every scope.
    """
    legs = index.search(text, SearchFilter(kinds=("fact",), entity=entity, scopes=scopes), limit=NEAREST)
    told = {one.document.id: index.closeness(text, one.score) for one in legs.get("dense", ())}
    by_meaning = {key: closeness for key, closeness in told.items() if closeness is not None}
    documents = {one.document.id: one.document for leg in legs.values() for one in leg}
    likeness = {key: by_meaning.get(key, similarity(text, document.text)) for key, document in documents.items()}
    near = [key for key in documents if likeness[key] >= (NEAR_IN_MEANING if key in by_meaning else NEAR_IN_WORDS)]
    nearest = sorted(near, key=lambda key: (-likeness[key], key))
    return [
        {
            "id": key,
            "text": documents[key].text,
            "similarity": round(min(1.0, likeness[key]), 3),
            "by": "meaning" if key in by_meaning else "words",
        }
        for key in nearest[:NEAREST]
    ]
