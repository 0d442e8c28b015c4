"""The seam between the index's rules and an engine that holds points: ids, vectors, payloads, conditions.

Both engines are Qdrant's, one inside this process and one behind a connection; only their client libraries differ.
"""

import uuid
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple
from typing import Protocol

from engram.model.sparse import SparseText

LEXICAL = "lexical"  # the sparse vector: BM25 weights of terms, the IDF part added by the engine
PAGE = 1000  # points read or written at a time
TEXT = "indexed_text"  # the payload field that only embedding needs
KEYWORDS = ("kind", "entity", "session", "scope")  # payload fields that are compared for equality
WORDS_ONLY = "words_only"  # 1: what has it never gets a vector
WHOLE = ("live", "ordinal", "position", WORDS_ONLY)  # payload fields with whole numbers
DECIMAL = ("at_s",)  # payload fields with decimal ones

Payload = dict[str, Any]

_NAMESPACE = uuid.UUID("4f0c7a1e-0d6b-5d5e-9a43-2f1f8f3f6a77")  # of point ids


class Span(NamedTuple):
    """A range of numbers; None: open on that side."""

    first: float | None = None  # inclusive
    end: float | None = None  # exclusive


class Where(NamedTuple):
    """Conditions that hold together."""

    among: Mapping[str, Sequence[str | int]] = {}  # field -> values of which it holds one
    within: Mapping[str, Span] = {}  # field -> range in which it lies
    up_to: Mapping[str, float] = {}  # field -> number that it does not exceed, if it is there
    ids: Sequence[uuid.UUID] = ()  # points of which it is one
    lacks: str = ""  # name of a vector that is not there
    without: str = ""  # name of a field that does not hold 1


class NewPoint(NamedTuple):
    """A point as it is inserted: known by its words."""

    id: uuid.UUID
    sparse: SparseText
    payload: Payload


class Engine(Protocol):
    """Points in one collection. Errors: DegradedIndexError when it cannot be used, StoreBusyError when it is taken."""

    def insert(self, points: Sequence[NewPoint]) -> None:
        """Insert or replace points; a replaced one loses its dense vectors."""
        ...

    def replace_payload(self, key: uuid.UUID, payload: Payload) -> None:
        """Give a point that is there another payload; it keeps its vectors."""
        ...

    def delete(self, ids: Sequence[uuid.UUID]) -> None:
        """Remove points; ids that are not there are left out."""
        ...

    def set_fields(self, ids: Sequence[uuid.UUID], fields: Payload) -> None:
        """Set payload fields of points that are there."""
        ...

    def set_vectors(self, name: str, vectors: Mapping[uuid.UUID, Sequence[float]]) -> None:
        """Give points that are there a dense vector."""
        ...

    def vector_names(self) -> set[str]:
        """Return the names of the dense vectors that points can have."""
        ...

    def add_vector(self, name: str, dimensions: int) -> None:
        """Let points have a dense vector of that name, compared by cosine."""
        ...

    def drop_vector(self, name: str) -> None:
        """Take a dense vector from every point."""
        ...

    def nearest(
        self, name: str, vector: SparseText | Sequence[float], where: Where, limit: int
    ) -> list[tuple[Payload, float]]:
        """Return (payload without its text, score) of the nearest points, best first."""
        ...

    def fetch(self, ids: Sequence[uuid.UUID]) -> list[Payload]:
        """Return whole payloads of the points that are there, in any order."""
        ...

    def vectors_of(self, ids: Sequence[uuid.UUID], name: str) -> list[list[float]]:
        """Return the dense vectors of the points that have one of that name, in any order."""
        ...

    def scan(self, where: Where) -> Iterator[Payload]:
        """Yield the whole payload of every point for which the conditions hold, in any order."""
        ...

    def last(self, where: Where, *, order_by: str, limit: int) -> list[Payload]:
        """Return whole payloads of the points with the largest numbers in a field; points without it are left out."""
        ...

    def count(self, where: Where) -> int:
        """Return for how many points the conditions hold."""
        ...

    def flush(self) -> None:
        """Return when everything that was written survives a crash."""
        ...

    def load_state(self) -> bytes | None:
        """Return what `save_state` kept last; None at the beginning."""
        ...

    def save_state(self, state: bytes) -> None:
        """Keep a few bytes about the whole collection, all or nothing."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


def point_id(document_id: str) -> uuid.UUID:
    """Return the id of a document's point."""
    return uuid.uuid5(_NAMESPACE, document_id)


def pages(ids: Iterable[uuid.UUID]) -> Iterator[list[uuid.UUID]]:
    """Yield ids in lists of a bounded size."""
    known = list(ids)
    for first in range(0, len(known), PAGE):
        yield known[first : first + PAGE]
