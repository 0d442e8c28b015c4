"""The vector index and the embedder: what recall searches with."""

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import NamedTuple
from typing import Protocol

from engram.model.document import Document


class SparseText(NamedTuple):
    """A text as weighted terms: parallel tuples."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


class SearchFilter(NamedTuple):
    """Which documents may be found; an empty field does not filter. Scopes and liveness always filter."""

    kinds: tuple[str, ...] = ()
    entity: str = ""
    session: str = ""
    scopes: tuple[str, ...] = ("shared",)  # empty: every scope (asked for by name only)
    since: float | None = None  # epoch seconds, inclusive
    until: float | None = None  # epoch seconds, exclusive
    live_only: bool = True


class Candidate(NamedTuple):
    """One document that a leg found."""

    document: Document
    score: float  # of that leg; order within the leg only


class VectorIndex(Protocol):
    """Documents with a sparse and, when there is an embedder, a dense vector.

    Idempotence: upsert and delete are by document id. Order: the position moves after the points are flushed, so a
    crash repeats work. Errors: DegradedIndexError when it cannot be opened. Limits: one owner at a time, under the
    index lock.
    """

    def position(self) -> int:
        """Return the journal position that the points stand for."""
        ...

    def upsert(self, documents: Sequence[Document]) -> None:
        """Insert or replace documents by id."""
        ...

    def set_live(self, ids: Iterable[str], *, live: bool) -> None:
        """Mark documents as live or not."""
        ...

    def advance(self, position: int) -> None:
        """Flush, then move the position."""
        ...

    def search(self, query: str, wanted: SearchFilter, *, limit: int) -> Mapping[str, list[Candidate]]:
        """Return the candidates of each leg ("lexical", "dense"), best first; a leg that is not there is absent."""
        ...

    def retrieve(self, ids: Iterable[str]) -> list[Document]:
        """Return the documents with these ids, in the order asked for; unknown ids are left out."""
        ...

    def count(self) -> int:
        """Return how many documents there are."""
        ...

    def digest(self) -> str:
        """Return the SHA-256 over every document's id and content, in id order; equal content, equal digest."""
        ...


class Embedder(Protocol):
    """A model that turns text into vectors of one length."""

    name: str  # model, source and prefix scheme, stamped into the index
    dimensions: int

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector per text, in order."""
        ...

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a question."""
        ...
