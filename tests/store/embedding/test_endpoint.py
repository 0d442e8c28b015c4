"""A service on this machine that speaks the OpenAI interface, as it behaves and as it misbehaves."""

import json
import sys
import time
import types
from pathlib import Path
from typing import Any

import pytest

from engram.config.sections.recall import EmbeddingSettings
from engram.config.settings import parse_settings
from engram.errors import EmbeddingError
from engram.errors import SettingsError
from engram.ports.index import Embedder
from engram.store.embedding import endpoint
from engram.store.embedding.choice import choose_embedder
from tests.store.embedding.conftest import Service

pytest.importorskip("httpx", reason="needs httpx")

BUSY = (503, b'{"error": "overloaded"}')


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that were waited between attempts, without waiting them."""
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    return waited


def embedder_at(url: str, cache: Path | None = None, **more: Any) -> Embedder:
    settings = EmbeddingSettings.model_validate({"provider": "endpoint", "url": url, "model": "tiny", **more})
    embedder, _ = choose_embedder(settings, cache)
    assert embedder is not None
    return embedder


def test_texts_are_sent_in_batches_and_come_back_in_order(service: Service) -> None:
    texts = [f"tea {'and tea ' * (number % 7)}{number}" for number in range(150)]

    vectors = embedder_at(service.url).embed_passages(texts)

    assert [len(asked["input"]) for asked in service.asked] == [64, 64, 22]
    assert {asked["model"] for asked in service.asked} == {"tiny"}
    assert vectors[6] == embedder_at(service.url).embed_passages([texts[6]])[0]


def test_the_length_of_vectors_is_asked_once_for_all_processes(service: Service, tmp_path: Path) -> None:
    assert embedder_at(service.url, tmp_path).dimensions == 3
    assert embedder_at(service.url, tmp_path).dimensions == 3
    assert len(service.asked) == 1


def test_what_was_embedded_before_is_not_sent_again(service: Service, tmp_path: Path) -> None:
    embedder_at(service.url, tmp_path).embed_passages(["tea", "berlin"])
    embedder_at(service.url, tmp_path).embed_passages(["berlin", "database"])

    assert [asked["input"] for asked in service.asked] == [["tea", "berlin"], ["database"]]


def test_a_busy_service_gets_further_attempts(service: Service, pauses: list[float]) -> None:
    service.answers = [BUSY, (429, b"")]

    assert embedder_at(service.url).embed_passages(["tea"])
    assert len(service.asked) == 3
    assert pauses == [0.5, 1.0]


def test_a_service_that_stays_busy_is_an_error(service: Service) -> None:
    service.answers = [BUSY] * 9

    with pytest.raises(EmbeddingError, match=r"answered 503: .*overloaded"):
        embedder_at(service.url).embed_passages(["tea"])
    assert len(service.asked) == 3


def test_a_question_waits_for_no_second_attempt(service: Service) -> None:
    service.answers = [BUSY]

    with pytest.raises(EmbeddingError, match="503"):
        embedder_at(service.url).embed_query("tea")
    assert len(service.asked) == 1


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((401, b"no"), "answered 401: no"),
        ((404, b"<html>" + b"x" * 9999), "answered 404"),
        ((200, b"<html>"), "something else than JSON"),
        ((200, b"\xff\xfe\xfd"), "something else than JSON"),
        ((200, b"[]"), "without embeddings"),
        ((200, b'{"data": [{"index": 0, "embedding": "AAAA"}]}'), "without embeddings"),
        ((200, b'{"data": [{"index": 0, "embedding": [null]}]}'), "without embeddings"),
        ((200, b'{"data": []}'), "0 vectors for 1 texts"),
        ((200, b'{"data": [{"index": 0, "embedding": []}]}'), "1 vectors for 1 texts"),
        ((200, b'{"data": [{"index": 0, "embedding": [NaN, 1.0]}]}'), "numbers that are none"),
        ((302, b""), "answered 302"),
    ],
)
def test_a_wrong_answer_is_one_sentence_and_no_second_attempt(
    service: Service, answer: tuple[int, bytes], words: str
) -> None:
    service.answers = [answer]

    with pytest.raises(EmbeddingError, match=words) as caught:
        embedder_at(service.url).embed_passages(["tea"])
    assert len(caught.value.message) < 400
    assert len(service.asked) == 1


def test_a_service_that_is_not_there_is_an_error_that_names_it(service: Service) -> None:
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    with pytest.raises(EmbeddingError, match=rf"127.0.0.1:{port}/v1/embeddings cannot be reached"):
        embedder_at(f"http://127.0.0.1:{port}/v1").embed_query("tea")


def test_a_silent_service_is_left_alone_for_a_while(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = embedder_at("http://127.0.0.1:1/v1")
    with pytest.raises(EmbeddingError, match="cannot be reached"):
        embedder.embed_passages(["tea"])
    with pytest.raises(EmbeddingError, match="silent a moment ago"):
        embedder.embed_query("tea")

    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 31)
    with pytest.raises(EmbeddingError, match="cannot be reached"):
        embedder.embed_query("tea")


def test_a_service_that_changes_its_model_is_found_out(service: Service, tmp_path: Path) -> None:
    assert embedder_at(service.url, tmp_path).embed_passages(["tea"])
    service.answers = [(200, b'{"data": [{"index": 0, "embedding": [1.0, 2.0]}]}')]

    with pytest.raises(EmbeddingError, match="vectors of 2 numbers instead of 3"):
        embedder_at(service.url, tmp_path).embed_query("berlin")


def test_a_service_that_does_not_answer_is_given_up(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = service.answer

    def late(body: dict[str, Any], key: str | None) -> tuple[int, bytes]:
        until = time.monotonic() + 1.0
        while time.monotonic() < until:
            pass
        return answer(body, key)

    monkeypatch.setattr(service, "answer", late)
    monkeypatch.setattr(endpoint, "BATCH_S", 0.1)

    with pytest.raises(EmbeddingError, match="cannot be reached: timed out"):
        embedder_at(service.url).embed_query("tea")


def test_the_key_comes_from_the_variable_that_is_named(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    monkeypatch.setenv("MY_KEY", "one-two")
    embedder_at(service.url, key_variable="MY_KEY").embed_query("tea")
    embedder_at(service.url).embed_query("tea")

    assert service.keys == ["Bearer one-two", None]


def test_the_key_comes_from_the_key_ring_else(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    ring, errors = types.ModuleType("keyring"), types.ModuleType("keyring.errors")
    ring.get_password = lambda place, name: f"{place} {name}"  # type: ignore[attr-defined]
    errors.KeyringError = type("KeyringError", (Exception,), {})  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keyring", ring)
    monkeypatch.setitem(sys.modules, "keyring.errors", errors)

    embedder_at(service.url).embed_query("tea")

    assert service.keys == [f"Bearer engram {service.url}"]


def test_a_key_leaves_this_machine_encrypted_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGRAM_EMBEDDINGS_KEY", "secret")

    with pytest.raises(EmbeddingError, match=r"not sent to example\.org") as caught:
        embedder_at("http://example.org/v1").embed_query("tea")
    assert "secret" not in caught.value.message


def test_a_key_that_no_header_can_hold_is_an_error_that_does_not_show_it(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAM_EMBEDDINGS_KEY", "schlüssel\n")

    with pytest.raises(EmbeddingError) as caught:
        embedder_at(service.url).embed_query("tea")
    assert "schl" not in caught.value.message


@pytest.mark.parametrize(
    "url",
    [
        "localhost:11434",
        "ftp://host/v1",
        "http://",
        "https://user:word@host/v1",
        "https://host/v1?key=1",
        "https://h/#x",
    ],
)
def test_an_address_that_is_none_or_holds_a_secret_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match=r"embeddings\.url"):
        parse_settings({"embeddings": {"url": url}}, "engram.toml")


def test_the_body_is_what_such_services_expect(service: Service) -> None:
    embedder_at(service.url, model="nomic", prefixes="e5").embed_query("tea")

    assert json.loads(json.dumps(service.asked)) == [{"model": "nomic", "input": ["query: tea"]}]
