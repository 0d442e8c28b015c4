"""Homes: the entity that a text belongs to when it names nobody, made of an agent's name or of a folder's."""

from typing import NamedTuple

from engram.base.project import MOST_TITLE_CHARS
from engram.base.project import find_project
from engram.base.project import titled
from engram.base.text import clean_statement
from engram.base.text import slugify
from engram.services.extract.subject.attribution import is_harmless_name

_GENERIC = frozenset(
    {"agent", "agents", "brain", "engram", "memory", "memories", "notes", "workspace"}
)  # folders that say only that memory is kept in them


class Home(NamedTuple):
    """An entity that a text belongs to."""

    path: str
    title: str = ""  # of an entity that is made; "": as its path says

    def fields(self) -> dict[str, str]:
        """Return what a passage says of it."""
        return {"home": self.path, "home_title": self.title}


def agent_home(agent: str) -> Home | None:
    """Return the home of what an agent notes, None when no entity can be called so."""
    title, slug = clean_statement(titled(agent)), slugify(agent)
    if not slug or len(title) > MOST_TITLE_CHARS or not is_harmless_name(title):
        return None
    return Home(f"projects/{slug}", title)


def folder_home(folder: str) -> Home | None:
    """Return the home of notes that lie in a project's folder; None when its name says only that memory is there."""
    project = find_project(folder)
    if project and project.path.partition("/")[2] not in _GENERIC and is_harmless_name(project.title):
        return Home(project.path, titled(project.title))
    return None
