"""The ten tools: name, what a host is told of each, and what does it. Each is called like the command it stands for."""

from collections.abc import Callable
from typing import Any
from typing import NamedTuple

from pydantic import ValidationError

from engram.errors import BadValueError
from engram.errors import NotFoundError
from engram.mcp import arguments as given
from engram.mcp import reading
from engram.mcp import reviewing
from engram.mcp import writing
from engram.mcp.answers import Answer
from engram.mcp.answers import Caller
from engram.workspace import Workspace

_FIRST = 5  # wrong arguments that an error names


class Tool(NamedTuple):
    """One tool."""

    description: str
    arguments: type[given.Arguments]
    run: Callable[[Workspace, Caller, Any], Answer]
    reads_only: bool = False
    destroys: bool = False  # what was believed before is not believed after
    idempotent: bool = False  # twice is the same as once


TOOLS: dict[str, Tool] = {
    "recall": Tool(
        "Ask the memory. Use before answering about people, projects, preferences or past decisions.",
        given.RecallArguments,
        reading.recall,
        reads_only=True,
    ),
    "show": Tool("Show one fact or hit whole, by its id.", given.ShowArguments, reading.show, reads_only=True),
    "write": Tool(
        "Record one lasting fact. What is known already is confirmed, not stored twice.",
        given.WriteArguments,
        writing.write,
        idempotent=True,
    ),
    "correct": Tool(
        "Replace a fact by what is right; the old one stays in the history.",
        given.CorrectArguments,
        writing.correct,
        destroys=True,
        idempotent=True,
    ),
    "forget_request": Tool(
        "Ask a person to forget something. Deletes nothing.",
        given.ForgetArguments,
        writing.forget_request,
        idempotent=True,
    ),
    "context": Tool(
        "The block to load when work begins: instructions, handoff, decisions, notes, facts in play.",
        given.ContextArguments,
        reading.context,
        reads_only=True,
    ),
    "note": Tool(
        "Append a line to today's note, or leave the handoff that the next session reads first.",
        given.NoteArguments,
        writing.note,
    ),
    "review": Tool(
        "List contradictions and observations that wait to be settled, or settle one. Can be undone by a person.",
        given.ReviewArguments,
        reviewing.review,
        destroys=True,
    ),
    "domain": Tool(
        "List the domains of subagents, read the context of one, or report into it.",
        given.DomainArguments,
        writing.domain,
    ),
    "status": Tool(
        "How the memory stands, or what became of a command.", given.StatusArguments, reading.status, reads_only=True
    ),
}


def call_tool(workspace: Workspace, who: Caller, name: str, arguments: dict[str, Any]) -> Answer:
    """Run one tool.

    Raises:
        NotFoundError: when there is none of that name.
        BadValueError: for arguments that its schema does not allow.
        EngramError: as the command of that name does.
    """
    tool = find_tool(name)
    try:
        said = tool.arguments.model_validate(arguments)
    except ValidationError as problem:
        wrong = [
            f"{'.'.join(str(part) for part in one['loc']) or name}: {one['msg']}"
            for one in problem.errors(include_url=False, include_input=False, include_context=False)[:_FIRST]
        ]
        known = ", ".join(tool.arguments.model_fields)
        raise BadValueError("; ".join(wrong), hint=f"{name} takes: {known}") from problem
    return tool.run(workspace, who, said)


def find_tool(name: str) -> Tool:
    """Return the tool of a name; raise NotFoundError."""
    if name not in TOOLS:
        raise NotFoundError(f"there is no tool {name!r}", hint=f"tools: {', '.join(TOOLS)}")
    return TOOLS[name]
