"""How much two models' vectors agree, asked of the vectors themselves: no text is embedded for it."""

from engram.store.index.engine import Engine
from engram.store.index.engine import Where
from engram.store.index.engine import point_id
from engram.store.index.payload import id_of

_SAMPLE = 50  # documents whose neighbours are compared
_NEIGHBOURS = 10


def answers_in_common(engine: Engine, one: str, other: str) -> float | None:
    """Return the mean share of common documents among the nearest ten, a sample of documents being the questions.

    One and other are names of vectors. None when no document has both.
    """
    shares = []
    for payload in engine.last(Where(), order_by="position", limit=_SAMPLE):
        found = [_neighbours(engine, id_of(payload), name) for name in (one, other)]
        if all(found):
            shares.append(len(found[0] & found[1]) / max(map(len, found)))
    return sum(shares) / len(shares) if shares else None


def _neighbours(engine: Engine, document_id: str, name: str) -> set[str]:
    vectors = engine.vectors_of([point_id(document_id)], name)
    return {id_of(payload) for vector in vectors for payload, _ in engine.nearest(name, vector, Where(), _NEIGHBOURS)}
