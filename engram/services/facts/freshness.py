"""Whether the files and commits that a statement names are still there, asked of the folders that are known for it.

A name is looked for in the folder of the project that the statement belongs to and in the workspace, and nowhere else;
no link is followed on the way, nothing is read, and no network is asked. So an address is never checked, and neither is
a name of which no folder is known.
"""

import time
from collections.abc import Iterable
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple

from engram.base.disk.safe_look import ABSENT
from engram.base.disk.safe_look import ELSEWHERE
from engram.base.disk.safe_look import THERE as IS_THERE
from engram.base.disk.safe_look import look_below
from engram.base.machine.git_questions import find_commits
from engram.base.machine.git_questions import list_tracked
from engram.language.matching.prefilter import compiled
from engram.language.text.artefacts import COMMIT
from engram.language.text.artefacts import PATH
from engram.language.text.artefacts import Artefact
from engram.services.facts.freshness_words import GONE
from engram.services.facts.freshness_words import MISSING
from engram.services.facts.freshness_words import MOVED

THERE: Final = "there"
NOT_CHECKED: Final = "not_checked"  # an address, or nothing is known of where to look

GIT_WAIT_S: Final = 0.1  # for git in one answer of recall, whatever it has to ask; a warm one takes 6 to 8 ms

_PLAIN: Final = r"[\w.@+/-]{1,200}"  # a path that an agent may be told: others may have named the folders on its way
_STALE = (GONE, MOVED, MISSING)


class Freshness(NamedTuple):
    """How it stands with what a statement names."""

    kind: str  # path, commit or url
    name: str  # as the statement writes it
    state: str  # there, gone, moved, missing or not_checked
    now: str | None = None  # of a moved file: where one of its name lies now

    @property
    def is_stale(self) -> bool:
        """Whether what is named is not there any more."""
        return self.state in _STALE

    def as_json(self) -> dict[str, str]:
        """Return the JSON shape of the contract."""
        return {"names": self.name, "kind": self.kind, "state": self.state, **({"now": self.now} if self.now else {})}


class Statement(NamedTuple):
    """A text that is given out, and where what it names would be."""

    key: str
    named: Sequence[Artefact]
    project_folder: str | None  # of the project that it belongs to, on this machine; None: not known


class FreshnessCheck:
    """Looks at the folders of one workspace; `wait_s` is what git may take for all that one check asks it."""

    def __init__(self, root: str, wait_s: float = GIT_WAIT_S) -> None:
        """Take the folder of the workspace."""
        self._root = root
        self._wait_s = wait_s

    def check(self, statements: Iterable[Statement]) -> dict[str, Freshness]:
        """Return how it stands with each statement that names something: first what is stale, else what is there."""
        asked = [(one.key, artefact, self._folders(one)) for one in statements for artefact in one.named]
        ends_at = time.monotonic() + self._wait_s
        named = [(one.name, folders[0]) for _, one, folders in asked if one.kind == COMMIT and len(folders) > 1]
        commits = _Commits(named, ends_at)
        looks = {(one.name, folders): _Look(one.name, folders) for _, one, folders in asked if one.kind == PATH}
        tracked = _Tracked([look for look in looks.values() if look.is_open], ends_at)
        found: dict[str, Freshness] = {}
        for key, one, folders in asked:
            if one.kind == PATH:
                told = tracked.told(looks[one.name, folders])
            elif one.kind == COMMIT and len(folders) > 1:  # whose project is not known, whose commit is not, either
                told = commits.state(one.name, folders[0]), None
            else:
                told = NOT_CHECKED, None
            fresh = Freshness(one.kind, one.name, *told)
            before = found.get(key)
            if before is None or _rank(fresh) < _rank(before):
                found[key] = fresh
        return found

    def _folders(self, statement: Statement) -> tuple[str, ...]:
        return (statement.project_folder, self._root) if statement.project_folder else (self._root,)


def _rank(fresh: Freshness) -> int:
    return 0 if fresh.is_stale else 1 if fresh.state == THERE else 2


class _Look:
    """One path in the folders that it may lie in, the project's first: there if one of them has it."""

    def __init__(self, name: str, folders: Sequence[str]) -> None:
        self.seen = self.way = self.folder = ""  # the last two: where it would be, when it is not there
        for folder in folders:
            way = name.removeprefix(folder.rstrip("/") + "/")
            seen = "" if way.startswith("/") else look_below(folder, way)
            if seen == IS_THERE:
                self.seen = seen
                return
            is_projects = len(folders) > 1 and folder == folders[0]
            if not self.folder and (seen == ABSENT or (seen == ELSEWHERE and is_projects and _is_folder(way))):
                self.seen, self.way, self.folder = seen, way, folder

    @property
    def is_open(self) -> bool:
        """Whether it is missed in a folder that it seems to be of."""
        return self.seen != IS_THERE and bool(self.folder)

    @property
    def file(self) -> str:
        """Its name without folders."""
        return self.way.rpartition("/")[2]


def _is_folder(way: str) -> bool:
    """Tell whether the first part of a way looks like a folder: one with a dot in it may be a host."""
    return "." not in way.partition("/")[0][1:]


class _Tracked:
    """Where git has files of the names that are missed, by folder."""

    def __init__(self, looks: Sequence[_Look], ends_at: float) -> None:
        names: dict[str, dict[str, None]] = {}
        for one in looks:
            names.setdefault(one.folder, {})[one.file] = None
        self._paths = {
            folder: list_tracked(folder, [*files], ends_at - time.monotonic()) or [] for folder, files in names.items()
        }

    def told(self, look: _Look) -> tuple[str, str | None]:
        """Return the state of a path, and where it is now."""
        if not look.is_open:
            return (THERE if look.seen == IS_THERE else NOT_CHECKED), None
        like = [path for path in self._paths.get(look.folder, ()) if path.rpartition("/")[2] == look.file]
        if any(path.endswith(f"/{look.way}") for path in like):  # it is named as from a folder further in
            return THERE, None
        others = [path for path in like if path != look.way]
        if len(others) == 1 and compiled(_PLAIN).fullmatch(others[0]):
            return MOVED, others[0]
        return (GONE if look.seen == ABSENT else NOT_CHECKED), None


class _Commits:
    """Which commits the repositories have, by folder."""

    def __init__(self, asked: Sequence[tuple[str, str]], ends_at: float) -> None:
        hashes: dict[str, dict[str, None]] = {}
        for name, folder in asked:
            hashes.setdefault(folder, {})[name] = None
        self._has = {
            folder: find_commits(folder, [*names], ends_at - time.monotonic()) or {} for folder, names in hashes.items()
        }

    def state(self, name: str, folder: str) -> str:
        has = self._has[folder].get(name)
        return NOT_CHECKED if has is None else THERE if has else MISSING
