"""Where what statements name would lie on this machine, in the folder of the project of each, and whether it does."""

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import NamedTuple

from engram.base.project import find_project_folder
from engram.language.text.artefacts import Artefact
from engram.services.facts.freshness import GIT_WAIT_S
from engram.services.facts.freshness import Freshness
from engram.services.facts.freshness import FreshnessCheck
from engram.services.facts.freshness import Statement
from engram.services.recall.homes import Homes


def _none() -> Mapping[str, str]:
    return {}


class Workplaces(NamedTuple):
    """The folders that a workspace knows of."""

    root: str = ""  # of the workspace; empty: nothing is looked at
    noted: Callable[[], Mapping[str, str]] = _none  # by the project's path at that time, as hooks noted them

    def folder_of(self, project: str, homes: Homes, here: str | None = None) -> str | None:
        """Return the folder of a project, None when none is known: the one where who asks works, else the noted one.

        Args:
            project: path of the entity as it stands now.
            homes: knows what it was called before.
            here: the folder where who asks works.
        """
        names = homes.names_of(project)
        found = find_project_folder(here) if here else None
        if found is not None and found[0].path in names:
            return found[1]
        noted = self.noted()
        return next((noted[name] for name in sorted(names) if name in noted), None)

    def look_for(
        self,
        named: Mapping[str, Sequence[Artefact]],
        home_of: Callable[[str], str | None],
        homes: Homes,
        *,
        here: str | None = None,
        wait_s: float = GIT_WAIT_S,
    ) -> dict[str, Freshness]:
        """Return by key how it stands with what statements name.

        Args:
            named: by key, what each statement names.
            home_of: returns the project that a statement belongs to, by its key.
            homes: as for `folder_of`.
            here: the folder where who asks works.
            wait_s: seconds that git may take for all of them.
        """
        belongs = {key: home_of(key) for key in named}
        known = {home for home in belongs.values() if home is not None}
        folders = {home: self.folder_of(home, homes, here) for home in known}
        statements = [Statement(key, named[key], folders.get(home) if home else None) for key, home in belongs.items()]
        return FreshnessCheck(self.root, wait_s).check(statements)


NOWHERE = Workplaces()
"""No folder is known, and none is looked at."""
