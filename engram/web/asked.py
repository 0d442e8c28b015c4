"""What one request to the page's server asks for, and whom it is answered as to."""

import datetime as dt
from collections.abc import Mapping
from typing import NamedTuple

from engram.base.dates import parse_bound
from engram.base.text import require_plain
from engram.errors import BadValueError
from engram.rules.relations.ontology import Ontology
from engram.services.facts.listing import Moment
from engram.services.graph.ontology_file import read_ontology
from engram.services.visibility import Caller
from engram.warm.warm_store import WarmWorkspace


class Page(NamedTuple):
    """Where a view reads."""

    workspace: WarmWorkspace
    caller: Caller | None  # who reads; None: the store itself is looked at, private or not

    def moment(self) -> Moment:
        """Return the instant of asking, as listings need it."""
        settings = self.workspace.settings
        return Moment(self.workspace.now(), settings.decay, settings.zone, self.caller)

    def ontology(self) -> Ontology:
        """Return the types of relations that the workspace has; raises SettingsError."""
        return read_ontology(self.workspace.files)


class Asked:
    """The parameters of one request. Bad ones raise BadValueError that names them."""

    def __init__(self, given: Mapping[str, str], rest: str, *, zone: dt.tzinfo, now: dt.datetime) -> None:
        """Take the parameters, and what follows the view's name in the path, such as `people/anna`."""
        require_plain({**given, "path": rest})
        self.rest = rest
        self._given = given
        self._zone = zone
        self._now = now

    def text(self, name: str, default: str = "") -> str:
        """Return a parameter as it was said."""
        return self._given.get(name, default)

    def one_of(self, name: str, known: tuple[str, ...], default: str = "") -> str:
        """Return a parameter that is one of these words."""
        said = self._given.get(name) or default
        if said not in known:
            raise BadValueError(f"{name}: {said!r} is none of {', '.join(known)}")
        return said

    def number(self, name: str, default: int, least: int, most: int) -> int:
        """Return a whole number from `least` to `most`."""
        said = self._given.get(name)
        if not said:
            return default
        is_number = said.isascii() and said.isdigit() and len(said) <= len(str(most))
        if not is_number or not least <= int(said) <= most:
            raise BadValueError(f"{name}: {said!r} is no whole number from {least} to {most}")
        return int(said)

    def moment(self, name: str, *, ends: bool = False) -> dt.datetime | None:
        """Return an instant as options say it, with `ends` the one before which its last day ends; None if unsaid."""
        said = self._given.get(name)
        if not said:
            return None
        return parse_bound(said, zone=self._zone, now=self._now, name=name, ends=ends)
