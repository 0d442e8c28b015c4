"""Workspaces that share a collection of a Qdrant server: nothing that one asks or changes reaches another's points.

The client's own local mode stands in for the server. Every request that leaves for it is looked at besides.
"""

import uuid
from collections.abc import Callable
from collections.abc import Iterator
from typing import TYPE_CHECKING
from typing import Any

import pytest

from engram.errors import DegradedIndexError
from engram.model.sparse import SparseText
from engram.store.index.engine import LEXICAL
from engram.store.index.engine import NewPoint
from engram.store.index.engine import Span
from engram.store.index.engine import Where
from engram.store.index.engine import point_id
from engram.store.index.qdrant_engine import TENANT
from engram.store.index.qdrant_engine import ServerEngine
from engram.store.index.qdrant_index import QdrantVectorIndex

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

WORDS = SparseText(indices=(1, 2), values=(1.0, 1.0))
IDS = [point_id(f"people/anna-{number:03d}") for number in range(3)]
EVERY = Where()
OF_BERT = Where(among={TENANT: ["bert"]})


@pytest.fixture
def client() -> Iterator["QdrantClient"]:
    from qdrant_client import QdrantClient

    made = QdrantClient(":memory:")
    yield made
    made.close()


def engine_of(client: "QdrantClient", tenant: str) -> ServerEngine:
    engine = ServerEngine(client, "shared", tenant)
    points = [NewPoint(key, WORDS, {"id": f"{tenant} {place}", "ordinal": place}) for place, key in enumerate(IDS)]
    engine.insert(points)
    engine.save_state(f"state of {tenant}".encode())
    return engine


def held(engine: ServerEngine) -> tuple[list[Any], bytes | None]:
    return sorted(payload["id"] for payload in engine.scan(EVERY)), engine.load_state()


ASKED: dict[str, Callable[[ServerEngine], object]] = {
    "everything": lambda one: list(one.scan(EVERY)),
    "another by name": lambda one: list(one.scan(OF_BERT)),
    "another by name and id": lambda one: list(one.scan(OF_BERT._replace(ids=IDS))),
    "what lies in a range": lambda one: list(one.scan(Where(within={"ordinal": Span(0, 99)}))),
    "what has no vector": lambda one: list(one.scan(Where(lacks="letters"))),
    "the last": lambda one: one.last(EVERY, order_by="ordinal", limit=99),
    "by words": lambda one: [found for found, _ in one.nearest(LEXICAL, WORDS, EVERY, 99)],
    "by ids": lambda one: one.fetch(IDS),
    "by the ids of the other's points": lambda one: one.fetch([uuid.uuid5(key, "bert") for key in IDS]),
}


@pytest.mark.parametrize("question", ASKED)
def test_no_question_gives_what_is_another_s(client: "QdrantClient", question: str) -> None:
    anna = engine_of(client, "anna")
    engine_of(client, "bert")

    assert "bert" not in str(ASKED[question](anna))
    assert anna.count(OF_BERT) == 0
    assert anna.count(EVERY) == 3
    assert TENANT not in anna.fetch(IDS)[0]


def test_what_one_changes_and_removes_another_keeps(client: "QdrantClient") -> None:
    anna, bert = engine_of(client, "anna"), engine_of(client, "bert")
    before, theirs = held(bert), [uuid.uuid5(key, "bert") for key in IDS]
    for ids in (IDS, theirs):
        anna.set_fields(ids, {"id": "mallory", TENANT: "bert"})
        anna.replace_payload(ids[0], {"id": "mallory", TENANT: "bert"})
        assert held(bert) == before
        anna.insert([NewPoint(key, WORDS, {"id": "mallory", TENANT: "bert"}) for key in ids])
        anna.delete(ids)
        assert held(bert) == before
    anna.clear()

    assert held(bert) == before
    assert held(anna) == ([], None)


def test_a_point_of_another_that_a_server_gives_all_the_same_is_not_taken(client: "QdrantClient") -> None:
    anna = engine_of(client, "anna")
    client.set_payload("shared", {TENANT: "bert"}, points=[str(uuid.uuid5(IDS[0], "anna"))])

    with pytest.raises(DegradedIndexError, match="another workspace"):
        anna.fetch(IDS)


def test_no_request_leaves_without_the_tenant(client: "QdrantClient", monkeypatch: pytest.MonkeyPatch) -> None:
    anna, sent = engine_of(client, "anna"), dict[str, str]()
    for name in ("upsert", "overwrite_payload", "delete", "set_payload", "scroll", "count", "query_points"):
        real = getattr(client, name)

        def look(*args: Any, _name: str = name, _real: Callable[..., Any] = real, **more: Any) -> Any:
            sent[_name] = f"{args[1:]} {more}"
            return _real(*args, **more)

        monkeypatch.setattr(client, name, look)
    for ask in ASKED.values():
        ask(anna)
    anna.count(EVERY)
    anna.set_fields(IDS, {"live": 1})
    anna.replace_payload(IDS[0], {"id": "x"})
    anna.insert([NewPoint(IDS[0], WORDS, {"id": "x"})])
    anna.delete(IDS[:1])

    assert len(sent) == 7
    assert [name for name, said in sent.items() if TENANT not in said or "anna" not in said] == []


def test_a_tenant_that_is_filled_into_a_collection_of_before_begins_at_its_own_beginning(
    client: "QdrantClient",
) -> None:
    whole = ServerEngine(client, "shared")
    whole.insert([NewPoint(IDS[0], WORDS, {"id": "of before"})])
    whole.save_state(b"state of before")

    assert held(ServerEngine(client, "shared", "anna")) == ([], None)


def test_a_workspace_without_a_name_takes_no_collection_of_tenants_for_its_own(client: "QdrantClient") -> None:
    whole = engine_of(client, "")
    anna = engine_of(client, "anna")
    before = held(anna)

    with pytest.raises(DegradedIndexError, match="workspaces with names of their own"):
        QdrantVectorIndex(client, "shared", None)
    QdrantVectorIndex.destroy(client, "shared")

    assert held(anna) == before
    assert whole.load_state() is None
    assert whole.count(EVERY) == len(IDS)  # anna's alone


def test_one_that_has_the_collection_for_itself_removes_the_whole(client: "QdrantClient") -> None:
    engine_of(client, "")

    QdrantVectorIndex.destroy(client, "shared")

    assert client.get_collections().collections == []


@pytest.mark.parametrize("is_of_before", [False, True])
def test_the_server_is_told_which_field_is_the_tenant(
    client: "QdrantClient", monkeypatch: pytest.MonkeyPatch, is_of_before: bool
) -> None:
    indexed, real = dict[str, Any](), client.create_payload_index

    def look(collection: str, field: str, schema: Any, **more: Any) -> Any:
        indexed[field] = schema
        return real(collection, field, schema, **more)

    if is_of_before:
        engine_of(client, "")
    monkeypatch.setattr(client, "create_payload_index", look)

    QdrantVectorIndex(client, "shared", None, tenant="anna")

    assert (indexed[TENANT].type, indexed[TENANT].is_tenant) == ("keyword", True)
