"""The vector index on a Qdrant server or cluster.

Many processes may read at once; those that write hold the workspace's index lock. A workspace that is no tenant has a
collection to itself: it opens none that has tenants.
"""

import os

from qdrant_client import QdrantClient

from engram.config.sections.recall import IndexSettings
from engram.errors import DegradedIndexError
from engram.errors import SettingsError
from engram.ports.index import Embedder
from engram.store.index.documents import DocumentIndex
from engram.store.index.qdrant_engine import REPAIR
from engram.store.index.qdrant_engine import ServerEngine
from engram.store.index.qdrant_engine import index_tenant
from engram.store.index.qdrant_engine import state_of
from engram.store.index.qdrant_engine import translated
from engram.store.index.state import Recipes
from engram.store.index.state import State
from engram.store.index.state import read_state

_TIMEOUT_S = 10  # that an answer of the server may take


class QdrantServer:
    """The server that the settings name, and what a workspace has there."""

    def __init__(self, settings: IndexSettings, tenant: str) -> None:
        """Take the settings and whose points are meant; without a tenant the whole collection is this workspace's."""
        self._client = connect(settings)
        self._collection = settings.collection
        self._tenant = tenant

    def open(self, embedder: Embedder | None, recipes: Recipes) -> "QdrantVectorIndex":
        """Open the index; see QdrantVectorIndex."""
        return QdrantVectorIndex(self._client, self._collection, embedder, recipes, tenant=self._tenant)

    def destroy(self) -> None:
        """Remove the index, so that the next opening begins at position 0."""
        QdrantVectorIndex.destroy(self._client, self._collection, self._tenant)


class QdrantVectorIndex(DocumentIndex):
    """ports.index.VectorIndex over a collection of a server."""

    def __init__(
        self,
        client: QdrantClient,
        collection: str,
        embedder: Embedder | None,
        recipes: Recipes | None = None,
        *,
        tenant: str = "",
    ) -> None:
        """Open the collection of that name, or make an empty one at position 0; of a tenant, what is its own in there.

        Raises DegradedIndexError when the server does not answer, when the collection has another format, and without
        a tenant when it has tenants.
        """
        engine = ServerEngine(client, collection, tenant)
        if not tenant and engine.has_tenants():
            raise DegradedIndexError(
                f"the collection {collection} is shared by workspaces with names of their own", hint=REPAIR
            )
        raw = engine.load_state()
        if tenant and raw is None:
            index_tenant(client, collection)  # one of before tenants has no such index
        state = State() if raw is None else read_state(raw, f"the state of the collection {collection}")
        super().__init__(engine, state, embedder, recipes or Recipes())

    @classmethod
    def destroy(cls, client: QdrantClient, collection: str, tenant: str = "") -> None:
        """Remove the collection, or what is one's own in it, so that the next opening begins at position 0."""
        engine = ServerEngine(client, collection, tenant)
        if tenant or engine.has_tenants():
            engine.clear()
            return
        with translated():
            client.delete_collection(state_of(collection))  # first: what is left has no position
            client.delete_collection(collection)


def connect(settings: IndexSettings) -> QdrantClient:
    """Return a client of the server that the settings name; raise SettingsError when it or its key cannot be had."""
    key = os.environ.get(settings.key_variable) if settings.key_variable else None
    if settings.key_variable and not key:
        raise SettingsError(
            f"index.key_variable names {settings.key_variable}, which is not in the environment",
            hint=f"export {settings.key_variable}=KEY, or engram config index.key_variable ''",
        )
    return QdrantClient(url=settings.url, api_key=key, timeout=_TIMEOUT_S, check_compatibility=False)
