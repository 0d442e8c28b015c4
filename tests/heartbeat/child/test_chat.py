"""Chat services on this machine, as they answer and as they misbehave, asked by the process that asks them."""

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from http.server import ThreadingHTTPServer
from typing import Any

import pytest

from engram.heartbeat.child import chat
from engram.heartbeat.child.budget import spent_today
from engram.workspace import Workspace
from tests.heartbeat import agent
from tests.heartbeat.child.conftest import extract
from tests.heartbeat.child.conftest import reads_with

pytest.importorskip("httpx", reason="needs httpx")

Answer = tuple[int, dict[str, str], bytes]
BUSY: Answer = (429, {"Retry-After": "0"}, b'{"error": {"message": "slow down", "type": "rate_limit"}}')


class Service:
    """Speaks both interfaces; answers first what a test told it to, then as a good agent."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any], str | None]] = []
        self.answers: list[Answer] = []
        self.url = ""

    def answer(self, path: str, body: dict[str, Any], key: str | None) -> Answer:
        self.asked.append((path, body, key))
        if self.answers:
            return self.answers.pop(0)
        said = {"role": "assistant", "content": f"Here it is.\n{agent.reply('good', body['messages'][0]['content'])}"}
        if path == "/api/chat":
            found: dict[str, Any] = {"message": said, "done": True, "prompt_eval_count": 400, "eval_count": 90}
        else:
            usage = {"prompt_tokens": 500, "completion_tokens": 60, "total_tokens": 560}
            found = {"choices": [{"index": 0, "message": said, "finish_reason": "stop"}], "usage": usage}
        return 200, {}, json.dumps(found).encode()


@contextlib.contextmanager
def running() -> Iterator[Service]:
    service = Service()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, headers, content = service.answer(self.path, body, self.headers["Authorization"])
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    service.url = f"http://127.0.0.1:{server.server_port}"
    yield service
    server.shutdown()
    server.server_close()


@pytest.fixture
def service() -> Iterator[Service]:
    """A real HTTP server on this machine."""
    with running() as made:
        yield made


def test_a_service_reads_for_the_heartbeat(noted: Workspace, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "k1")
    settings: dict[str, Any] = {
        "agent_url": f"{service.url}/v1",
        "agent_model": "small-1",
        "agent_key_variable": "MY_KEY",
    }
    workspace = reads_with(noted, agent="http", **settings)
    phase = extract(workspace)
    ((path, body, key),) = service.asked

    assert (phase.status, phase.stats["created"]) == ("ok", 2)
    assert (path, body["model"], body["stream"], key) == ("/v1/chat/completions", "small-1", False, "Bearer k1")
    assert phase.model == {"by": "http", "calls": 1, "input_tokens": 500, "output_tokens": 60, "cost_usd": 0.0}
    assert spent_today(workspace).usage.tokens == 560


def test_ollama_reads_with_room_for_the_whole_prompt(noted: Workspace, service: Service) -> None:
    phase = extract(reads_with(noted, agent="ollama:qwen3:8b", agent_url=service.url, agent_tokens=9000))
    ((path, body, key),) = service.asked

    assert (phase.status, phase.stats["created"]) == ("ok", 2)
    assert (path, body["model"], key) == ("/api/chat", "qwen3:8b", None)
    assert body["options"]["num_ctx"] > 9000
    assert phase.model["input_tokens"] == 400


def test_a_busy_service_is_asked_again(noted: Workspace, service: Service) -> None:
    service.answers = [BUSY]
    phase = extract(reads_with(noted, agent="http", agent_url=service.url))

    assert (phase.alerts, len(service.asked), phase.model["calls"]) == ([], 2, 1)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((429, {"Retry-After": "3600"}, BUSY[2]), "answered 429: slow down"),
        ((401, {}, b'{"error": {"message": "Incorrect API key provided"}}'), "answered 401: Incorrect API key"),
        ((404, {}, b'{"error": "model \'x\' not found"}'), "answered 404: model 'x' not found"),
        ((200, {}, b"<html>"), "something else than a JSON object"),
        ((200, {}, b"[]"), "something else than a JSON object"),
        ((200, {}, b'{"error": {"message": "no credits"}}'), "no credits"),
        ((200, {}, b'{"choices": [{"message": {"refusal": "I cannot"}}]}'), "http refuses: I cannot"),
        ((302, {"Location": "http://127.0.0.1:1/"}, b""), "answered 302"),
    ],
)
def test_a_service_that_does_not_answer_is_one_sentence(
    noted: Workspace, service: Service, answer: Answer, words: str
) -> None:
    service.answers = [answer]
    phase = extract(reads_with(noted, agent="http", agent_url=service.url))

    assert words in phase.alerts[0]
    assert len(phase.alerts) == 1
    assert len(service.asked) == 1
    assert phase.stats["created"] == 2


def test_a_service_that_is_not_there_is_one_sentence(noted: Workspace) -> None:
    phase = extract(reads_with(noted, agent="ollama:x", agent_url="http://127.0.0.1:9"))

    assert "http://127.0.0.1:9/api/chat cannot be reached" in phase.alerts[0]
    assert phase.stats["created"] == 2


def test_a_key_goes_nowhere_without_encryption_and_stands_in_no_argument(
    noted: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engram.heartbeat.child.presets import find_preset

    monkeypatch.setenv("ENGRAM_AGENT_KEY", "k-secret")
    workspace = reads_with(noted, agent="http", agent_url="http://llm.example/v1")
    preset = find_preset(workspace.settings.heartbeat)
    assert preset is not None
    phase = extract(workspace)

    assert "the key is not sent to llm.example without encryption" in phase.alerts[0]
    assert "k-secret" not in " ".join(preset.command)
    assert "k-secret" not in (noted.paths.runs / f"{max(noted.paths.runs.glob('*.json')).name}").read_text()


def test_without_httpx_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "httpx", None)

    assert "engram-heartbeat" in chat.ask("openai", "http://127.0.0.1:9", "x", 0, "hello")["error"]["message"]
