"""A long past without vectors: no question to a process that lives on waits for them; they follow its answer."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from engram.mcp.answers import Caller
from engram.mcp.tools import call_tool
from engram.operations.answers.ask import recalling
from engram.ports.index import by_words_alone
from engram.services.index.full_catch_up import Allowance
from engram.warm.client import ask
from engram.warm.server import WarmServer
from engram.warm.warm_store import WarmStore
from engram.web.app import make_app
from engram.workspace import Workspace
from tests.store.test_vector_index import LetterEmbedder
from tests.warm.serving import LONG_S
from tests.warm.serving import until

LINES = 300


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> LetterEmbedder:
    made = LetterEmbedder()
    monkeypatch.setattr("engram.store.embedding.choice.choose_embedder", lambda *_args, **_named: (made, "a test"))
    return made


@pytest.fixture
def store(workspace: Workspace, embedder: LetterEmbedder) -> Iterator[WarmStore]:
    lines = "".join(f"- Shipment {number} left the harbour\n" for number in range(LINES))
    (workspace.paths.memory / "2026-02-24.md").write_text(f"# 2026-02-24\n\n{lines}", encoding="utf-8")
    workspace.index.complete(Allowance(0))
    assert workspace.index.unembedded() == LINES
    opened = WarmStore(workspace.paths.root, now=workspace.now)
    yield opened
    opened.close()


def some_are_embedded(store: WarmStore, embedder: LetterEmbedder) -> bool:
    """Wait for the first vectors without asking the store, which would keep them back; tell whether it has them."""
    until(lambda: embedder.batches)
    return bool(until(lambda: pending(store) < LINES))


def pending(store: WarmStore) -> int:
    with store.reading() as workspace, workspace.index.searching() as index:
        return index.pending()


def test_a_question_embeds_nothing_of_it(store: WarmStore, embedder: LetterEmbedder) -> None:
    with store.reading() as workspace, recalling(workspace, "which shipment left"):
        assert embedder.batches == []

    assert some_are_embedded(store, embedder)


def test_a_command_that_nobody_goes_on_after_embeds_some_of_it(workspace: Workspace, store: WarmStore) -> None:
    with recalling(workspace, "which shipment left"):
        pass
    assert pending(store) < LINES


def test_what_came_lately_is_embedded_for_the_question(store: WarmStore, workspace: Workspace) -> None:
    workspace.index.complete()
    (workspace.paths.memory / "2026-02-23.md").write_text("# 2026-02-23\n\n- Anna left Riga\n", encoding="utf-8")
    with store.reading() as reader, recalling(reader, "who left Riga"):
        pass
    assert pending(store) == 0


def test_the_page_embeds_some_of_it_once_its_answer_is_sent(store: WarmStore, embedder: LetterEmbedder) -> None:
    with TestClient(make_app(store)) as client:
        answer = client.get("/api/ask", params={"q": "which shipment left"}).json()
    assert by_words_alone(LINES) in answer["degraded"]
    assert some_are_embedded(store, embedder)


def test_the_warm_door_embeds_some_of_it_once_its_answer_is_sent(store: WarmStore, embedder: LetterEmbedder) -> None:
    door = WarmServer(store)
    door.start()
    try:
        assert door.wait_open(LONG_S)
        reply = ask(store.paths.root, {"do": "recall", "query": "which shipment left"}, LONG_S)
        assert reply is not None
        assert by_words_alone(LINES) in reply["answer"]["degraded"]
        assert some_are_embedded(store, embedder)
    finally:
        door.close()


def test_a_tool_of_mcp_leaves_it_until_its_answer_is_given(store: WarmStore, embedder: LetterEmbedder) -> None:
    with store.reading() as workspace:
        answer = call_tool(workspace, Caller(), "memory_recall", {"query": "which shipment left"})
    assert by_words_alone(LINES) in answer.value["degraded"]
    assert some_are_embedded(store, embedder)


def test_nothing_is_embedded_once_the_store_is_closed(store: WarmStore, embedder: LetterEmbedder) -> None:
    with store.reading() as workspace, recalling(workspace, "which shipment left"):
        pass
    store.close()
    assert (embedder.batches, store.is_warm()) == ([], False)
