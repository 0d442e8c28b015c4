"""Prompts that a host offers to its user: to settle what waits, and to hand over at the end of a session."""

from collections.abc import Callable
from typing import NamedTuple

from engram.errors import NotFoundError
from engram.mcp.answers import Caller
from engram.mcp.arguments import ContextArguments
from engram.mcp.arguments import ReviewArguments
from engram.mcp.read_tools import context
from engram.mcp.review_tool import review
from engram.workspace import Workspace

_REVIEW = """Go through what waits for review in the memory, one thing at a time.

For each: show me both sides with their dates and sources, say which outcome you would choose and why, and wait for my
word. Then settle it with the tool `memory_review` (id, outcome, and keep, text or entity where the outcome needs one).
Settle nothing that I have not agreed to.
"""
_HANDOFF = """Write a handoff for the session that comes after this one.

Say in at most 300 words: what was being done and why, what is finished, what comes next, what is open or blocked, and
which decisions were made. No secrets. Show it to me, then save it with the tool `memory_note` (section "handoff").
Record facts that should last with `memory_remember`, one statement each.
"""


class Prompt(NamedTuple):
    """One prompt."""

    description: str
    render: Callable[[Workspace, Caller], str]


def _review(workspace: Workspace, who: Caller) -> str:
    return f"{_REVIEW}\n{review(workspace, who, ReviewArguments()).text}"


def _handoff(workspace: Workspace, who: Caller) -> str:
    return f"{_HANDOFF}\n{context(workspace, who, ContextArguments()).text}"


PROMPTS = {
    "review": Prompt("Settle what waits for review, one thing at a time.", _review),
    "handoff": Prompt("Write down where this session stands, for the next one.", _handoff),
}


def render_prompt(workspace: Workspace, who: Caller, name: str) -> str:
    """Return the text of a prompt; raise NotFoundError."""
    if name not in PROMPTS:
        raise NotFoundError(f"there is no prompt {name!r}", hint=f"prompts: {', '.join(PROMPTS)}")
    return PROMPTS[name].render(workspace, who)
