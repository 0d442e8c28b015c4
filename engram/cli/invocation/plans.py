"""How it is shown what a command would do, at every command with --dry-run."""

from collections.abc import Sequence
from typing import TYPE_CHECKING
from typing import Any

from engram.cli.invocation.asked import Invocation
from engram.cli.invocation.results import Result
from engram.cli.invocation.results import guess_text
from engram.cli.invocation.results import result_json
from engram.cli.invocation.results import say_error
from engram.operations.words.plan_text import plan_lines

if TYPE_CHECKING:
    from engram.model.changes.change import Change


def answer_plan(
    asked: Invocation, result: Result, changes: "Sequence[Change]", *, near: Sequence[dict[str, Any]] = ()
) -> int:
    """Print what a command would do, and return the exit code it would end with."""
    planned = [change.model_dump(mode="json", exclude_none=True) for change in changes]
    body = {**result_json(result, near), "dry_run": True, "changes": planned}
    refused = result["status"] == "refused"
    if not refused or asked.as_json:
        asked.emit(body, lambda: _plan_text(result, planned, body["similar"]))
    if refused:
        say_error(asked, result)
    return int(result["exit_code"])


def _plan_text(result: Result, planned: Sequence[dict[str, Any]], similar: Sequence[dict[str, Any]]) -> str:
    """Return what a command would do, for people; `planned` are its changes."""
    lines = plan_lines(planned)
    lines += [f"({result['reason']})"] if result["reason"] and not result["superseded"] else []
    lines += [guess_text(result["guessed"])] if result.get("guessed") else []
    return "\n".join([*lines, *(f"similar: {one['id']}  {one['text']}" for one in similar)])
