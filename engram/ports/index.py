"""The vector index and the embedder: what recall searches with."""

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import NamedTuple
from typing import Protocol

from engram.base.counts import counted
from engram.model.document import Document

REBUILD = "engram rebuild index makes it anew from the journal"  # the hint of every error that this mends


class SearchFilter(NamedTuple):
    """Which documents may be found; an empty field does not filter. Scopes and liveness always filter."""

    kinds: tuple[str, ...] = ()
    entity: str = ""
    session: str = ""
    scopes: tuple[str, ...] = ("shared",)  # empty: every scope (asked for by name only)
    since: float | None = None  # epoch seconds, inclusive
    until: float | None = None  # epoch seconds, exclusive
    live_only: bool = True
    said_by: float | None = None  # epoch seconds, inclusive; what has no date is let through
    ids: tuple[str, ...] = ()  # documents of which it is one; thousands are no trouble


class Candidate(NamedTuple):
    """One document that a leg found."""

    document: Document  # without its indexed text
    score: float  # of that leg; order within the leg only


class Switched(NamedTuple):
    """That another embedding model has taken over."""

    former: str  # name of the model
    present: str
    overlap: float | None  # share of common documents among the nearest ten, 0 to 1; None: nothing to compare


class Unembedded(NamedTuple):
    """A document that has no vector yet."""

    id: str
    text: str  # that is to be embedded


def by_words_alone(texts: int) -> str:
    """Say of so many texts that they have no vector yet, for whoever reads an answer."""
    found = "is found by its words" if texts == 1 else "are found by their words"
    return f"{counted(texts, 'text')} {found} alone until later runs have embedded the rest"


class VectorIndex(Protocol):
    """Documents with a sparse and, once it is embedded, a dense vector.

    Two stages: `upsert` makes a document known by its words at once; `embed_pending` gives it the vector of the model
    later. Idempotence: upsert and delete are by document id. Order: the position moves after the points are flushed, so
    a crash repeats work. Errors: DegradedIndexError when it cannot be opened or used. Limits: an index in a folder has
    one owner at a time, under the index lock.
    """

    def position(self) -> int:
        """Return the journal position that the points stand for."""
        ...

    def head_hash(self) -> str:
        """Return the hash of the journal line at that position; empty when it is not known."""
        ...

    def upsert(self, documents: Sequence[Document]) -> None:
        """Insert or replace documents by id, without their vectors of the model."""
        ...

    def set_live(self, ids: Iterable[str], *, live: bool) -> None:
        """Mark documents as live or not."""
        ...

    def refit(self, documents: Sequence[Document]) -> None:
        """Replace what is kept of documents whose searched text is the same as before: they keep their vectors."""
        ...

    def delete(self, ids: Iterable[str]) -> None:
        """Remove documents; ids that are not here are left out."""
        ...

    def ids_by_path(self, kinds: Sequence[str]) -> dict[str, list[str]]:
        """Return path -> ids of all documents of these kinds that have a path, in any order."""
        ...

    def advance(self, position: int, head_hash: str = "") -> None:
        """Flush, then move the position; the hash is that of the journal line there."""
        ...

    def notes_mark(self) -> str:
        """Return the mark under which it is noted elsewhere which notes the index holds; empty when nobody knows."""
        ...

    def keep_notes_mark(self, mark: str) -> None:
        """Flush, then keep that mark; an empty one before the documents of notes are touched."""
        ...

    def said_before(self, session: str, ordinal: int, count: int) -> list[Document]:
        """Return a session's documents at the `count` places before one, as far as the position stands for them."""
        ...

    def pending(self) -> int:
        """Return how many documents lack the vector of the model in use; 0 without a model."""
        ...

    def embed_pending(self, budget_s: float | None, clock: Callable[[], float]) -> int:
        """Embed what is pending, newest first, beginning nothing after `budget_s` seconds; return how many are left."""
        ...

    def unembedded(self, limit: int) -> list[Unembedded]:
        """Return documents that lack the vector of the model in use, newest first; none without a model."""
        ...

    def give_vectors(self, vectors: Mapping[Unembedded, Sequence[float]]) -> None:
        """Give documents the vectors that were made of them, as far as they are still here with that text."""
        ...

    def note_unembedded(self) -> int:
        """Keep how many documents lack a vector, for who asks without opening the index; return that number."""
        ...

    def finish_model_switch(self) -> Switched | None:
        """Let a model whose vectors are complete take over from the former one; None when nothing changed."""
        ...

    def missing(self) -> tuple[str, ...]:
        """Say in sentences what the answers lack by meaning; empty when nothing."""
        ...

    def search(
        self, query: str, wanted: SearchFilter, *, limit: int, by_meaning: bool = True
    ) -> Mapping[str, list[Candidate]]:
        """Return the candidates of each leg ("lexical", "dense"), best first; a leg that is not there is absent.

        Without `by_meaning` only the lexical one is searched, and nothing is embedded.
        """
        ...

    def model(self) -> str | None:
        """Return the name of the model whose vectors are searched; None while words alone are."""
        ...

    def closeness(self, question: str, cosine: float) -> float | None:
        """Return how close a text lies to a question by its "dense" score: 0 like unrelated ones, 1 like the question.

        None without a model, or when it cannot tell.
        """
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

    def close(self) -> None:
        """Let go of files and connections."""
        ...


class Embedder(Protocol):
    """A model that turns text into vectors of one length."""

    name: str  # model, source and prefix scheme, stamped into the index

    @property
    def dimensions(self) -> int:
        """Return the length of the vectors. Raises EmbeddingError where only the model can tell, and does not."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector per text, in order. Raises EmbeddingError."""
        ...

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a question. Raises EmbeddingError."""
        ...

    def closeness(self, question: str, cosine: float) -> float:
        """Return how close a text lies to a question by their cosine: 0 like unrelated ones, 1 like the question.

        Comparable between models and scripts, which cosines are not. Raises EmbeddingError.
        """
        ...


class PassageVectors(Protocol):
    """Vectors of the texts that the index embeds, for others who can use them; each text is embedded once.

    What is made is kept in the cache by content, where the index finds it later, and the other way round. Texts are
    told apart to the letter: ask for what the index will ask for (`note_text` and `turn_text` of `services.index`).
    Several processes may ask at once; nothing is locked meanwhile.
    """

    name: str  # model, source and prefix scheme: vectors of different names cannot be compared

    def embed_within(
        self, texts: Sequence[str], budget_s: float | None, clock: Callable[[], float] = ...
    ) -> list[list[float] | None]:
        """Return, in the order of the texts, the unit vector of each that is known or could be made in time, else None.

        Known ones cost about 20 microseconds each. New ones are made in the order given (in lots, within which the
        shortest come first), and no batch is begun after `budget_s` seconds: 0 makes none, None makes all.

        Raises EmbeddingError when the model cannot be used.
        """
        ...
