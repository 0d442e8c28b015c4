"""Which files, commits and addresses a text names: what it says of them may be out of date without anybody's word.

Not every name counts: a file needs a folder before it, and a short hash a word that makes it a commit.
"""

from functools import cache
from typing import Final
from typing import NamedTuple

from engram.language.matching.language_files import read_languages
from engram.language.matching.patterns import Pattern
from engram.language.matching.prefilter import compiled

PATH: Final = "path"
COMMIT: Final = "commit"
URL: Final = "url"

_KIND: Final = "artefacts"  # of the data files
_MOST: Final = 8  # of one text: a list of files is no statement about each of them
_OUTSIDE: Final = frozenset({"", ".", ".."})  # parts of a way that lead nowhere, or out


class Artefact(NamedTuple):
    """Something outside of the memory that a text names."""

    kind: str  # path, commit or url
    name: str  # as it is written, a path without "./" before it and "/" behind it


def find_artefacts(text: str) -> tuple[Artefact, ...]:
    """Return what a text names, in its order, each once and at most 8.

    A path that leads upwards is left out, and so is one that stands for many.
    """
    found: dict[Artefact, int] = {}
    for kind, pattern in _patterns():
        if not pattern.is_near(text):
            continue
        for match in compiled(pattern.source).finditer(text):
            name = _plain_path(match["name"]) if kind == PATH else match["name"]
            if name:
                found.setdefault(Artefact(kind, name), match.start("name"))
    return tuple(sorted(found, key=lambda one: found[one])[:_MOST])


def _plain_path(written: str) -> str:
    """Return a path without what changes nothing; "" for one that leads upwards, and for the form of many paths."""
    if compiled(_placeholder()).search(written):
        return ""
    root = "/" if written.startswith("/") else ""
    parts = written.strip("/").split("/")
    parts = parts[1:] if parts[0] == "." else parts
    return "" if not parts or _OUTSIDE.intersection(parts) else root + "/".join(parts)


@cache
def _placeholder() -> str:
    source: str = read_languages(_KIND)["any"]["placeholder"]
    return source


@cache
def _patterns() -> tuple[tuple[str, Pattern], ...]:
    files, kinds = read_languages(_KIND).values(), (PATH, URL, COMMIT)
    return tuple((kind, Pattern(entry)) for data in files for kind in kinds for entry in data.get(kind, ()))
