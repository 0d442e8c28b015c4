"""How it stands with what one fact names, as the doors that show a fact tell it."""

from engram.config.project_folders import read_project_folders
from engram.model.fact import Fact
from engram.ports.database import FactDatabase
from engram.services.recall.fact_freshness import freshness_of
from engram.services.recall.workplaces import Workplaces
from engram.services.visibility import Caller
from engram.workspace import Workspace


def freshness_of_fact(
    workspace: Workspace, database: FactDatabase, fact: Fact, caller: Caller | None, here: str | None = None
) -> dict[str, dict[str, str]]:
    """Return {"freshness": ...} for a fact that names a file, a commit or an address, {} for others and other callers.

    Args:
        workspace: whose folders are looked at.
        database: open for reading.
        fact: that is shown.
        caller: who is shown it; None: the owner.
        here: the folder where who asks works, absolute.
    """
    if caller is not None and not caller.works_for_owner:
        return {}
    workplaces = Workplaces(str(workspace.paths.root), lambda: read_project_folders(workspace.paths))
    found = freshness_of(database, [fact], workplaces, here=here).get(fact.id)
    return {"freshness": found.as_json()} if found else {}
