"""Downloading from a model hub: a hub on this machine that answers as the real one does, and hubs that do not."""

import hashlib
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.store.embedding.making import make_model

pytest.importorskip("fastembed")

REPOSITORY = "Xenova/multilingual-e5-small"
ENGRAM = [sys.executable, "-m", "engram"]
COMMIT = "a" * 40


class Hub:
    """The files of one repository, and what to break."""

    def __init__(self, folder: Path) -> None:
        self.files = {
            path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
        }
        self.cut = ""  # a file of which only half is sent
        self.refused = ""  # a path that is answered with 403
        self.url = ""

    def answer(self, path: str) -> tuple[int, dict[str, str], bytes]:
        if self.refused and self.refused in path:
            return 403, {}, b"forbidden"
        if path.startswith(f"/api/models/{REPOSITORY}/tree/"):
            return 200, {}, json.dumps([self._entry(name) for name in self.files]).encode()
        if path.startswith(f"/api/models/{REPOSITORY}"):
            siblings = [{"rfilename": name} for name in self.files]
            return 200, {}, json.dumps({"id": REPOSITORY, "sha": COMMIT, "siblings": siblings}).encode()
        name = path.partition(f"/{REPOSITORY}/resolve/{COMMIT}/")[2].partition("?")[0]
        if name not in self.files:
            return 404, {"x-error-code": "EntryNotFound"}, b""
        content = self.files[name]
        return 200, {"etag": f'"{self._blob(content)}"', "x-repo-commit": COMMIT}, content

    def _entry(self, name: str) -> dict[str, Any]:
        content = self.files[name]
        return {"type": "file", "path": name, "size": len(content), "oid": self._blob(content)}

    def _blob(self, content: bytes) -> str:
        return hashlib.sha1(content).hexdigest()


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    made = Hub(make_model(tmp_path / "source", graph="onnx/model_quantized.onnx"))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            code, headers, content = made.answer(self.path)
            self.send_response(code)
            for name, value in {**headers, "content-length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            is_cut = bool(made.cut) and made.cut in self.path
            if self.command != "HEAD":
                self.wfile.write(content[: len(content) // 2] if is_cut else content)
                self.close_connection = is_cut

        do_HEAD = do_GET  # noqa: N815 - the base class's name

        def log_message(self, *args: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        made.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield made
        server.shutdown()


def download(workspace: Path, url: str, *more: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HF_ENDPOINT": url, "HF_HUB_DISABLE_XET": "1", "HF_HUB_DOWNLOAD_TIMEOUT": "2"}
    environment.pop("HF_HUB_OFFLINE", None)
    command = [*ENGRAM, "--workspace", str(workspace), "config", "embeddings", "download", *more]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)


def used(workspace: Path) -> str | None:
    """Return the model that `status` says is used."""
    command = [*ENGRAM, "--workspace", str(workspace), "config", "embeddings", "status", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    name: str | None = json.loads(done.stdout)["used"]
    return name


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "engram.toml").write_text('[embeddings]\nprovider = "fastembed"\n')
    return folder


def left(tmp_path: Path) -> list[str]:
    cache = tmp_path / "fastembed"
    return sorted(path.name for path in cache.iterdir()) if cache.is_dir() else []


def test_a_model_is_downloaded_and_then_used(hub: Hub, place: Path, tmp_path: Path) -> None:
    done = download(place, hub.url, "--json")

    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["model"].startswith(f"{REPOSITORY}@")
    assert (said["dimensions"], said["folder"]) == (4, str(tmp_path / "fastembed"))
    assert said["prefixes"] == {"query": "query: ", "passage": "passage: "}
    assert left(tmp_path) == ["models--Xenova--multilingual-e5-small"]
    assert used(place) == said["model"]


def test_it_may_be_downloaded_again(hub: Hub, place: Path, tmp_path: Path) -> None:
    first, second = (download(place, hub.url, "--json") for _ in range(2))

    assert json.loads(first.stdout)["model"] == json.loads(second.stdout)["model"]
    assert left(tmp_path) == ["models--Xenova--multilingual-e5-small"]


def test_a_dry_run_asks_nobody(place: Path, tmp_path: Path) -> None:
    done = download(place, "http://127.0.0.1:9", "--dry-run")

    assert (done.returncode, done.stdout.split()[:2]) == (0, ["would", "download"])
    assert left(tmp_path) == []


def assert_failed(done: subprocess.CompletedProcess[str], words: str) -> None:
    assert done.returncode == 7
    error, hint = done.stderr.strip().splitlines()[-2:]
    assert error.startswith("error: ")
    assert words in error
    assert hint.startswith("hint: ")
    assert "Traceback" not in done.stderr


def test_without_a_network_it_says_so_soon(place: Path, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    assert_failed(download(place, f"http://127.0.0.1:{port}"), "the hub is not reached")
    assert left(tmp_path) == []


def test_a_hub_that_refuses_is_named(hub: Hub, place: Path, tmp_path: Path) -> None:
    hub.refused = "/api/models/"

    assert_failed(download(place, hub.url), "the hub does not give out")
    assert left(tmp_path) == []


def test_a_repository_without_the_model_is_not_taken(hub: Hub, place: Path, tmp_path: Path) -> None:
    assert download(place, hub.url).returncode == 0
    before = used(place)
    del hub.files["onnx/model_quantized.onnx"]

    assert_failed(download(place, hub.url), "not the whole model")
    assert used(place) == before
    assert left(tmp_path) == ["models--Xenova--multilingual-e5-small"]


def test_a_download_that_breaks_off_leaves_what_was_there(hub: Hub, place: Path, tmp_path: Path) -> None:
    hub.cut = "model_quantized.onnx"
    assert_failed(download(place, hub.url), REPOSITORY)
    assert left(tmp_path) == []

    hub.cut = ""
    assert download(place, hub.url).returncode == 0
    hub.cut = "tokenizer.json"
    assert_failed(download(place, hub.url), REPOSITORY)
    assert used(place)
