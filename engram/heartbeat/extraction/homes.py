"""Where a text belongs when it names nobody: a turn to the project of its session, a note to whose note it is."""

from collections.abc import Mapping

from engram.config.settings import Settings
from engram.model.conversation import NoteEntry
from engram.model.conversation import Session
from engram.model.conversation import Turn
from engram.services.extract.subject.attribution import is_harmless_name
from engram.services.extract.subject.home import Home
from engram.services.extract.subject.home import agent_home
from engram.services.extract.subject.home import folder_home
from engram.services.imports.ledger import CONSUMER
from engram.services.imports.ledger import homes_of_files
from engram.services.silo.cross_team import CROSS_TEAM
from engram.services.silo.cross_team import writer_of
from engram.services.visibility import OWNER
from engram.workspace import Workspace

_DEFAULT_AGENT: str = Settings.model_fields["agent"].default
_DOMAINS = "domains"


class Homes:
    """The homes of the texts of one workspace. Takes the sessions as they are now."""

    def __init__(self, workspace: Workspace) -> None:
        """Read the sessions and imports, and find the workspace's own project."""
        with workspace.reading() as database:
            self._sessions: Mapping[str, Session] = {one.name: one for one in database.list_sessions()}
            self._of_imported = homes_of_files(database.watermarks(CONSUMER))
        self._of_agents: dict[str, Home | None] = {}
        self._workspace = workspace

    def fields(self, row: NoteEntry | Turn) -> dict[str, str]:
        """Return `home` and `home_title` of a passage; nothing when it has none."""
        home = self._of_note(row) if isinstance(row, NoteEntry) else self._of_session(row.session)
        return home.fields() if home else {}

    def _of_session(self, name: str | None) -> Home | None:
        session = self._sessions.get(name or "")
        if session is None or not session.project or not is_harmless_name(session.project_title or ""):
            return None
        return Home(session.project, session.project_title or "")

    def _of_note(self, note: NoteEntry) -> Home | None:
        if (of_session := self._of_session(note.session)) is not None:
            return of_session
        if (imported := self._of_imported.get(note.path)) is not None:  # its folder is called as its format
            return Home(*imported)
        agent = _agent_of(note) or _DEFAULT_AGENT
        if agent not in self._of_agents:
            self._of_agents[agent] = self._of_default() if agent == _DEFAULT_AGENT else agent_home(agent)
        return self._of_agents[agent]

    def _of_default(self) -> Home | None:
        """Return the home of what the nameless agent notes.

        Nobody wants a page about `main`. Who keeps the workspace in a project's folder notes what happens there; where
        the folder's name says only that memory is kept in it, the notes are the owner's own.
        """
        owner = self._workspace.settings.owner
        return folder_home(str(self._workspace.paths.root)) or (Home(owner) if owner else None)


def _agent_of(note: NoteEntry) -> str:
    """Return which agent or domain a note is of; empty for that of the workspace's own agent."""
    if note.path == CROSS_TEAM:
        writer = writer_of(note.text)
        return "" if writer == OWNER else writer
    _, *folders, _ = note.path.split("/")  # memory/AGENT/... or memory/domains/NAME/...
    return next(iter(folders[folders[:1] == [_DOMAINS] :]), "")
