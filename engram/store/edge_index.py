"""The vector index in an embedded Qdrant shard: what lies on disk, and how documents become points.

Invariant: the position in `state.json` never runs ahead of the points that are flushed in `shard/`. Everything here is
derived from the journal, so an index that cannot be used is refused, removed on request and built anew.

The engine's errors are bare `Exception`s (and `PanicException` for damaged files); they do not pass this module.
"""

import json
import shutil
import uuid
import zlib
from collections import Counter
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING
from typing import Annotated
from typing import Any
from typing import NamedTuple

from pydantic import Field
from pydantic import TypeAdapter
from pydantic import ValidationError

from engram.base.files import write_durably
from engram.base.text import sha256_hex
from engram.errors import DegradedIndexError
from engram.errors import StoreBusyError
from engram.language.lexical import terms
from engram.model.document import Document
from engram.ports.index import Candidate
from engram.ports.index import Embedder
from engram.ports.index import SearchFilter
from engram.ports.index import SparseText

if TYPE_CHECKING:
    import qdrant_edge

FORMAT = 1  # of the shard, the payload and the term weights; another number means: rebuild
LEXICAL = "lexical"  # the sparse vector: BM25 weights of terms
DENSE = "dense"  # the embedder's vector, cosine

_K1 = 0.9  # how fast repeating a term stops counting
_B = 0.6  # how much a long text is discounted
_AVERAGE_TERMS = 20.0  # fixed, so that a document's weights do not depend on what else was there when it came
# Measured with k1 0.9 on conversations of short turns (a gold turn among the first ten of 1,015 questions) and on chats
# with long replies (of 176): average 40, b 0.4: .725 and .642; 20, 0.6: .714 and .705; 200, 0.4: .732 and .500.
_PAGE = 1000  # points read or written at a time
_NAMESPACE = uuid.UUID("4f0c7a1e-0d6b-5d5e-9a43-2f1f8f3f6a77")  # of point ids
_REBUILD = "engram rebuild index makes it anew from the journal"
_KEYWORDS = ("kind", "entity", "session", "scope")  # payload fields that are filtered by equality


class _State(NamedTuple):
    format: int
    position: Annotated[int, Field(ge=0)]
    embedder: str | None
    dimensions: int | None


_STATE = TypeAdapter(_State)


class EdgeVectorIndex:
    """ports.index.VectorIndex over one shard. One owner at a time: hold the index lock around it."""

    def __init__(self, folder: Path, embedder: Embedder | None) -> None:
        """Open the index in the folder, or make an empty one at position 0.

        Raises DegradedIndexError when it is damaged, of another format or made with another embedder, StoreBusyError
        when another process has it open.
        """
        self._folder = folder
        self._embedder = embedder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        wanted = _State(FORMAT, 0, embedder.name if embedder else None, embedder.dimensions if embedder else None)
        self._state = self._read_state() or wanted
        self._check_same(wanted)
        self._shard = self._open()

    def __enter__(self) -> "EdgeVectorIndex":
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the shard."""
        self.close()

    @classmethod
    def destroy(cls, folder: Path) -> None:
        """Remove everything that lies in the folder, so that the next opening begins at position 0."""
        (folder / "state.json").unlink(missing_ok=True)
        shutil.rmtree(folder / "shard", ignore_errors=True)

    def close(self) -> None:
        """Let go of the shard's files; unflushed points are written again by the next catch-up."""
        with _translated(self._folder):
            self._shard.close()

    def position(self) -> int:
        """Return the journal position that the points stand for."""
        return self._state.position

    def upsert(self, documents: Sequence[Document]) -> None:
        """Insert or replace documents by id; of two with one id the later counts."""
        import qdrant_edge  # noqa: PLC0415 - 36 MB of library that short commands must not load

        latest = list({document.id: document for document in documents}.values())
        for first in range(0, len(latest), _PAGE):
            page = latest[first : first + _PAGE]
            texts = [document.indexed_text for document in page]
            dense = self._embedder.embed_passages(texts) if self._embedder else [None] * len(page)
            points = [_point(document, vector) for document, vector in zip(page, dense, strict=True)]
            with _translated(self._folder):
                self._shard.update(qdrant_edge.UpdateOperation.upsert_points(points))

    def set_live(self, ids: Iterable[str], *, live: bool) -> None:
        """Mark documents as live or not; ids that are not here are left out."""
        import qdrant_edge  # noqa: PLC0415 - as above

        known: list[int | uuid.UUID | str] = [_point_id(document.id) for document in self.retrieve(ids)]
        if known:
            with _translated(self._folder):
                self._shard.update(qdrant_edge.UpdateOperation.set_payload(known, {"live": int(live)}))

    def advance(self, position: int) -> None:
        """Flush the points to the disk, then move the position."""
        with _translated(self._folder):
            self._shard.flush()
        self._state = self._state._replace(position=position)
        self._write_state()

    def search(self, query: str, wanted: SearchFilter, *, limit: int) -> Mapping[str, list[Candidate]]:
        """Return the candidates of each leg, best first; "dense" is absent without an embedder."""
        import qdrant_edge  # noqa: PLC0415 - as above

        sparse = query_terms(query)
        legs: dict[str, list[Candidate]] = {LEXICAL: []}
        if sparse.indices:
            vector = qdrant_edge.SparseVector(list(sparse.indices), list(sparse.values))
            legs[LEXICAL] = self._nearest(vector, LEXICAL, wanted, limit)
        if self._embedder is not None:
            legs[DENSE] = self._nearest(self._embedder.embed_query(query), DENSE, wanted, limit)
        return legs

    def retrieve(self, ids: Iterable[str]) -> list[Document]:
        """Return the documents with these ids, in the order asked for; unknown ids are left out."""
        asked = list(dict.fromkeys(ids))
        if not asked:
            return []
        with _translated(self._folder):
            records = self._shard.retrieve([_point_id(key) for key in asked], with_payload=True, with_vector=False)
        found = {document.id: document for document in (_document(record.payload or {}) for record in records)}
        return [found[key] for key in asked if key in found]

    def count(self) -> int:
        """Return how many documents there are, live or not."""
        import qdrant_edge  # noqa: PLC0415 - as above

        with _translated(self._folder):
            total: int = self._shard.count(qdrant_edge.CountRequest())
        return total

    def digest(self) -> str:
        """Return the SHA-256 over every document's id and content, in id order."""
        lines = sorted((payload["id"], sha256_hex(json.dumps(payload, sort_keys=True))) for payload in self._payloads())
        return sha256_hex("".join(f"{key} {digest}\n" for key, digest in lines))

    # --- shard -------------------------------------------------------------------------------------------------

    def _open(self) -> "qdrant_edge.EdgeShard":
        import qdrant_edge  # noqa: PLC0415 - as above

        place = self._folder / "shard"
        if self._state.position == 0:
            return self._open_unfinished(place)
        if not place.is_dir():
            raise DegradedIndexError(f"the index in {self._folder} has lost its shard", hint=_REBUILD)
        with _translated(self._folder):
            return qdrant_edge.EdgeShard.load(str(place))

    def _open_unfinished(self, place: Path) -> "qdrant_edge.EdgeShard":
        # Nothing was promised yet at position 0, so whatever a crash left there may be thrown away.
        import qdrant_edge  # noqa: PLC0415 - as above

        if place.is_dir():
            try:
                with _translated(self._folder):
                    return qdrant_edge.EdgeShard.load(str(place))
            except DegradedIndexError:
                shutil.rmtree(place)
        self._write_state()
        with _translated(self._folder):
            return _create(place, self._embedder)

    def _nearest(self, vector: Any, leg: str, wanted: SearchFilter, limit: int) -> list[Candidate]:
        import qdrant_edge  # noqa: PLC0415 - as above

        request = qdrant_edge.QueryRequest(
            limit=limit,
            query=qdrant_edge.Query.Nearest(vector, using=leg),
            filter=_filter(wanted),
            with_payload=True,
        )
        with _translated(self._folder):
            points = self._shard.query(request)
        found = [Candidate(_document(point.payload or {}), point.score) for point in points]
        return sorted(found, key=lambda candidate: (-candidate.score, candidate.document.id))

    def _payloads(self) -> Iterator[dict[str, Any]]:
        import qdrant_edge  # noqa: PLC0415 - as above

        offset = None
        while True:
            request = qdrant_edge.ScrollRequest(offset=offset, limit=_PAGE, with_payload=True, with_vector=False)
            with _translated(self._folder):
                records, offset = self._shard.scroll(request)
            for record in records:
                yield dict(record.payload or {})
            if offset is None:
                return

    # --- state file --------------------------------------------------------------------------------------------

    def _read_state(self) -> _State | None:
        path = self._folder / "state.json"
        try:
            return _STATE.validate_json(path.read_bytes())
        except FileNotFoundError:
            if not (self._folder / "shard").exists():
                return None
            raise DegradedIndexError(f"the index in {self._folder} has lost its state.json", hint=_REBUILD) from None
        except ValidationError as problem:
            raise DegradedIndexError(f"{path} is damaged", hint=_REBUILD) from problem

    def _write_state(self) -> None:
        write_durably(self._folder / "state.json", json.dumps(self._state._asdict()).encode())

    def _check_same(self, wanted: _State) -> None:
        if self._state.format != wanted.format:
            raise DegradedIndexError(
                f"the index has format {self._state.format}, this Engram reads {wanted.format}", hint=_REBUILD
            )
        if self._state.embedder != wanted.embedder:
            made, now = (_named(state.embedder) for state in (self._state, wanted))
            raise DegradedIndexError(f"the index was made with {made}, but now there is {now}", hint=_REBUILD)


def index_position(folder: Path) -> int | None:
    """Return the journal position of the index in a folder without opening it; None when there is none.

    Raises DegradedIndexError when the file that says so is damaged.
    """
    path = folder / "state.json"
    try:
        return _STATE.validate_json(path.read_bytes()).position
    except FileNotFoundError:
        return None
    except ValidationError as problem:
        raise DegradedIndexError(f"{path} is damaged", hint=_REBUILD) from problem


def document_terms(text: str) -> SparseText:
    """Return a document's BM25 weights, without the IDF part, which the engine adds when it searches."""
    counts = Counter(zlib.crc32(term.encode()) for term in terms(text))
    length = _K1 * (1 - _B + _B * counts.total() / _AVERAGE_TERMS)
    weights = {index: count * (_K1 + 1) / (count + length) for index, count in counts.items()}
    return SparseText(tuple(weights), tuple(weights.values()))


def query_terms(text: str) -> SparseText:
    """Return a question's terms, each once with weight 1."""
    indices = tuple(dict.fromkeys(zlib.crc32(term.encode()) for term in terms(text)))
    return SparseText(indices, (1.0,) * len(indices))


def _named(embedder: str | None) -> str:
    return f"the embedding model {embedder}" if embedder else "no embedding model"


@contextmanager
def _translated(folder: Path) -> Iterator[None]:
    # The engine has no error class of its own: exactly Exception, or a panic, is its own; anything else is not.
    try:
        yield
    except BaseException as problem:
        if type(problem) is not Exception and type(problem).__name__ != "PanicException":
            raise
        if "WouldBlock" in str(problem):
            raise StoreBusyError(f"another process has the index in {folder} open") from problem
        raise DegradedIndexError(f"the index in {folder} cannot be used: {problem}", hint=_REBUILD) from problem


def _create(place: Path, embedder: Embedder | None) -> "qdrant_edge.EdgeShard":
    import qdrant_edge  # noqa: PLC0415 - as above

    sparse = {LEXICAL: qdrant_edge.EdgeSparseVectorParams(modifier=qdrant_edge.Modifier.Idf)}
    cosine = qdrant_edge.Distance.Cosine
    dense = {DENSE: qdrant_edge.EdgeVectorParams(size=embedder.dimensions, distance=cosine)} if embedder else None
    shard = qdrant_edge.EdgeShard.create(str(place), qdrant_edge.EdgeConfig(vectors=dense, sparse_vectors=sparse))
    kinds = qdrant_edge.PayloadSchemaType
    fields = {**dict.fromkeys(_KEYWORDS, kinds.Keyword), "live": kinds.Integer, "at_s": kinds.Float}
    for name, kind in fields.items():
        shard.update(qdrant_edge.UpdateOperation.create_field_index(name, kind))
    shard.flush()
    return shard


def _point_id(document_id: str) -> uuid.UUID:
    return uuid.uuid5(_NAMESPACE, document_id)


def _point(document: Document, dense: list[float] | None) -> "qdrant_edge.Point":
    import qdrant_edge  # noqa: PLC0415 - as above

    sparse = document_terms(document.indexed_text)
    vector: dict[str, Any] = {LEXICAL: qdrant_edge.SparseVector(list(sparse.indices), list(sparse.values))}
    if dense is not None:
        vector[DENSE] = dense
    return qdrant_edge.Point(_point_id(document.id), vector, _payload(document))


def _payload(document: Document) -> dict[str, Any]:
    # `live` as a number: the engine's filter does not match booleans. `at_s` is what ranges are compared with.
    payload = document.model_dump(mode="json", exclude_defaults=True) | {"live": int(document.live)}
    payload |= {"id": document.id, "kind": document.kind, "scope": document.scope}
    return payload | ({"at_s": document.at.timestamp()} if document.at else {})


def _document(payload: Mapping[str, Any]) -> Document:
    fields = {key: value for key, value in payload.items() if key != "at_s"}
    return Document.model_validate(fields | {"live": bool(payload["live"])})


def _filter(wanted: SearchFilter) -> "qdrant_edge.Filter":
    import qdrant_edge  # noqa: PLC0415 - as above

    def among(key: str, values: Sequence[str]) -> Any:
        return qdrant_edge.FieldCondition(key, match=qdrant_edge.MatchAny(list(values)))

    equal = {"kind": wanted.kinds, "scope": wanted.scopes}
    equal |= {key: (value,) for key, value in (("entity", wanted.entity), ("session", wanted.session)) if value}
    must = [among(key, values) for key, values in equal.items() if values]
    if wanted.live_only:
        must.append(qdrant_edge.FieldCondition("live", match=qdrant_edge.MatchValue(1)))
    if wanted.since is not None or wanted.until is not None:
        span = qdrant_edge.RangeFloat(gte=wanted.since, lt=wanted.until)
        must.append(qdrant_edge.FieldCondition("at_s", range=span))
    return qdrant_edge.Filter(must=must)
