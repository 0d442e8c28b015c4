"""The types of relations: a small open vocabulary of the package, which a workspace adds to or narrows."""

import re
from collections.abc import Iterator
from collections.abc import Mapping
from functools import cache
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.text import KINDS
from engram.base.text import has_control
from engram.errors import SettingsError
from engram.language.compare.slots.slots import canonical
from engram.language.matching.language_files import read_kind

VALUE: Final = "value"  # stands for the kind of an end that is no entity

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_ENDS: Final = (*KINDS, VALUE, "")
_WORDS: Final = ("of", "reverse", "from", "to", "shown")
_MOST_TYPES: Final = 200
_MOST_CHARS: Final = 500


class RelationType(NamedTuple):
    """One kind of relation, which goes from one end to the other."""

    name: str  # such as works_at
    of: frozenset[str]  # attributes of the end from which it goes
    reverse: frozenset[str]  # attributes of the end to which it goes
    source: str  # kind of the end from which it goes: people, projects, archives; "value": no entity; "": any entity
    target: str  # kind of the other end
    shown: str  # in words, between the two ends: "works at"

    def may_join(self, source: str | None, target: str | None) -> bool:
        """Tell whether the kinds of two ends are as the type has them; None: no entity is known, only a value."""
        return _fits(self.source, source) and _fits(self.target, target)


class Ontology:
    """The types that a workspace has."""

    def __init__(self, types: Mapping[str, RelationType]) -> None:
        """Take the types by name."""
        self.types = dict(types)
        self._of: dict[str, list[tuple[RelationType, bool]]] = {}
        for one in types.values():
            for attributes, is_reverse in ((one.of, False), (one.reverse, True)):
                for attribute in attributes:
                    self._of.setdefault(attribute, []).append((one, is_reverse))

    def stated_by(self, attribute: str) -> list[tuple[RelationType, bool]]:
        """Return the types that an attribute, by any of its names, states, and whether it belongs to their far end."""
        return self._of.get(canonical(attribute), [])

    def find(self, name: str) -> RelationType | None:
        """Return the type of a name, however it is written: works_at, works-at, "works at"; None: there is none."""
        return self.types.get("_".join(re.split(r"[\s_-]+", name.strip().casefold())))


@cache
def default_ontology() -> Ontology:
    """Return the types of the package."""
    return Ontology(_types(read_kind("relations"), {}, "relations.toml"))


def parse_ontology(own: Mapping[str, Any], where: str) -> Ontology:
    """Return the package's types as a workspace's own table changes them.

    Args:
        own: by the name of a type, a table as in patterns/relations.toml; `enabled = false` leaves the type out.
        where: how messages name the file.

    Raises:
        SettingsError: with the name of what cannot be.
    """
    if len(own) > _MOST_TYPES:
        raise SettingsError(f"{where}: has more than {_MOST_TYPES} types", hint=f"mend {where} by hand")
    return Ontology(_types(own, default_ontology().types, where))


def _types(table: Mapping[str, Any], known: Mapping[str, RelationType], where: str) -> dict[str, RelationType]:
    types = dict(known)
    for name, entry in table.items():
        for problem in _problems(name, entry):
            raise SettingsError(f"{where}: {name}: {problem}", hint=f"mend {where} by hand")
        if entry.get("enabled", True):
            types[name] = _changed(types.get(name), name, entry)
        else:
            types.pop(name, None)
    return types


def _problems(name: str, entry: Any) -> Iterator[str]:
    if not _NAME.fullmatch(name):
        yield "is no name of a type: small letters, digits and underscores, such as works_at"
    if not isinstance(entry, dict):
        yield "is no table: write [works_at] above its keys"
        return
    for key, value in entry.items():
        if key == "enabled":
            if not isinstance(value, bool):
                yield "enabled is true or false"
        elif key not in _WORDS:
            yield f"{key} is none of {', '.join((*_WORDS, 'enabled'))}"
        elif not isinstance(value, str) or len(value) > _MOST_CHARS:
            yield f"{key} is no text of at most {_MOST_CHARS} characters"
        elif key == "shown" and (has_control(value) or len(value.splitlines()) != 1 or not value.strip()):
            yield "shown is no line of plain text: words between the two ends, such as works at"
        elif key in {"from", "to"} and value not in _ENDS:
            yield f"{key} is none of {', '.join(KINDS)} and {VALUE}"


def _changed(known: RelationType | None, name: str, entry: Mapping[str, str]) -> RelationType:
    """Return the type as its table says; what that leaves out stays as it was known, or is as the name says."""
    words = {key: frozenset(map(canonical, entry[key].split())) for key in ("of", "reverse") if key in entry}
    own_name = frozenset([canonical(name)]) if "reverse" not in words else frozenset()
    old = known or RelationType(name, own_name, frozenset(), "", "", name.replace("_", " "))
    return RelationType(
        name,
        words.get("of", old.of),
        words.get("reverse", old.reverse),
        entry.get("from", old.source),
        entry.get("to", old.target),
        entry.get("shown", old.shown),
    )


def _fits(wanted: str, kind: str | None) -> bool:
    return kind is None or wanted in {"", VALUE, kind}
