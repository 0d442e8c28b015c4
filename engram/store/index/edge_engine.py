"""The embedded Qdrant engine: points in one folder, opened by one process at a time.

The engine's errors are bare `Exception`s (and `PanicException` for damaged files); they do not pass this module. It is
made without the engine's own log: what is not flushed is written again, so a log would only double every write.
"""

import json
import os
import uuid
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import qdrant_edge

from engram.base.disk.faults import fault_point
from engram.base.disk.files import write_durably
from engram.base.disk.inner_folders import refuse_link
from engram.base.disk.own_files import open_own_bytes
from engram.base.disk.own_files import read_own
from engram.base.machine.processes import require_address_space
from engram.errors import DegradedIndexError
from engram.model.sparse import SparseText
from engram.ports.index import REBUILD
from engram.store.index.edge_files import STATE_FILE
from engram.store.index.edge_files import find_special
from engram.store.index.edge_files import read_state_file
from engram.store.index.engine import DECIMAL
from engram.store.index.engine import KEYWORDS
from engram.store.index.engine import LEXICAL
from engram.store.index.engine import PAGE
from engram.store.index.engine import TEXT
from engram.store.index.engine import WHOLE
from engram.store.index.engine import NewPoint
from engram.store.index.engine import Payload
from engram.store.index.engine import Where

_SCANNED = "vector_storage-{name}/quantized.data"  # of a segment: what an exact search reads from end to end
_ADDRESS_SPACE = 3 << 29  # that the engine maps beside the database; it uses a tenth, and dies of a lower limit
_AHEAD_BYTES = 1 << 17  # asked for at a time: the system reads no more ahead than that for one request


class EdgeEngine:
    """store.index.engine.Engine over one shard."""

    def __init__(self, folder: Path, shard: str) -> None:
        """Open the shard of that name in the index's folder, or make an empty one when it is not there."""
        self._folder = folder
        self.place = folder / shard
        self._read_ahead: set[str] = set()  # names of the vectors for which it was asked
        refuse_link(self.place, str(self.place))
        require_address_space(_ADDRESS_SPACE, "the index")
        if self.place.is_dir() and (special := find_special(self.place)) is not None:
            raise DegradedIndexError(f"the index in {folder} is damaged: {special} is no file", hint=REBUILD)
        with translated(folder):
            self._shard = _open(self.place) if self.place.is_dir() else _create(self.place)

    def insert(self, points: Sequence[NewPoint]) -> None:
        """See the port."""
        made = [qdrant_edge.Point(one.id, {LEXICAL: _sparse(one.sparse)}, one.payload) for one in points]
        self._update(qdrant_edge.UpdateOperation.upsert_points(made))

    def replace_payload(self, key: uuid.UUID, payload: Payload) -> None:
        """See the port."""
        self._update(qdrant_edge.UpdateOperation.overwrite_payload([key], payload))

    def delete(self, ids: Sequence[uuid.UUID]) -> None:
        """See the port."""
        self._update(qdrant_edge.UpdateOperation.delete_points(list(ids)))

    def set_fields(self, ids: Sequence[uuid.UUID], fields: Payload) -> None:
        """See the port."""
        self._update(qdrant_edge.UpdateOperation.set_payload(list(ids), fields))

    def set_vectors(self, name: str, vectors: Mapping[uuid.UUID, Sequence[float]]) -> None:
        """See the port."""
        made = [qdrant_edge.PointVectors(key, {name: list(vector)}) for key, vector in vectors.items()]
        self._update(qdrant_edge.UpdateOperation.update_vectors(made))

    def vector_names(self) -> set[str]:
        """See the port."""
        try:
            config = json.loads(read_own(self.place / "edge_config.json"))
        except (OSError, ValueError) as problem:
            raise DegradedIndexError(f"the index in {self._folder} is damaged: {problem}", hint=REBUILD) from problem
        return set(config.get("vectors") or {})

    def add_vector(self, name: str, dimensions: int) -> None:
        """See the port."""
        cosine = qdrant_edge.Distance.Cosine
        self._update(qdrant_edge.UpdateOperation.create_dense_vector(name, dimensions, cosine))

    def drop_vector(self, name: str) -> None:
        """See the port."""
        self._update(qdrant_edge.UpdateOperation.delete_vector_name(name))

    def nearest(
        self, name: str, vector: SparseText | Sequence[float], where: Where, limit: int
    ) -> list[tuple[Payload, float]]:
        """See the port."""
        if not isinstance(vector, SparseText) and name not in self._read_ahead:
            self._read_ahead.add(name)
            read_ahead(self.place.glob(f"segments/*/{_SCANNED.format(name=name)}"))
        wanted = _sparse(vector) if isinstance(vector, SparseText) else list(vector)
        request = qdrant_edge.QueryRequest(
            limit=limit,
            query=qdrant_edge.Query.Nearest(wanted, using=name),
            filter=_filter(where),
            with_payload=qdrant_edge.PayloadSelector.Exclude([TEXT]),
        )
        with translated(self._folder):
            points = self._shard.query(request)
        return [(point.payload or {}, point.score) for point in points]

    def fetch(self, ids: Sequence[uuid.UUID]) -> list[Payload]:
        """See the port."""
        with translated(self._folder):
            records = self._shard.retrieve(list(ids), with_payload=True, with_vector=False) if ids else []
        return [dict(record.payload or {}) for record in records]

    def vectors_of(self, ids: Sequence[uuid.UUID], name: str) -> list[list[float]]:
        """See the port."""
        with translated(self._folder):
            records = self._shard.retrieve(list(ids), with_payload=False, with_vector=[name]) if ids else []
        vectors: list[Mapping[str, Any]] = [record.vector for record in records if isinstance(record.vector, dict)]
        return [list(vector[name]) for vector in vectors if name in vector]

    def take_over(self, other: "EdgeEngine", ids: Sequence[uuid.UUID]) -> None:
        """Insert or replace points as they are in another shard, with all their vectors."""
        with translated(self._folder):
            records = other._shard.retrieve(list(ids), with_payload=True, with_vector=True)
            points = [qdrant_edge.Point(one.id, one.vector or {}, one.payload) for one in records]
        self._update(qdrant_edge.UpdateOperation.upsert_points(points))

    def scan(self, where: Where) -> Iterator[Payload]:
        """See the port."""
        offset = None
        while True:
            request = qdrant_edge.ScrollRequest(
                offset=offset, limit=PAGE, filter=_filter(where), with_payload=True, with_vector=False
            )
            with translated(self._folder):
                records, offset = self._shard.scroll(request)
            yield from (dict(record.payload or {}) for record in records)
            if offset is None:
                return

    def last(self, where: Where, *, order_by: str, limit: int) -> list[Payload]:
        """See the port."""
        order = qdrant_edge.OrderBy(order_by, qdrant_edge.Direction.Desc)
        request = qdrant_edge.ScrollRequest(limit=limit, filter=_filter(where), with_payload=True, order_by=order)
        with translated(self._folder):
            records, _ = self._shard.scroll(request)
        return [dict(record.payload or {}) for record in records]

    def count(self, where: Where) -> int:
        """See the port."""
        with translated(self._folder):
            total: int = self._shard.count(qdrant_edge.CountRequest(filter=_filter(where)))
        return total

    def flush(self) -> None:
        """See the port."""
        fault_point("before-index-flush")
        with translated(self._folder):
            self._shard.flush()
        fault_point("after-index-flush")

    def load_state(self) -> bytes | None:
        """See the port."""
        return read_state_file(self._folder)

    def save_state(self, state: bytes) -> None:
        """See the port."""
        write_durably(self._folder / STATE_FILE, state)

    def close(self) -> None:
        """See the port."""
        with translated(self._folder):
            self._shard.close()

    def _update(self, operation: qdrant_edge.UpdateOperation) -> None:
        with translated(self._folder):
            self._shard.update(operation)


def read_ahead(files: Iterable[Path]) -> None:
    """Ask the system to read files soon, where it takes such wishes; it reads in large pieces, and we do not wait.

    The engine maps them for reading at random, so each page of 4 kB would wait for the disk by itself (measured at
    100,000 documents after a close, which empties the page cache: 0.2 s of processor for the first search, now 0.01).
    """
    if not hasattr(os, "posix_fadvise"):
        return
    for path in files:
        with open_own_bytes(path) as file:
            for first in range(0, os.fstat(file.fileno()).st_size, _AHEAD_BYTES):
                os.posix_fadvise(file.fileno(), first, _AHEAD_BYTES, os.POSIX_FADV_WILLNEED)


@contextmanager
def translated(folder: Path) -> Iterator[None]:
    """Turn the engine's errors into DegradedIndexError."""
    # The engine has no error class of its own: exactly Exception, or a panic, is its own; anything else is not.
    try:
        yield
    except BaseException as problem:
        if type(problem) is not Exception and type(problem).__name__ != "PanicException":
            raise
        raise DegradedIndexError(f"the index in {folder} cannot be used: {problem}", hint=REBUILD) from problem


def _open(place: Path) -> qdrant_edge.EdgeShard:
    return qdrant_edge.EdgeShard.load(str(place))


def _create(place: Path) -> qdrant_edge.EdgeShard:
    cold = qdrant_edge.Memory.Cold  # read from the disk through the page cache, which is nobody's private memory
    words = qdrant_edge.EdgeSparseVectorParams(modifier=qdrant_edge.Modifier.Idf, memory=cold)
    config = qdrant_edge.EdgeConfig(sparse_vectors={LEXICAL: words}, payload_memory=cold, wal_enabled=False)
    shard = qdrant_edge.EdgeShard.create(str(place), config)
    schemas: dict[str, Any] = {field: qdrant_edge.KeywordIndexParams(memory=cold) for field in KEYWORDS}
    schemas |= {field: qdrant_edge.IntegerIndexParams(lookup=True, range=True, memory=cold) for field in WHOLE}
    schemas |= {field: qdrant_edge.FloatIndexParams(memory=cold) for field in DECIMAL}
    for field, schema in schemas.items():
        shard.update(qdrant_edge.UpdateOperation.create_field_index(field, schema))
    shard.flush()
    return shard


def _sparse(text: SparseText) -> qdrant_edge.SparseVector:
    return qdrant_edge.SparseVector(list(text.indices), list(text.values))


def _filter(where: Where) -> qdrant_edge.Filter | None:
    must: list[Any] = []
    for field, values in where.among.items():
        wanted: Any = list(values)  # texts or whole numbers, never both
        must.append(qdrant_edge.FieldCondition(field, match=qdrant_edge.MatchAny(wanted)))
    for field, span in where.within.items():
        must.append(qdrant_edge.FieldCondition(field, range=qdrant_edge.RangeFloat(gte=span.first, lt=span.end)))
    for field, most in where.up_to.items():
        small = qdrant_edge.FieldCondition(field, range=qdrant_edge.RangeFloat(lte=most))
        must.append(qdrant_edge.Filter(should=[small, qdrant_edge.IsEmptyCondition(field)]))
    if where.ids:
        must.append(qdrant_edge.HasIdCondition(set(where.ids)))
    must_not: list[Any] = [qdrant_edge.HasVectorCondition(where.lacks)] if where.lacks else []
    if where.without:
        one: Any = [1]
        must_not.append(qdrant_edge.FieldCondition(where.without, match=qdrant_edge.MatchAny(one)))
    return qdrant_edge.Filter(must=must, must_not=must_not) if must or must_not else None
