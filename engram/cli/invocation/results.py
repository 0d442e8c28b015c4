"""How the result of a change is shown, at every command that changes something. Light: results pass as plain JSON."""

import json
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

from engram.base.text import without_control
from engram.cli.invocation.asked import Invocation
from engram.cli.terminal.streams import print_aside

Result = Mapping[str, Any]  # model.commands.command.CommandResult as JSON

_MARKS = {"tension": "! ", "quarantined": "! ", "refused": "x "}
_QUARANTINED = "engram review shows it to a person, who may release it"
_INTERNAL = frozenset({"exit_code", "kind", "details"})


def result_json(result: Result, near: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """Return a result with the keys of the contract."""
    words = {name: value for name, value in result.items() if name not in _INTERNAL}
    named = {result["id"], *result["superseded"]}
    similar = {one["id"]: one for one in (*result["similar"], *near) if one["id"] not in named}
    return {**words, "similar": list(similar.values()), **({"details": result["details"]} if result["details"] else {})}


def result_text(result: Result) -> str:
    """Return a result as a line or two for people."""
    what = result["id"] or result["command_id"]
    said = f": {result['fact']['text']}" if result["fact"] else ""
    lines = [f"{_MARKS.get(result['status'], '')}{result['status']}  {what}{said}"]
    if result["reason"]:
        lines.append(f"  {result['reason']}")
    if guess := result.get("guessed"):
        lines.append(f"  {guess_text(guess, is_undone='undoable' in result['details'])}")
    lines.extend(f"  similar: {one['id']}  {one['text']}" for one in result["similar"])
    return "\n".join(lines)


def answer_result(asked: Invocation, result: Result, *, near: Sequence[dict[str, Any]] = ()) -> int:
    """Print a result, and on refusal also the error, and return the exit code."""
    refused = result["status"] == "refused"
    if held := result["status"] == "quarantined":
        result = {**result, "hint": _QUARANTINED}
    if not refused or asked.as_json:
        asked.emit(result_json(result, near), result_text(result))
    if held and not asked.as_json:
        print_aside(f"hint: {_QUARANTINED}")
    if result["status"] == "accepted" and not asked.as_json:
        why = "" if result["details"].get("shared") is False else "the store is busy; "  # the reason says why else
        print_aside(f"{why}engram status {result['command_id']} tells what became of it")
    if refused:
        say_error(asked, result)
    return int(result["exit_code"])


def guess_text(guess: Mapping[str, Any], *, is_undone: bool = False) -> str:
    """Return what was found for a statement, and how that is taken back if it can be."""
    about = f"about {guess['entity']}{' (new)' if guess['new'] else ''}" if "entity" in guess else ""
    kind = f"as {guess['category']}" if "category" in guess else ""
    found = ", ".join(part for part in (about, kind) if part)
    return f"{found}; engram undo takes it back" if is_undone else found


def say_error(asked: Invocation, result: Result) -> None:
    """Say on standard error why something was refused."""
    near = result["details"].get("near") or []
    hint = f"did you mean {', '.join(near)}? {result['hint']}" if near else result["hint"]
    if asked.as_json:
        words = {"error": result["error"], "message": result["reason"], "hint": hint, "details": result["details"]}
        print_aside(json.dumps(words, ensure_ascii=False))
    else:
        print_aside(without_control(f"error: {result['reason']}\nhint: {hint}"))
