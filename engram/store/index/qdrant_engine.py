"""The engine of an index on a Qdrant server or cluster, through qdrant-client.

Two collections: one of documents, one with a single point that keeps the state (how far the documents stand, whose
vectors they have). The server keeps its payload indexes and graphs in order itself, so nothing is merged from here.

Several workspaces may share a collection: each is a tenant. Invariant: every point of a tenant carries its name, every
id is made with it, and every request that could reach another's points has it as a condition.
"""

import uuid
import warnings
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import contextmanager
from typing import Any

from qdrant_client import QdrantClient
from qdrant_client import models
from qdrant_client.http.exceptions import ApiException

from engram.errors import DegradedIndexError
from engram.model.sparse import SparseText
from engram.store.index.engine import DECIMAL
from engram.store.index.engine import KEYWORDS
from engram.store.index.engine import LEXICAL
from engram.store.index.engine import PAGE
from engram.store.index.engine import TEXT
from engram.store.index.engine import WHOLE
from engram.store.index.engine import NewPoint
from engram.store.index.engine import Payload
from engram.store.index.engine import Where

TENANT = "workspace"  # the payload field that tells whose a point is, where a collection is shared
REPAIR = "engram rebuild index, with index.collection set to a name of its own"
_STATE_POINT = 1  # id of the one point of the collection that keeps the state
_LOCAL_MODE = "Payload indexes have no effect"  # the client's own warning where it is its own server


class ServerEngine:
    """store.index.engine.Engine over a collection."""

    def __init__(self, client: QdrantClient, collection: str, tenant: str = "") -> None:
        """Take a client, and whose points are meant; make the collections when they are not there."""
        self._client = client
        self._collection = collection
        self._tenant = tenant
        with translated():
            if not client.collection_exists(collection):
                _create(client, collection)
            if not client.collection_exists(state_of(collection)):
                client.create_collection(state_of(collection), vectors_config={})

    def insert(self, points: Sequence[NewPoint]) -> None:
        """See the port."""
        made = [
            models.PointStruct(
                id=self._id(one.id), vector={LEXICAL: _sparse(one.sparse)}, payload=self._marked(one.payload)
            )
            for one in points
        ]
        with translated():
            self._client.upsert(self._collection, made, wait=True)

    def replace_payload(self, key: uuid.UUID, payload: Payload) -> None:
        """See the port."""
        with translated():
            chosen = self._filter(Where(ids=[key]))
            self._client.overwrite_payload(self._collection, self._marked(payload), points=chosen, wait=True)

    def delete(self, ids: Sequence[uuid.UUID]) -> None:
        """See the port."""
        if ids:
            with translated():
                self._client.delete(self._collection, self._filter(Where(ids=ids)), wait=True)

    def set_fields(self, ids: Sequence[uuid.UUID], fields: Payload) -> None:
        """See the port."""
        if ids:
            chosen = self._filter(Where(ids=ids))
            with translated():
                self._client.set_payload(self._collection, self._marked(fields), points=chosen, wait=True)

    def set_vectors(self, name: str, vectors: Mapping[uuid.UUID, Sequence[float]]) -> None:
        """See the port."""
        made = [models.PointVectors(id=self._id(key), vector={name: list(vector)}) for key, vector in vectors.items()]
        with translated():
            self._client.update_vectors(self._collection, made, wait=True)

    def vector_names(self) -> set[str]:
        """See the port."""
        with translated():
            vectors = self._client.get_collection(self._collection).config.params.vectors
        return set(vectors) if isinstance(vectors, dict) else set()

    def add_vector(self, name: str, dimensions: int) -> None:
        """See the port. Needs a server that can add a vector to a collection."""
        dense = models.DenseVectorConfig(size=dimensions, distance=models.Distance.COSINE)
        with translated():
            self._client.create_vector_name(self._collection, name, models.DenseVectorNameConfig(dense=dense))

    def drop_vector(self, name: str) -> None:
        """See the port. Of a tenant, its points lose it; others may have one of that name."""
        with translated():
            if self._tenant:
                self._client.delete_vectors(self._collection, [name], points=self._filter(Where()), wait=True)
            else:
                self._client.delete_vector_name(self._collection, name)

    def nearest(
        self, name: str, vector: SparseText | Sequence[float], where: Where, limit: int
    ) -> list[tuple[Payload, float]]:
        """See the port."""
        with translated():
            points = self._client.query_points(
                self._collection,
                query=_sparse(vector) if isinstance(vector, SparseText) else list(vector),
                using=name,
                query_filter=self._filter(where),
                limit=limit,
                with_payload=models.PayloadSelectorExclude(exclude=[TEXT]),
            ).points
        return [(self._own(point.payload), point.score) for point in points]

    def fetch(self, ids: Sequence[uuid.UUID]) -> list[Payload]:
        """See the port."""
        with translated():
            records = self._client.retrieve(self._collection, [self._id(key) for key in ids]) if ids else []
        return [self._own(record.payload) for record in records]

    def vectors_of(self, ids: Sequence[uuid.UUID], name: str) -> list[list[float]]:
        """See the port."""
        asked = [self._id(key) for key in ids]
        with translated():
            records = self._client.retrieve(self._collection, asked, with_vectors=[name]) if ids else []
        named: list[dict[str, Any]] = [record.vector for record in records if isinstance(record.vector, dict)]
        return [list(vectors[name]) for vectors in named if name in vectors]

    def scan(self, where: Where) -> Iterator[Payload]:
        """See the port."""
        offset = None
        while True:
            with translated():
                records, offset = self._client.scroll(
                    self._collection, scroll_filter=self._filter(where), offset=offset, limit=PAGE
                )
            yield from (self._own(record.payload) for record in records)
            if offset is None:
                return

    def last(self, where: Where, *, order_by: str, limit: int) -> list[Payload]:
        """See the port."""
        order = models.OrderBy(key=order_by, direction=models.Direction.DESC)
        with translated():
            records, _ = self._client.scroll(
                self._collection, scroll_filter=self._filter(where), order_by=order, limit=limit
            )
        return [self._own(record.payload) for record in records]

    def count(self, where: Where) -> int:
        """See the port."""
        with translated():
            return self._client.count(self._collection, count_filter=self._filter(where), exact=True).count

    def flush(self) -> None:
        """See the port: every write above waits until the server has it in its log."""

    def load_state(self) -> bytes | None:
        """See the port."""
        with translated():
            records = self._client.retrieve(state_of(self._collection), [self._state_point()])
        kept = (records[0].payload or {}).get("state") if records else None
        return None if kept is None else str(kept).encode()

    def save_state(self, state: bytes) -> None:
        """See the port."""
        kept = self._marked({"state": state.decode()})
        point = models.PointStruct(id=self._state_point(), vector={}, payload=kept)
        with translated():
            self._client.upsert(state_of(self._collection), [point], wait=True)

    def close(self) -> None:
        """See the port: the client belongs to the caller."""

    def clear(self) -> None:
        """Remove everything of the tenant; without one, everything that is no tenant's."""
        own = self._filter(Where()) if self._tenant else models.Filter(must=[_unmarked()])
        with translated():
            state = models.PointIdsList(points=[self._state_point()])
            self._client.delete(state_of(self._collection), state, wait=True)  # first, as in `destroy`
            self._client.delete(self._collection, own, wait=True)

    def has_tenants(self) -> bool:
        """Tell whether the collection has a tenant; the small one with the states is asked."""
        marked = models.Filter(must_not=[_unmarked()])
        with translated():
            return self._client.count(state_of(self._collection), count_filter=marked, exact=True).count > 0

    # -- whose a point is

    def _id(self, key: uuid.UUID) -> str:
        """Return the id of a point on the server: that of a tenant is no other's."""
        return str(uuid.uuid5(key, self._tenant) if self._tenant else key)

    def _state_point(self) -> int | str:
        return self._id(uuid.NAMESPACE_OID) if self._tenant else _STATE_POINT

    def _marked(self, payload: Payload) -> Payload:
        return {**payload, TENANT: self._tenant} if self._tenant else payload

    def _own(self, payload: Mapping[str, Any] | None) -> Payload:
        """Return a payload as it was given; raise DegradedIndexError for one of another tenant."""
        found = dict(payload or {})
        if self._tenant and found.pop(TENANT, None) != self._tenant:
            raise DegradedIndexError("the Qdrant server gave a point of another workspace", hint=REPAIR)
        return found

    def _filter(self, where: Where) -> models.Filter:
        """Return the conditions for the server: those that are given, and always the tenant."""
        must, must_not = _conditions(where)
        own: list[Any] = [models.HasIdCondition(has_id=[self._id(key) for key in where.ids])] if where.ids else []
        if self._tenant:
            own.append(models.FieldCondition(key=TENANT, match=models.MatchValue(value=self._tenant)))
        return models.Filter(must=[*must, *own], must_not=must_not)


def state_of(collection: str) -> str:
    """Name the small collection beside one of documents."""
    return f"{collection}-state"


@contextmanager
def translated() -> Iterator[None]:
    """Turn the client's errors into DegradedIndexError."""
    try:
        yield
    except ApiException as problem:
        said = str(problem).strip().splitlines() or [type(problem).__name__]
        raise DegradedIndexError(
            f"the Qdrant server cannot be used: {said[0]}", hint="engram config index.url shows where it is looked for"
        ) from problem


def _create(client: QdrantClient, collection: str) -> None:
    words = models.SparseVectorParams(modifier=models.Modifier.IDF)
    client.create_collection(collection, vectors_config={}, sparse_vectors_config={LEXICAL: words})
    schemas = {
        **dict.fromkeys(KEYWORDS, models.PayloadSchemaType.KEYWORD),
        **dict.fromkeys(WHOLE, models.PayloadSchemaType.INTEGER),
        **dict.fromkeys(DECIMAL, models.PayloadSchemaType.FLOAT),
    }
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=_LOCAL_MODE)
        for field, schema in schemas.items():
            client.create_payload_index(collection, field, schema, wait=True)


def index_tenant(client: QdrantClient, collection: str) -> None:
    """Let the server keep the points of each tenant together."""
    tenant = models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True)
    with translated(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=_LOCAL_MODE)
        client.create_payload_index(collection, TENANT, tenant, wait=True)


def _unmarked() -> models.IsEmptyCondition:
    """Return the condition of a point that is no tenant's."""
    return models.IsEmptyCondition(is_empty=models.PayloadField(key=TENANT))


def _sparse(text: SparseText) -> models.SparseVector:
    return models.SparseVector(indices=list(text.indices), values=list(text.values))


def _conditions(where: Where) -> tuple[list[Any], list[Any]]:
    """Return what must hold and what must not, but for the ids."""
    must: list[Any] = [
        models.FieldCondition(key=field, match=models.MatchAny(any=list(values)))
        for field, values in where.among.items()
    ]
    for field, span in where.within.items():
        must.append(models.FieldCondition(key=field, range=models.Range(gte=span.first, lt=span.end)))
    for field, most in where.up_to.items():
        small = models.FieldCondition(key=field, range=models.Range(lte=most))
        missing = models.IsEmptyCondition(is_empty=models.PayloadField(key=field))
        must.append(models.Filter(should=[small, missing]))
    must_not: list[Any] = [models.HasVectorCondition(has_vector=where.lacks)] if where.lacks else []
    if where.without:
        must_not.append(models.FieldCondition(key=where.without, match=models.MatchAny(any=[1])))
    return must, must_not
