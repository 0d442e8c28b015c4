"""An index on a server, as a workspace uses it: the client's own local mode stands in for the server."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engram.config.sections.recall import IndexSettings
from engram.errors import DegradedIndexError
from engram.errors import SettingsError
from engram.ports.index import REBUILD
from engram.ports.index import SearchFilter
from engram.store.index import qdrant_index
from engram.store.index.index_place import IndexPlace
from engram.workspace import Workspace

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

NOBODY = "http://127.0.0.1:9"  # the port of the discard service: nothing answers there


def use(workspace: Workspace, **settings: str) -> None:
    workspace.settings = workspace.settings.model_copy(update={"index": IndexSettings.model_validate(settings)})


@pytest.fixture
def on_server(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    from qdrant_client import QdrantClient

    client = QdrantClient(":memory:")

    def connected(_settings: IndexSettings) -> "QdrantClient":
        return client

    monkeypatch.setattr(qdrant_index, "connect", connected)
    use(workspace, url="http://server.example:6333")
    yield workspace
    client.close()


def say(workspace: Workspace, *texts: str) -> None:
    turns = [{"id": f"turn/{text}", "text": text} for text in texts]
    workspace.submit("capture", {"session": "demo", "turns": turns})


def found(workspace: Workspace, query: str) -> list[str]:
    with workspace.index.searching() as index:
        return [one.document.text for one in index.search(query, SearchFilter(), limit=5)["lexical"]]


def test_a_workspace_keeps_its_index_on_the_server(on_server: Workspace) -> None:
    assert on_server.index.place.position() is None
    say(on_server, "green tea", "black coffee")

    assert on_server.index.maintain() == {"position": 1, "behind": 0, "documents": 2}
    assert found(on_server, "tea") == ["green tea", "black coffee"]  # the second by what was said before it
    assert on_server.index.place.position() == 1
    assert list(on_server.paths.index.iterdir()) == []


def test_an_index_on_the_server_is_made_anew_to_the_same_content(on_server: Workspace) -> None:
    say(on_server, "green tea", "black coffee")
    on_server.index.catch_up()
    with on_server.index.searching() as index:
        before = index.digest()

    on_server.index.rebuild()

    with on_server.index.searching() as index:
        assert index.digest() == before


def test_an_index_on_the_server_that_is_current_is_read_by_many_at_once(on_server: Workspace) -> None:
    say(on_server, "green tea")
    on_server.index.catch_up()
    with on_server.index.searching(), on_server.index.searching(wait_s=0) as second:
        assert second.count() == 1
    with on_server.index.lock("somebody").hold(wait_s=0):
        assert found(on_server, "tea") == ["green tea"]


def test_a_server_that_does_not_answer_is_told_and_nothing_is_made_anew(workspace: Workspace) -> None:
    say(workspace, "green tea")
    use(workspace, url=NOBODY)

    with pytest.raises(DegradedIndexError, match="Qdrant server cannot be used") as refused:
        workspace.index.catch_up()

    assert refused.value.hint != REBUILD
    assert "index.url" in refused.value.hint


def test_a_key_that_is_not_in_the_environment_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("QDRANT_KEY", raising=False)

    with pytest.raises(SettingsError, match="QDRANT_KEY") as refused:
        qdrant_index.connect(IndexSettings(url=NOBODY, key_variable="QDRANT_KEY"))

    assert "export QDRANT_KEY" in refused.value.hint


def test_a_client_that_is_not_installed_is_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [one for one in sys.modules if one.startswith("engram.store.index.qdrant_")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "qdrant_client", None)

    with pytest.raises(SettingsError, match="needs the package qdrant-client"):
        IndexPlace(IndexSettings(url=NOBODY), tmp_path, "").position()
