"""The ten tools: name, what a host is told of each, and what does it. Each is called like the command it stands for.

All names begin with `memory_`, so that none is taken for a tool of another server: many have a `recall` or a `status`.
"""

import difflib
from collections.abc import Callable
from collections.abc import Mapping
from typing import Any
from typing import NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from engram.errors import BadValueError
from engram.errors import NotFoundError
from engram.mcp import arguments as given
from engram.mcp import read_tools
from engram.mcp import review_tool
from engram.mcp import write_tools
from engram.mcp.answers import Answer
from engram.mcp.answers import Caller
from engram.model.commands.field_errors import wrong_field
from engram.workspace import Workspace

_PREFIX = "memory_"
_FIRST = 5  # wrong arguments that an error names
_LIKE = 0.6  # likeness of two names from which one is offered for the other
_ARGUMENTS = {  # what other memories call an argument -> what it is called here
    **dict.fromkeys(("text", "content", "statement", "memory", "observation"), "fact"),
    **dict.fromkeys(("question", "q", "search", "prompt"), "query"),
    **dict.fromkeys(("name", "subject", "about", "person", "project", "path"), "entity"),
    **dict.fromkeys(("fact_id", "memory_id", "ids"), "id"),
    **dict.fromkeys(("k", "n", "top_k", "max_results"), "limit"),
}
_TOOLS = {  # what other memories call a tool -> what it is called here, without memory_
    **dict.fromkeys(("add", "write", "save", "store", "create"), "remember"),
    **dict.fromkeys(("search", "query", "ask", "find"), "recall"),
    **dict.fromkeys(("update", "edit", "replace"), "correct"),
    **dict.fromkeys(("delete", "forget", "remove", "retract"), "forget_request"),
    **dict.fromkeys(("get", "read", "open", "why", "history"), "show"),
    **dict.fromkeys(("handoff", "log"), "note"),
}


class Tool(NamedTuple):
    """One tool."""

    description: str
    arguments: type[given.Arguments]
    run: Callable[[Workspace, Caller, Any], Answer]
    example: Mapping[str, Any]  # arguments of a call that works
    reads_only: bool = False
    destroys: bool = False  # what was believed before is not believed after
    idempotent: bool = False  # twice is the same as once


TOOLS: dict[str, Tool] = {
    "memory_recall": Tool(
        "Ask the memory. Use before answering about people, projects, preferences or past decisions.",
        given.RecallArguments,
        read_tools.recall,
        {"query": "what does Anna prefer"},
        reads_only=True,
    ),
    "memory_show": Tool(
        "Show one fact or hit whole, by its id.",
        given.ShowArguments,
        read_tools.show,
        {"id": "people/anna-001"},
        reads_only=True,
    ),
    "memory_remember": Tool(
        "Record one lasting fact. What is known is confirmed, not stored twice; a new name makes an entity.",
        given.RememberArguments,
        write_tools.remember,
        {"entity": "people/anna", "fact": "Anna prefers tea"},
        idempotent=True,
    ),
    "memory_correct": Tool(
        "Replace a fact by what is right; the old one stays in the history.",
        given.CorrectArguments,
        write_tools.correct,
        {"id": "people/anna-001", "fact": "Anna prefers coffee"},
        destroys=True,
        idempotent=True,
    ),
    "memory_forget_request": Tool(
        "Ask a person to forget something. Deletes nothing.",
        given.ForgetArguments,
        write_tools.forget_request,
        {"what": "people/anna-001"},
        idempotent=True,
    ),
    "memory_context": Tool(
        "The block to load when work begins: instructions, handoff, decisions, notes, facts in play.",
        given.ContextArguments,
        read_tools.context,
        {},
        reads_only=True,
    ),
    "memory_note": Tool(
        "Append a line to today's note, or leave a handoff: for the next session, or to another agent.",
        given.NoteArguments,
        write_tools.note,
        {"text": "The release was moved to Friday"},
    ),
    "memory_review": Tool(
        "List contradictions, observations and handoffs that wait, or settle one. Can be undone by a person.",
        given.ReviewArguments,
        review_tool.review,
        {},
        destroys=True,
    ),
    "memory_domain": Tool(
        "List the domains of subagents, read the context of one, or report into it.",
        given.DomainArguments,
        write_tools.domain,
        {},
    ),
    "memory_status": Tool(
        "How the memory stands, in a few lines, or what became of a command.",
        given.StatusArguments,
        read_tools.status,
        {},
        reads_only=True,
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
        found = problem.errors(include_url=False, include_input=False)
        raise _bad_arguments(name, tool, found[:_FIRST]) from problem
    return tool.run(workspace, who, said)


def find_tool(name: str) -> Tool:
    """Return the tool of a name; raise NotFoundError, which says which tool may be meant."""
    if name in TOOLS:
        return TOOLS[name]
    said = name.rpartition("__")[2].removeprefix(_PREFIX)
    meant = _meant(said, [one.removeprefix(_PREFIX) for one in TOOLS], _TOOLS)
    hint = f"call {_PREFIX}{meant}" if meant else f"tools: {', '.join(TOOLS)}"
    raise NotFoundError(f"there is no tool {name!r}", hint=hint)


def _bad_arguments(name: str, tool: Tool, found: list[ErrorDetails]) -> BadValueError:
    """Return what is wrong with each argument, and a call that works."""
    known = list(tool.arguments.model_fields)
    wrong = [_wrong(name, known, one) for one in found]
    example = ", ".join(f"{key}={value!r}" for key, value in tool.example.items())
    return BadValueError("; ".join(wrong), hint=f"{name} takes: {', '.join(known)}; such as {name}({example})")


def _wrong(name: str, known: list[str], one: ErrorDetails) -> str:
    where = ".".join(str(part) for part in one["loc"]) or name
    if one["type"] == "extra_forbidden":
        meant = _meant(where, known, _ARGUMENTS)
        return f"{name} has no argument {where}" + (f", did you mean {meant}?" if meant else "")
    return wrong_field(where, one)


def _meant(said: str, known: list[str], words: Mapping[str, str]) -> str:
    """Return the name that is meant by one that is none: its other word, or one that is written alike; "" for none."""
    said = words.get(said, said)
    if said in known:
        return said
    return next(iter(difflib.get_close_matches(said, known, n=1, cutoff=_LIKE)), "")
