"""The index's rules over an engine: documents become points, words at once and vectors later, and models change places.

Invariant: the kept position never runs ahead of the points that are flushed. Everything here is derived from the
journal, so an index that cannot be used is refused, removed on request and built anew.

A model's vectors have a name of their own in the engine. When the settings name another model, its vectors are made
beside those that are searched; once no document lacks one, they take over and the former ones are dropped. The kept
state says which is which, so that a crash at any point leaves one complete set of vectors in use.
"""

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from engram.language.terms.bm25 import query_terms
from engram.model.document import Document
from engram.ports.index import Candidate
from engram.ports.index import Embedder
from engram.ports.index import SearchFilter
from engram.ports.index import Switched
from engram.ports.index import Unembedded
from engram.ports.index import by_words_alone
from engram.store.index.embedders import Embedders
from engram.store.index.engine import LEXICAL
from engram.store.index.engine import PAGE
from engram.store.index.engine import TEXT
from engram.store.index.engine import Engine
from engram.store.index.engine import Span
from engram.store.index.engine import Where
from engram.store.index.engine import pages
from engram.store.index.engine import point_id
from engram.store.index.nearest import find_nearest
from engram.store.index.overlap import answers_in_common
from engram.store.index.payload import digest_of
from engram.store.index.payload import id_of
from engram.store.index.payload import to_document
from engram.store.index.payload import to_payload
from engram.store.index.payload import to_point
from engram.store.index.state import Model
from engram.store.index.state import Recipes
from engram.store.index.state import State
from engram.store.index.state import roles_beside
from engram.store.index.state import write_state
from engram.store.index.vector_fill import fill
from engram.store.index.vector_fill import give
from engram.store.index.vector_fill import newest_without
from engram.store.index.vector_fill import without

DENSE = "dense"  # the leg of the model's vectors


class DocumentIndex:
    """ports.index.VectorIndex over any engine."""

    def __init__(self, engine: Engine, state: State, embedder: Embedder | None, recipes: Recipes) -> None:
        """Take an engine that is open and its state; make room for the vectors of a model that is new to it."""
        self._engine = engine
        self._state = state
        self._embedders = Embedders(embedder, recipes)
        if (model := self._embedders.model()) is not None:
            self._make_room(model)

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the engine."""
        self.close()

    def close(self) -> None:
        """Let go of files and connections; unflushed points are written again by the next catch-up."""
        self._engine.close()

    # --- what it stands for ------------------------------------------------------------------------------------

    def position(self) -> int:
        """Return the journal position that the points stand for."""
        return self._state.position

    def head_hash(self) -> str:
        """Return the hash of the journal line at that position; empty when it is not known."""
        return self._state.head_hash

    def advance(self, position: int, head_hash: str = "") -> None:
        """Flush the points to the disk, then move the position."""
        self._engine.flush()
        self._keep(position=position, head_hash=head_hash)

    def notes_mark(self) -> str:
        """Return the mark of the list of notes that the points stand for; empty when nobody knows."""
        return self._state.notes

    def keep_notes_mark(self, mark: str) -> None:
        """Flush the points to the disk, then keep the mark."""
        if mark:
            self._engine.flush()
        if mark != self._state.notes:
            self._keep(notes=mark)

    def count(self) -> int:
        """Return how many documents there are."""
        return self._engine.count(Where())

    def digest(self) -> str:
        """Return the SHA-256 over every document's id and content, in id order."""
        return digest_of(self._engine.scan(Where()))

    # --- documents ---------------------------------------------------------------------------------------------

    def upsert(self, documents: Sequence[Document]) -> None:
        """Insert or replace documents by id; of two with one id the later counts."""
        self._unsay_filled()
        latest = list({document.id: document for document in documents}.values())
        for first in range(0, len(latest), PAGE):
            self._engine.insert([to_point(one) for one in latest[first : first + PAGE]])

    def refit(self, documents: Sequence[Document]) -> None:
        """Replace what is kept of documents whose searched text is the same as before: they keep their vectors."""
        for one in documents:
            self._engine.replace_payload(point_id(one.id), to_payload(one))

    def delete(self, ids: Iterable[str]) -> None:
        """Remove documents; ids that are not here are left out."""
        for page in pages(map(point_id, dict.fromkeys(ids))):
            self._engine.delete(page)

    def ids_by_path(self, kinds: Sequence[str]) -> dict[str, list[str]]:
        """Return path -> ids of all documents of these kinds that have a path."""
        found: dict[str, list[str]] = {}
        for payload in self._engine.scan(Where({"kind": tuple(kinds)})):
            if path := payload.get("path"):
                found.setdefault(path, []).append(id_of(payload))
        return found

    def set_live(self, ids: Iterable[str], *, live: bool) -> None:
        """Mark documents as live or not; ids that are not here are left out."""
        for page in pages(map(point_id, dict.fromkeys(ids))):
            if known := [point_id(id_of(payload)) for payload in self._engine.fetch(page)]:
                self._engine.set_fields(known, {"live": int(live)})

    def retrieve(self, ids: Iterable[str]) -> list[Document]:
        """Return the documents with these ids, in the order asked for; unknown ids are left out."""
        asked = list(dict.fromkeys(ids))
        found = {
            id_of(payload): to_document(payload)
            for page in pages(map(point_id, asked))
            for payload in self._engine.fetch(page)
        }
        return [found[key] for key in asked if key in found]

    def said_before(self, session: str, ordinal: int, count: int) -> list[Document]:
        """Return a session's documents at the `count` places before one, as far as the position stands for them."""
        places = Span(max(0, ordinal - count), ordinal)
        known = Span(None, self._state.position + 1)  # what a crash left beyond it will come again
        where = Where({"session": (session,)}, {"ordinal": places, "position": known})
        return [to_document(payload) for payload in self._engine.scan(where)]

    # --- searching ---------------------------------------------------------------------------------------------

    def search(
        self, query: str, wanted: SearchFilter, *, limit: int, by_meaning: bool = True
    ) -> Mapping[str, list[Candidate]]:
        """Return the candidates of each leg, best first; "dense" is absent while its model cannot be had."""
        sparse = query_terms(query)
        legs = {LEXICAL: find_nearest(self._engine, LEXICAL, sparse, wanted, limit) if sparse.indices else []}
        model = self._state.serving if by_meaning else None
        if model is not None and (vector := self._embedders.vector_of(query, model)) is not None:
            legs[DENSE] = find_nearest(self._engine, model.vector, vector, wanted, limit)
        return legs

    def model(self) -> str | None:
        """Return the name of the model whose vectors are searched; None while words alone are."""
        model = self._state.serving
        return model.name if model is not None and self._embedders.of(model) is not None else None

    def closeness(self, question: str, cosine: float) -> float | None:
        """Return how close a text lies to a question by its "dense" score; None when the model cannot tell."""
        return self._embedders.closeness(question, cosine, self._state.serving)

    def missing(self) -> tuple[str, ...]:
        """Say in sentences what the answers lack by meaning; empty when nothing."""
        if self._embedders.unusable:
            return (self._embedders.unusable,)
        left, coming = self.pending(), self._state.coming
        if coming is not None and self._embedders.present is not None:
            searched = (
                "" if self._embedders.of(self._state.serving) else ", and until then nothing is found by its meaning"
            )
            return (f"the embedding model changes to {coming.name}: {by_words_alone(left)}{searched}",)
        return (by_words_alone(left),) if left else ()

    # --- vectors -----------------------------------------------------------------------------------------------

    def pending(self) -> int:
        """Return how many documents lack the vector of the model in use; 0 without a model."""
        model = self._filling()
        return self._engine.count(without(model.vector)) if model and not self._is_filled(model) else 0

    def embed_pending(self, budget_s: float | None, clock: Callable[[], float]) -> int:
        """Embed what is pending, newest first, beginning nothing after `budget_s` seconds; return how many are left."""
        model = self._filling()
        if model is None or self._embedders.present is None or self._is_filled(model):
            return 0
        ends = None if budget_s is None else clock() + budget_s
        if not fill(self._engine, model.vector, self._embedders.present, lambda: ends is not None and clock() >= ends):
            return self.pending()
        self._keep(filled=model.vector, unembedded=0)
        return 0

    def unembedded(self, limit: int) -> list[Unembedded]:
        """Return documents that lack the vector of the model in use, newest first; none without a model."""
        model = self._filling()
        if model is None or self._is_filled(model):
            return []
        found = newest_without(self._engine, model.vector, limit)
        if not found:
            self._engine.flush()
            self._keep(filled=model.vector, unembedded=0)
        return [Unembedded(id_of(payload), payload[TEXT]) for payload in found]

    def give_vectors(self, vectors: Mapping[Unembedded, Sequence[float]]) -> None:
        """Give documents the vectors that were made of them, as far as they are still here with that text."""
        model = self._filling()
        if model is not None and vectors:
            give(self._engine, model.vector, vectors)
            self._engine.flush()
            self._keep(given=self._state.given + len(vectors))

    def note_unembedded(self) -> int:
        """Keep how many documents lack a vector, for who asks without opening the index; return that number."""
        left = self.pending()
        if left != self._state.unembedded:
            self._keep(unembedded=left)
        return left

    def unembedded_before(self) -> int:
        """Return the number that `note_unembedded` kept last."""
        return self._state.unembedded

    def finish_model_switch(self) -> Switched | None:
        """Let a model whose vectors are complete take over from the former one; None when nothing changed."""
        former, model = self._state.serving, self._state.coming
        if former is None or model is None or self.pending():
            return None
        overlap = answers_in_common(self._engine, former.vector, model.vector)
        self._engine.flush()
        self._keep(serving=model, coming=None)
        self._engine.drop_vector(former.vector)
        return Switched(former.name, model.name, overlap)

    def tidy(self) -> None:
        """Drop the vectors of models that are neither searched nor being made."""
        wanted = {model.vector for model in (self._state.serving, self._state.coming) if model}
        for name in self._engine.vector_names() - wanted:
            if name == self._state.filled:
                self._unsay_filled()
            self._engine.drop_vector(name)

    # --- inside ------------------------------------------------------------------------------------------------

    def _make_room(self, model: Model) -> None:
        """Make room for the vectors of the embedder's model."""
        if model.vector not in self._engine.vector_names():
            self._engine.add_vector(model.vector, model.dimensions)
            self._engine.flush()
        if (roles := roles_beside(self._state, model)) != {
            "serving": self._state.serving,
            "coming": self._state.coming,
        }:
            self._keep(**roles)

    def _filling(self) -> Model | None:
        """Return the model whose vectors are being made: that of the embedder at hand."""
        if self._embedders.present is None:
            return None
        return self._state.coming or self._state.serving

    def _is_filled(self, model: Model) -> bool:
        # Asking the engine takes milliseconds at every recall; most find nothing new.
        return self._state.filled == model.vector

    def _unsay_filled(self) -> None:
        if self._state.filled:
            self._keep(filled="")

    def _keep(self, **changed: object) -> None:
        self._state = self._state.model_copy(update=changed)
        self._engine.save_state(write_state(self._state))
