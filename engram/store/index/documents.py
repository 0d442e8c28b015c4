"""The index's rules over an engine: documents become points, words at once and vectors later, and models change places.

Invariant: the kept position never runs ahead of the points that are flushed. Everything here is derived from the
journal, so an index that cannot be used is refused, removed on request and built anew.

A model's vectors have a name of their own in the engine. When the settings name another model, its vectors are made
beside those that are searched; once no document lacks one, they take over and the former ones are dropped. The kept
state says which is which, so that a crash at any point leaves one complete set of vectors in use.
"""

import json
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import contextmanager
from contextlib import suppress
from types import TracebackType
from typing import Self

from engram.base.log import warn
from engram.base.text import sha256_hex
from engram.errors import DegradedIndexError
from engram.errors import EmbeddingError
from engram.errors import EngramError
from engram.language.terms.bm25 import document_terms
from engram.language.terms.bm25 import query_terms
from engram.model.document import Document
from engram.model.sparse import SparseText
from engram.ports.index import REBUILD
from engram.ports.index import Candidate
from engram.ports.index import Embedder
from engram.ports.index import SearchFilter
from engram.ports.index import Switched
from engram.ports.index import Unembedded
from engram.ports.index import by_words_alone
from engram.store.index.engine import LEXICAL
from engram.store.index.engine import PAGE
from engram.store.index.engine import TEXT
from engram.store.index.engine import Engine
from engram.store.index.engine import NewPoint
from engram.store.index.engine import Payload
from engram.store.index.engine import Span
from engram.store.index.engine import Where
from engram.store.index.engine import pages
from engram.store.index.engine import point_id
from engram.store.index.overlap import answers_in_common
from engram.store.index.payload import admits
from engram.store.index.payload import content_of
from engram.store.index.payload import id_of
from engram.store.index.payload import is_broad
from engram.store.index.payload import to_document
from engram.store.index.payload import to_payload
from engram.store.index.payload import to_where
from engram.store.index.state import DAMAGED
from engram.store.index.state import Model
from engram.store.index.state import Recipes
from engram.store.index.state import State
from engram.store.index.state import model_of
from engram.store.index.state import write_state
from engram.store.index.vector_fill import give
from engram.store.index.vector_fill import newest_without
from engram.store.index.vector_fill import without

DENSE = "dense"  # the leg of the model's vectors
_BATCH = 32  # texts embedded between two looks at the clock
_HEADROOM = 0.25  # share of further points asked for when the filter is applied to the answer


class DocumentIndex:
    """ports.index.VectorIndex over any engine."""

    def __init__(self, engine: Engine, state: State, embedder: Embedder | None, recipes: Recipes) -> None:
        """Take an engine that is open and its state; make room for the vectors of a model that is new to it."""
        self._engine = engine
        self._state = state
        self._embedder = embedder
        self._recipes = recipes
        self._former: tuple[Embedder | None] | None = None  # the serving model made again, once it was tried
        self._unusable = ""  # why the embedder at hand is not used
        if embedder is not None:
            try:
                self._make_room(model_of(embedder, recipes.present))
            except EmbeddingError as problem:  # such as a service that never told how long its vectors are
                self._embedder = None
                self._unusable = f"no embedding model: {problem.message} ({problem.hint})"

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
        payloads = map(content_of, self._engine.scan(Where()))
        lines = sorted((id_of(payload), sha256_hex(json.dumps(payload, sort_keys=True))) for payload in payloads)
        return sha256_hex("".join(f"{key} {digest}\n" for key, digest in lines))

    # --- documents ---------------------------------------------------------------------------------------------

    def upsert(self, documents: Sequence[Document]) -> None:
        """Insert or replace documents by id; of two with one id the later counts."""
        self._unsay_filled()
        latest = list({document.id: document for document in documents}.values())
        for first in range(0, len(latest), PAGE):
            self._engine.insert(
                [
                    NewPoint(point_id(one.id), document_terms(one.indexed_text, one.context), to_payload(one))
                    for one in latest[first : first + PAGE]
                ]
            )

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
        legs = {LEXICAL: self._nearest(LEXICAL, sparse, wanted, limit) if sparse.indices else []}
        model, embedder = self._state.serving, self._searching_embedder() if by_meaning else None
        if model is not None and embedder is not None:
            try:
                vector = embedder.embed_query(query)
            except EngramError as problem:  # such as an endpoint that does not answer
                warn(f"searched by words only: {problem.message} ({problem.hint})")
            else:
                legs[DENSE] = self._nearest(model.vector, vector, wanted, limit)
        return legs

    def model(self) -> str | None:
        """Return the name of the model whose vectors are searched; None while words alone are."""
        model = self._state.serving
        return model.name if model is not None and self._searching_embedder() is not None else None

    def closeness(self, question: str, cosine: float) -> float | None:
        """Return how close a text lies to a question by its "dense" score; None when the model cannot tell."""
        embedder = self._searching_embedder()
        try:
            return None if embedder is None else embedder.closeness(question, cosine)
        except EngramError as problem:  # such as an endpoint that does not answer
            warn(f"judged by words only: {problem.message} ({problem.hint})")
            return None

    def missing(self) -> tuple[str, ...]:
        """Say in sentences what the answers lack by meaning; empty when nothing."""
        if self._unusable:
            return (self._unusable,)
        left, coming = self.pending(), self._state.coming
        if coming is not None and self._embedder is not None:
            searched = "" if self._searching_embedder() else ", and until then nothing is found by its meaning"
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
        if model is None or self._embedder is None or self._is_filled(model):
            return 0
        started = clock()
        while page := newest_without(self._engine, model.vector, PAGE):
            page.sort(key=lambda payload: len(payload[TEXT]))  # a batch is as slow as its longest text
            for first in range(0, len(page), _BATCH):
                if budget_s is not None and clock() - started >= budget_s:
                    self._engine.flush()
                    return self.pending()
                self._embed(self._embedder, model, page[first : first + _BATCH])
            self._engine.flush()
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

    def settle(self) -> Switched | None:
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
        """Make the embedder's model the serving one when there is none, else the coming one."""
        serving, coming = self._state.serving, self._state.coming
        if serving is None or serving.name == model.name:
            wanted = {"serving": serving or model, "coming": None}
        else:
            wanted = {"serving": serving, "coming": coming if coming and coming.name == model.name else model}
        if model.vector not in self._engine.vector_names():
            self._engine.add_vector(model.vector, model.dimensions)
            self._engine.flush()
        if wanted != {"serving": serving, "coming": coming}:
            self._keep(**wanted)

    def _filling(self) -> Model | None:
        """Return the model whose vectors are being made: that of the embedder at hand."""
        if self._embedder is None:
            return None
        return self._state.coming or self._state.serving

    def _is_filled(self, model: Model) -> bool:
        # Asking the engine takes milliseconds at every recall; most find nothing new.
        return self._state.filled == model.vector

    def _unsay_filled(self) -> None:
        if self._state.filled:
            self._keep(filled="")

    def _searching_embedder(self) -> Embedder | None:
        """Return the model that made the vectors that are searched, made again when the settings name another."""
        serving = self._state.serving
        if serving is None or (self._embedder is not None and self._embedder.name == serving.name):
            return self._embedder
        if self._embedder is None:
            return None
        if self._former is None:
            made = self._recipes.remake(serving.recipe)
            self._former = (made if made is not None and made.name == serving.name else None,)
        return self._former[0]

    def _embed(self, embedder: Embedder, model: Model, payloads: Sequence[Payload]) -> None:
        vectors = embedder.embed_passages([payload[TEXT] for payload in payloads])
        ids = [point_id(id_of(payload)) for payload in payloads]
        self._engine.set_vectors(model.vector, dict(zip(ids, vectors, strict=True)))

    def _nearest(
        self, name: str, vector: SparseText | Sequence[float], wanted: SearchFilter, limit: int
    ) -> list[Candidate]:
        with self._told_of_damage():
            found = self._unfiltered(name, vector, wanted, limit) if is_broad(wanted) else None
            if found is None:
                found = self._engine.nearest(name, vector, to_where(wanted), limit)
            candidates = [Candidate(to_document(payload), score) for payload, score in found]
        return sorted(candidates, key=lambda candidate: (-candidate.score, candidate.document.id))

    @contextmanager
    def _told_of_damage(self) -> Iterator[None]:
        """Leave a mark on an index whose documents turn out to be damaged: whoever opens it next makes it anew."""
        try:
            yield
        except DegradedIndexError as problem:
            if problem.hint == REBUILD:
                with suppress(OSError):  # a disk that cannot be written
                    self._engine.save_state(DAMAGED)
            raise

    def _unfiltered(
        self, name: str, vector: SparseText | Sequence[float], wanted: SearchFilter, limit: int
    ) -> list[tuple[Payload, float]] | None:
        # Checking a condition that nearly all points fulfil costs several times the search itself (measured at a
        # million points: 105 against 34 ms). So the answer is filtered instead, and None says that too few are left.
        asked = limit + int(limit * _HEADROOM)
        found = self._engine.nearest(name, vector, Where(), asked)
        fit = [(payload, score) for payload, score in found if admits(wanted, payload)]
        return fit[:limit] if len(fit) >= limit or len(found) < asked else None

    def _keep(self, **changed: object) -> None:
        self._state = self._state.model_copy(update=changed)
        self._engine.save_state(write_state(self._state))
