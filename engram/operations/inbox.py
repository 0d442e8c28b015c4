"""Handoffs with an addressee: sent, listed and answered, in the name of whom the door speaks for."""

from collections.abc import Mapping
from typing import Any

from engram.errors import RefusedError
from engram.ports.database import FactDatabase
from engram.services.silo.inbox import inbox_view
from engram.services.silo.inbox import read_inbox
from engram.services.visibility import Caller
from engram.services.visibility import caller_of
from engram.workspace import Workspace

SEND = "handoff-send"
ANSWER = "handoff-answer"


def sending(workspace: Workspace, caller: Caller | None, to: str, text: str) -> dict[str, Any]:
    """Return the arguments of the command that sends; the sender is the agent that speaks, else the workspace's own."""
    own = workspace.settings.agent
    sender = caller.agent if caller is not None and caller.agent else own
    return {"to": to, "text": text, "sender": sender, "session": caller.session if caller is not None else None}


def answering(
    workspace: Workspace, caller: Caller | None, handoff_id: str, answer: str, reason: str | None
) -> dict[str, Any]:
    """Return the arguments of the command that answers; `answer` is accept or reject.

    Raises RefusedError in a session that is kept apart, in which none is shown.
    """
    if caller is not None and (caller.apart or caller.group):
        raise RefusedError("this session is kept apart: it answers no handoff", hint="answer it in another session")
    agent = caller.agent if caller is not None and caller.agent else workspace.settings.agent
    return {"id": handoff_id, "answer": answer, "reason": reason, "agent": agent, "owner": caller is None}


def show_inbox(workspace: Workspace, caller: Caller | None, *, every: bool = False) -> dict[str, Any]:
    """Return {"agent", "waiting", "handoffs", "answers", "others"}; for None what waits for anybody."""
    settings = workspace.settings
    with workspace.reading() as database:
        found = read_inbox(database, caller, workspace.now(), settings.zone, every=every)
    return inbox_view(found, caller.agent if caller is not None else None)


def is_known_agent(workspace: Workspace, database: FactDatabase, name: str) -> bool:
    """Tell whether an agent was ever here: it is the workspace's own, or has sessions, notes or sent handoffs."""
    own = workspace.settings.agent
    if name == own or (workspace.paths.memory / name).is_dir():
        return True
    spoke = {caller_of(own, one.name, None, {}).agent for one in database.list_sessions()}
    return name in spoke | {one.sender for one in database.list_handoffs("all")}


def told_of_stranger(workspace: Workspace, result: Mapping[str, Any], to: str) -> dict[str, Any]:
    """Return what became of a sending, with a word when no agent of that name was ever here."""
    with workspace.reading() as database:
        if is_known_agent(workspace, database, to):
            return dict(result)
    said = f"no agent {to} was here yet; it waits until one comes"
    return {**result, "reason": "; ".join(filter(None, [result["reason"], said]))}
