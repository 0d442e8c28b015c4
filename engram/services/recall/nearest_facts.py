"""Which facts are near a statement in meaning, by the index."""

from typing import Any

from engram.language.compare.contradiction.compare import similarity
from engram.ports.index import SearchFilter
from engram.ports.index import VectorIndex

NEAREST = 5  # facts reported
NEAR = 0.6  # similarity from which a fact is reported: cosine of the dense leg, else the share of common words


def similar_facts(index: VectorIndex, entity: str, text: str, scopes: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Return live facts of an entity near a text, nearest first: {"id", "text", "similarity", "by"}.

    `scopes`: only facts of these; empty: of every scope.
    """
    legs = index.search(text, SearchFilter(kinds=("fact",), entity=entity, scopes=scopes), limit=NEAREST)
    by_meaning = {one.document.id: one.score for one in legs.get("dense", ())}
    documents = {one.document.id: one.document for leg in legs.values() for one in leg}
    likeness = {key: by_meaning.get(key, similarity(text, document.text)) for key, document in documents.items()}
    nearest = sorted((key for key in documents if likeness[key] >= NEAR), key=lambda key: (-likeness[key], key))
    return [
        {
            "id": key,
            "text": documents[key].text,
            "similarity": round(likeness[key], 3),
            "by": "meaning" if key in by_meaning else "words",
        }
        for key in nearest[:NEAREST]
    ]
