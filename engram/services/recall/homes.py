"""The project that a fact belongs to: that which it is about, else one that it names, else where it was said.

A project is *worked on* when a conversation was held in its folder: things that are filed under projects/ without one,
such as a service, belong to where they were spoken of.
"""

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from functools import cached_property
from typing import Final

from engram.base.disk.home import at_home
from engram.base.project import find_project
from engram.errors import UnknownEntityError
from engram.language.names.mentions import Known
from engram.language.names.mentions import NameIndex
from engram.model.conversation import Session
from engram.model.document import Document
from engram.model.entity import Entity
from engram.model.fact import Fact
from engram.ports.database import FactDatabase
from engram.services.visibility import Caller
from engram.services.visibility import current_path
from engram.services.visibility import find_visible_entities

PROJECTS: Final = "projects/"  # begins the path of a project


def project_of_name(database: FactDatabase, caller: Caller, name: str) -> str | None:
    """Return the path of the project that a path, a name or an absolute folder means to a caller.

    None is for a folder that is no project's. Raises UnknownEntityError for a name.
    """
    if at_home(name).is_absolute():
        project = find_project(str(at_home(name)))
        return current_path(database, project.path) if project else None
    found = [path for path in find_visible_entities(database, caller, name) if path.startswith(PROJECTS)]
    if not found:
        raise UnknownEntityError(f"no project is called {name!r}", name=name)
    return found[0]


def homes_of(database: FactDatabase, project: str | None = None) -> "Homes":
    """Return what finds the homes of a database's facts; `project` is the path of the one that is worked on now."""
    return Homes(
        database, database.list_sessions(), lambda: {one.path: one for one in database.list_entities()}, project
    )


class Homes:
    """Finds the homes of facts in one state of the database. Made once for each block or answer."""

    def __init__(
        self,
        database: FactDatabase,
        sessions: Iterable[Session],
        entities: Callable[[], Mapping[str, Entity]],
        project: str | None = None,
    ) -> None:
        """Take what is known of projects.

        Args:
            database: knows where entities stand now.
            sessions: every session.
            entities: returns every entity by path; asked only when a fact stands in no project.
            project: path of the project that is worked on now, which wins where a fact names several.
        """
        now_at: dict[str, str] = {}
        self._projects: dict[str, str] = {}  # by session
        for one in sessions:
            if one.project:
                if one.project not in now_at:
                    now_at[one.project] = current_path(database, one.project)
                self._projects[one.name] = now_at[one.project]
        self._now_at = now_at
        self._project = project
        self._entities = entities
        self._works = {*self._projects.values(), *filter(None, [project])}
        self._found: dict[str, str | None] = {}  # by id of the fact

    @property
    def sessions(self) -> set[str]:
        """The sessions that were held about a project."""
        return {*self._projects}

    def sessions_of(self, project: str) -> set[str]:
        """Return the sessions that were held about this one."""
        return {session for session, about in self._projects.items() if about == project}

    def names_of(self, project: str) -> set[str]:
        """Return the paths under which a project was worked on: its own, and those that it had before."""
        return {project, *(path for path, now in self._now_at.items() if now == project)}

    def of(self, fact: Fact) -> str | None:
        """Return the project that a fact belongs to, None when it belongs to none."""
        if fact.id not in self._found:
            self._found[fact.id] = self._find(fact)
        return self._found[fact.id]

    def worked_on(self, document: Document, fact: Fact | None) -> str | None:
        """Return the project worked on that a text belongs to, a fact or not; None when it belongs to none."""
        if fact is not None:
            home = self.of(fact)
            return home if home in self._works else None
        return min(self.named(document.text), default=self._projects.get(document.session or ""))

    def named(self, text: str) -> set[str]:
        """Return the projects worked on that a text names."""
        return {mention.path for mention in self._names.find(text)}

    def _find(self, fact: Fact) -> str | None:
        said_in = self._projects.get(fact.source.session or "")
        if fact.entity.startswith(PROJECTS):
            is_thing = said_in is not None and fact.entity not in self._works
            return said_in if is_thing else fact.entity
        named = self.named(fact.text)
        if named:
            return self._project if self._project in named else min(named)
        return said_in

    @cached_property
    def _names(self) -> NameIndex:
        entities = self._entities()
        known = [entities[path] for path in sorted(self._works) if path in entities]
        return NameIndex(Known(one.path, (one.title, *one.aliases)) for one in known)
