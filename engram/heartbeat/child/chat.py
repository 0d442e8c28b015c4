"""A question to a chat service, as a process: `python -m engram.heartbeat.child.chat INTERFACE URL MODEL ROOM`.

The prompt on standard input, the service's JSON on standard output, for `child.replies` to read; what went wrong is
`{"error": {"message": ...}}`. The key stands in the environment, for arguments can be seen by others. A process of its
own, so that a service that hangs is ended with it like any other program that reads for the heartbeat.
"""

import json
import os
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING
from typing import Any
from typing import Final
from urllib.parse import urlsplit

from engram.base.json_values import load_json
from engram.base.machine.install_hints import install_command
from engram.base.machine.retry_after import wanted_pause

if TYPE_CHECKING:
    import httpx

KEY: Final = "ENGRAM_AGENT_KEY"  # environment variable of this process
OPENAI, OLLAMA = "openai", "ollama"  # interfaces
_CONNECT_S: Final = 5.0  # a service that does not even take the call is not there
_ATTEMPTS: Final = 3
_PAUSE_S: Final = 1.0  # before the second attempt; doubled before each further one
_LONGEST_PAUSE_S: Final = 20.0  # a service that wants a longer one is asked at the next heartbeat
_PASSING: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504})  # answers that another attempt may better
_THIS_MACHINE: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_SHOWN: Final = 300  # characters of what a service says about an error


def main(argv: list[str]) -> int:
    """Ask once, or again where that may help; return the exit code."""
    interface, url, model, room = argv[1:5]
    prompt = sys.stdin.buffer.read().decode("utf-8", errors="replace")
    answer = ask(interface, url, model, int(room), prompt)
    sys.stdout.write(json.dumps(answer) + "\n")
    return 1 if answer.get("error") else 0


def ask(interface: str, url: str, model: str, room: int, prompt: str) -> Mapping[str, Any]:
    """Return the service's answer, or `error` with a `message`; `room` is the context in tokens, for Ollama alone."""
    try:
        import httpx  # noqa: PLC0415 - 0.1 s, and others import this module for its names
    except ImportError:
        return _problem(f"httpx is not installed ({install_command()})")
    place = urlsplit(url)
    key = os.environ.get(KEY, "")
    if key and place.scheme == "http" and place.hostname not in _THIS_MACHINE:
        return _problem(f"the key is not sent to {place.hostname} without encryption")
    address = f"{url}/api/chat" if interface == OLLAMA else f"{url}/chat/completions"
    asked: dict[str, Any] = {"messages": [{"role": "user", "content": prompt}], "stream": False}
    if model:
        asked["model"] = model
    if interface == OLLAMA:
        asked["options"] = {"num_ctx": room, "temperature": 0}
    try:
        # Time is limited from outside: a model on this machine may think for minutes.
        with httpx.Client(
            headers={"Authorization": f"Bearer {key}"} if key else {}, timeout=httpx.Timeout(None, connect=_CONNECT_S)
        ) as client:
            return _post(client, address, asked)
    except (httpx.HTTPError, httpx.InvalidURL) as problem:
        return _problem(f"{address} cannot be reached: {problem or type(problem).__name__}")
    except (ValueError, UnicodeError):  # a key with signs that no header may hold
        return _problem("the key for the service cannot be sent")


def _post(client: "httpx.Client", address: str, asked: Mapping[str, Any]) -> Mapping[str, Any]:
    pause = _PAUSE_S
    for attempt in range(1, _ATTEMPTS + 1):
        answer = client.post(address, json=asked)
        wanted = wanted_pause(answer.headers.get("retry-after"))
        if answer.status_code not in _PASSING or attempt == _ATTEMPTS or wanted > _LONGEST_PAUSE_S:
            break
        time.sleep(max(pause, wanted))
        pause *= 2
    try:
        found = load_json(answer.content)
    except ValueError:
        found = None
    if answer.is_success and isinstance(found, dict):
        return found
    if answer.is_success:
        return _problem(f"{address} answered with something else than a JSON object")
    return _problem(f"{address} answered {answer.status_code}: {_said(found, answer)}")


def _said(found: object, answer: "httpx.Response") -> str:
    error = found.get("error") if isinstance(found, dict) else None
    said = error.get("message") if isinstance(error, dict) else error
    return " ".join(str(said or answer.text).split())[:_SHOWN]


def _problem(message: str) -> dict[str, Any]:
    return {"error": {"message": message}}


if __name__ == "__main__":
    sys.exit(main(sys.argv))
