"""The documents that are nearest to a vector, of words or of a model, among those that a filter admits."""

from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from contextlib import suppress

from engram.errors import DegradedIndexError
from engram.model.sparse import SparseText
from engram.ports.index import REBUILD
from engram.ports.index import Candidate
from engram.ports.index import SearchFilter
from engram.store.index.engine import Engine
from engram.store.index.engine import Payload
from engram.store.index.engine import Where
from engram.store.index.payload import admits
from engram.store.index.payload import is_broad
from engram.store.index.payload import to_document
from engram.store.index.payload import to_where
from engram.store.index.state import DAMAGED

_HEADROOM = 0.25  # share of further points asked for when the filter is applied to the answer


def find_nearest(
    engine: Engine, name: str, vector: SparseText | Sequence[float], wanted: SearchFilter, limit: int
) -> list[Candidate]:
    """Return the documents nearest by the vector of that name, best first, those of one score by id.

    Raises DegradedIndexError for documents that turn out to be damaged.
    """
    with _told_of_damage(engine):
        found = _unfiltered(engine, name, vector, wanted, limit) if is_broad(wanted) else None
        if found is None:
            found = engine.nearest(name, vector, to_where(wanted), limit)
        candidates = [Candidate(to_document(payload), score) for payload, score in found]
    return sorted(candidates, key=lambda candidate: (-candidate.score, candidate.document.id))


@contextmanager
def _told_of_damage(engine: Engine) -> Iterator[None]:
    """Leave a mark on an index whose documents turn out to be damaged: whoever opens it next makes it anew."""
    try:
        yield
    except DegradedIndexError as problem:
        if problem.hint == REBUILD:
            with suppress(OSError):  # a disk that cannot be written
                engine.save_state(DAMAGED)
        raise


def _unfiltered(
    engine: Engine, name: str, vector: SparseText | Sequence[float], wanted: SearchFilter, limit: int
) -> list[tuple[Payload, float]] | None:
    # Checking a condition that nearly all points fulfil costs several times the search itself (measured at a
    # million points: 105 against 34 ms). So the answer is filtered instead, and None says that too few are left.
    asked = limit + int(limit * _HEADROOM)
    found = engine.nearest(name, vector, Where(), asked)
    fit = [(payload, score) for payload, score in found if admits(wanted, payload)]
    return fit[:limit] if len(fit) >= limit or len(found) < asked else None
