"""Which project somebody works on who asks for a start block, and which projects sessions were held about."""

from typing import Final
from typing import NamedTuple

from engram.base.project import find_project
from engram.ports.database import FactDatabase
from engram.services.recall.homes import project_of_name
from engram.services.visibility import Caller
from engram.services.visibility import current_path
from engram.services.visibility import find_visible_entities
from engram.services.visibility import is_anothers

ALL: Final = "all"  # asks for what is known of every project
_PROJECTS: Final = "projects/"


def find_worked_on(
    database: FactDatabase, caller: Caller, *, named: str | None = None, folder: str | None = None
) -> str | None:
    """Return the path of the project that somebody works on, None for none, of whose facts all are wanted.

    Args:
        database: knows projects and sessions.
        caller: who asks; in a session that was held in a project's folder it is that project, unless it is named.
        named: a path, a name, `all`, or a folder: then it is the folder's, whether anything is known of it or not.
        folder: where the asking program runs: its project counts when something is known of it.

    Raises:
        UnknownEntityError: nobody knows a project of that name, or the caller may not.
    """
    if named is not None:
        return None if named == ALL else project_of_name(database, caller, named)
    sessions = {one.name: one.project for one in database.list_sessions() if one.project}
    if (of_session := sessions.get(caller.session or "")) is not None:
        return current_path(database, of_session)
    project = find_project(folder) if folder else None
    if project is None:
        return None
    here = current_path(database, project.path)
    known = {current_path(database, path) for path in sessions.values()}
    return here if here in known or find_visible_entities(database, caller, here) else None


class WorkedOn(NamedTuple):
    """A project that sessions were held about."""

    path: str  # where it stands now
    title: str
    sessions: int  # how many


def projects_worked_on(database: FactDatabase, caller: Caller | None) -> list[WorkedOn]:
    """Return the projects of the sessions that are the caller's to know, the one of the latest session first."""
    sessions = sorted(database.list_sessions(), key=lambda one: (one.created_at, one.name), reverse=True)
    titles = {one.path: one.title for one in database.list_entities()}
    found: dict[str, WorkedOn] = {}
    for session in sessions:
        if session.project is None or not _is_for(caller, session.name):
            continue
        path = current_path(database, session.project)
        title = titles.get(path) or session.project_title or path.partition("/")[2]
        before = found.get(path, WorkedOn(path, title, 0))
        found[path] = before._replace(sessions=before.sessions + 1)
    return [*found.values()]


def _is_for(caller: Caller | None, session: str) -> bool:
    """Tell whether a caller may know that a session was held."""
    if caller is None:
        return True
    return not is_anothers(caller, session) if caller.is_owner else session == caller.session
