"""What a tool answers: text for the model, in which all that is remembered is fenced as data, and the same as JSON."""

import json
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from engram.errors import EngramError
from engram.language.screen.fence import barred
from engram.language.screen.fence import fence
from engram.language.screen.fence import visible
from engram.mcp.tool_vocabulary import in_tool_words

Value = dict[str, Any]


class Caller(NamedTuple):
    """For whom a server was started; no call can widen it."""

    session: str | None = None
    agent: str | None = None
    folder: str | None = None  # in which a host started it for one conversation; None: it serves several

    def view(self) -> dict[str, str | None]:
        """Return as whom it asks, as fields of a question."""
        return {"session": self.session, "agent": self.agent}


class Answer(NamedTuple):
    """What a tool says."""

    text: str
    value: Value
    is_error: bool = False


def fenced(label: str, lines: Sequence[str]) -> str:
    """Return lines of the memory as data."""
    return "\n".join(fence(label, (barred(visible(part)) for line in lines for part in line.splitlines() or [""])))


def fields_text(value: Mapping[str, Any]) -> list[str]:
    """Return the fields of an object that say something, one a line."""
    said = {name: one for name, one in value.items() if one not in (None, "", [], {}, 0, False)}
    return [f"{name}: {_plain(one)}" for name, one in said.items()]


def error_answer(problem: EngramError) -> Answer:
    """Return an error as a tool's answer: with its code, a sentence and what to do."""
    message, hint = in_tool_words(problem.message), in_tool_words(problem.hint)
    said: Value = {"error": problem.code, "message": message, "hint": hint, "details": problem.details}
    return Answer(error_text(problem.code, message, hint), plain(said), is_error=True)


def unforeseen(name: str, problem: Exception) -> EngramError:
    """Return what a model is told of a tool that met what it does not expect, such as a disk that fails."""
    why = (isinstance(problem, OSError) and problem.strerror) or type(problem).__name__
    return EngramError(f"{name} failed: {why}", hint="engram doctor on the command line")


def error_text(code: str, message: str, hint: str) -> str:
    """Return an error in words."""
    return f"error {code}: {message}\nhint: {hint}"


def plain(value: Any) -> Any:
    """Return a value as JSON holds it; what has no JSON form becomes its text."""
    return json.loads(json.dumps(value, ensure_ascii=False, default=str))


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_plain(one)}" for name, one in value.items() if one not in (None, [], ()))
    if isinstance(value, list | tuple):
        return ("; " if any(isinstance(one, Mapping) for one in value) else ", ").join(map(_plain, value))
    return str(value)
