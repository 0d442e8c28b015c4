"""The block that an agent loads at its start, and what the next sessions will load."""

from typing import Any

from engram.config.hook_settings import read_hook_choices
from engram.rules.context import Fitted
from engram.services.commands.access_counts import RecallReceipt
from engram.services.context.block import ContextAnswer
from engram.services.context.block import ContextQuery
from engram.services.context.block import load_context
from engram.services.context.project import find_worked_on
from engram.services.visibility import Caller
from engram.services.visibility import identify
from engram.workspace import Workspace


def start_block(
    workspace: Workspace, asked: ContextQuery, *, named: str | None = None, folder: str | None = None
) -> ContextAnswer:
    """Return the block for who starts; its facts are logged as given out.

    Args:
        workspace: what is known.
        asked: who starts, about what, within how many tokens; its project is found here.
        named: the project that is worked on, as somebody calls it; see `find_worked_on`.
        folder: where the asking program runs.

    Raises:
        UnknownEntityError: nobody knows a project of that name, or who asks may not.
    """
    with workspace.reading() as database:
        project = find_worked_on(database, asked.caller, named=named, folder=folder)
        asked = asked.model_copy(update={"project": project})
        answer = load_context(database, workspace.files, workspace.settings, asked, now=workspace.now())
    given = RecallReceipt(answer.hits, answer.tokens, asked.question, asked.caller.session, door="context")
    workspace.answers.note([given])
    return answer


def preview_block(workspace: Workspace, caller: Caller | None, project: str | None) -> dict[str, Any]:
    """Return the block that the next session will begin with, part by part; nothing is logged as given out.

    {"text", "tokens", "budget", "project", "parts": [{"name", "title", "tokens", "cut", "items": [{"id", "kind",
    "heading", "lines"}]}]}

    Args:
        workspace: what is known.
        caller: who will start; None: the agent that works for the owner, as hooks start it.
        project: the one that will be worked on, as somebody calls it; None: none.

    Raises:
        UnknownEntityError: nobody knows a project of that name, or who asks may not.
    """
    choices = read_hook_choices(workspace.paths)
    with workspace.reading() as database:
        who = caller or identify(database, workspace.settings.agent, None, choices.agent)
        path = find_worked_on(database, who, named=project) if project else None
        asked = ContextQuery(caller=who, budget=choices.context_tokens or None, project=path)
        answer = load_context(database, workspace.files, workspace.settings, asked, now=workspace.now())
    return {
        "text": answer.text,
        "tokens": answer.tokens,
        "budget": choices.context_tokens or workspace.settings.context.budget,
        "project": path,
        "parts": [_part(part) for part in answer.parts],
    }


def _part(part: Fitted) -> dict[str, Any]:
    items = [{"id": one.id, "kind": one.kind, "heading": one.heading, "lines": list(one.lines)} for one in part.items]
    return {"name": part.name, "title": part.title, "tokens": part.tokens, "cut": part.cut, "items": items}
