"""The block that an agent loads at its start."""

from engram.services.commands.access_counts import RecallReceipt
from engram.services.context.block import ContextAnswer
from engram.services.context.block import ContextQuery
from engram.services.context.block import load_context
from engram.services.context.project import find_worked_on
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
        answer = load_context(database, workspace.paths, workspace.settings, asked, now=workspace.now())
    given = RecallReceipt(answer.hits, answer.tokens, asked.question, asked.caller.session, door="context")
    workspace.log_accesses([given])
    return answer
