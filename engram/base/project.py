"""Which project a working directory belongs to. Light: hooks ask it at every prompt.

Two folders of one name are one project, on one machine or two: what is known of `parcels` is wanted in every clone of
it, and to tell clones from strangers would take the network. Two that have nothing to do with each other and the same
name are split by a person.
"""

import os
import re
from typing import Final
from typing import NamedTuple

from engram.base.text import clean_statement
from engram.base.text import has_control
from engram.base.text import slugify

MOST_TITLE_CHARS: Final = 120  # a longer name of a folder is no name that anybody reads
_MOST_FOLDER_CHARS = 4096
_MOST_STEPS = 64  # folders above one that are looked at
_MOST_GIT_FILE = 4096  # bytes of a `.git` that is a file

# Where nobody works on one thing: homes, roots, temporary folders, and what containers mount everything as.
_NO_PROJECT = re.compile(
    r"(?:[a-z]:)?(?:/(?:"
    r"(?:home|users|var/home)(?:/[^/]+(?:/(?:desktop|documents|downloads))?)?|root|"
    r"(?:private/)?(?:var/)?tmp|(?:private/)?var/folders(?:/.*)?|(?:users/[^/]+/)?appdata(?:/.*)?|"
    r"app|code|data|mnt|opt|repo|src|srv|work|workspaces?|usr|var|etc"
    r"))?/?",
    re.IGNORECASE,
)
_WORKTREE = re.compile(r"gitdir:\s*(.+?)/\.git/worktrees/[^/\s]+\s*")


class Project(NamedTuple):
    """A project as its folder names it."""

    path: str  # projects/NAME
    title: str  # as the folder is written

    def as_args(self) -> dict[str, str]:
        """Return the fields of a `capture` command."""
        return {"project": self.path, "project_title": self.title}


def find_project(folder: object) -> Project | None:
    """Return the project of a working directory as a program wrote it down, None when nobody works on one thing there.

    The folder of the repository when the directory is here and in one, else the folder itself; that of a linked work
    tree is its main one. A name that can be no folder's in life/ is none; whether it is harmless is not asked here.
    """
    place = _place_of(folder)
    return _named(place) if place else None


def find_project_folder(folder: object) -> tuple[Project, str] | None:
    """Return the project of a working directory, and its folder on this machine; None when it is not here, or none."""
    place = _place_of(folder)
    project = _named(place) if place else None
    if project is None or not os.path.isabs(place) or not os.path.isdir(place):  # noqa: PTH117, PTH112 - as below
        return None
    return project, os.path.normpath(place)


def working_folder() -> str | None:
    """Return the folder that this process works in, None when it was removed."""
    try:
        return os.getcwd()  # noqa: PTH109 - pathlib would be another import
    except OSError:
        return None


def titled(name: str) -> str:
    """Return the name of a folder as a title: its words, each with a large letter unless it has one already."""
    words = re.split(r"[\s_-]+", name)
    return " ".join(word[:1].upper() + word[1:] if word.islower() else word for word in words if word)


def _place_of(folder: object) -> str:
    """Return the folder whose name is the project's, "" for what a program cannot have worked in."""
    if not isinstance(folder, str) or not folder or len(folder) > _MOST_FOLDER_CHARS or has_control(folder):
        return ""
    is_foreign = "\\" in folder and not folder.startswith("/")
    plain = folder.replace("\\", "/") if is_foreign else folder
    return _repository(plain) or _outside_hidden(plain)


def _named(folder: str) -> Project | None:
    if _NO_PROJECT.fullmatch(folder) or os.path.normpath(folder) in _own_places():
        return None
    title = clean_statement(folder.rstrip("/").rpartition("/")[2])
    slug = slugify(title)
    return Project(f"projects/{slug}", title) if slug and len(title) <= MOST_TITLE_CHARS else None


def _own_places() -> set[str]:
    home = os.path.expanduser("~")  # noqa: PTH111 - pathlib would be another import
    return {os.path.normpath(place) for place in (home, os.environ.get("TMPDIR"), "/") if place}


def _repository(folder: str) -> str:
    """Return the folder of the repository that a folder is in, or "": not one that is somebody's whole home."""
    place = folder
    for _ in range(_MOST_STEPS):
        if not os.path.isabs(place):  # noqa: PTH117 - as above
            return ""
        marker = os.path.join(place, ".git")  # noqa: PTH118 - as above
        if os.path.lexists(marker):
            root = _main_of(place, marker)
            return "" if _NO_PROJECT.fullmatch(root) or os.path.normpath(root) in _own_places() else root
        parent = os.path.dirname(place.rstrip("/"))  # noqa: PTH120 - as above
        if parent == place:
            return ""
        place = parent
    return ""


def _main_of(place: str, marker: str) -> str:
    """Return the main work tree's folder for a linked one, which has a file where others have the folder `.git`."""
    try:
        with open(marker, encoding="utf-8") as file:  # noqa: PTH123 - as above
            linked = _WORKTREE.fullmatch(file.read(_MOST_GIT_FILE))
    except (OSError, UnicodeDecodeError):  # a folder, or one that may not be read
        return place
    return os.path.normpath(os.path.join(place, linked[1])) if linked else place  # noqa: PTH118 - as above


def _outside_hidden(folder: str) -> str:
    """Return the part of a folder before the first hidden one: that belongs to a program, not to a person's work."""
    parts = folder.split("/")
    hidden = next((place for place, part in enumerate(parts) if part.startswith(".") and part.strip(".")), len(parts))
    return "/".join(parts[:hidden]) or "/"
