"""In which folder of this machine what a statement names would lie: that of the project which it belongs to."""

from collections.abc import Callable
from collections.abc import Mapping
from typing import NamedTuple

from engram.base.project import find_project_folder
from engram.services.recall.homes import Homes


def _none() -> Mapping[str, str]:
    return {}


class Workplaces(NamedTuple):
    """The folders that a workspace knows of."""

    root: str = ""  # of the workspace; empty: nothing is looked at
    noted: Callable[[], Mapping[str, str]] = _none  # by the project's path at that time, as hooks noted them

    def folder_of(self, project: str | None, homes: Homes, here: str | None = None) -> str | None:
        """Return the folder of a project, None when none is known: the one where who asks works, else the noted one.

        Args:
            project: path of the entity as it stands now.
            homes: knows what it was called before.
            here: the folder where who asks works.
        """
        if project is None:
            return None
        names = homes.names_of(project)
        found = find_project_folder(here) if here else None
        if found is not None and found[0].path in names:
            return found[1]
        noted = self.noted()
        return next((noted[name] for name in sorted(names) if name in noted), None)


NOWHERE = Workplaces()
"""No folder is known, and none is looked at."""
