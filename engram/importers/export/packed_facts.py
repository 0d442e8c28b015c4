"""The facts of one moment by the entity that they are about, compressed: a million of them take some 200 MB.

They are read while the store is held, in one state of it, and rendered when it is let go of, however long that takes.
"""

import zlib
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final
from typing import TypeVar

from engram.model.fact import Fact
from engram.model.fact import Usage
from engram.model.value import Value
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter

_FASTEST: Final = 1  # level of compression
_PAGE: Final = 2_000  # facts whose use is asked for at once
_Kind = TypeVar("_Kind", bound=Value)


class PackedFacts:
    """Facts that are shown, each with its use where that is wanted."""

    def __init__(self) -> None:
        """Begin with none."""
        self.counts: dict[str, int] = {}  # path of an entity -> how many of its facts are shown; only where some are
        self.left_out = 0  # facts that were read and are not shown
        self._facts: dict[str, bytes] = {}
        self._usages: dict[str, bytes] = {}

    @property
    def count(self) -> int:
        """How many facts are shown."""
        return sum(self.counts.values())

    def of(self, path: str) -> list[Fact]:
        """Return the facts of an entity that are shown, by number."""
        return _unpacked(Fact, self._facts.get(path, b""))

    def usages_of(self, path: str) -> dict[str, Usage]:
        """Return by id how those facts were used, of those that were."""
        return {one.fact_id: one for one in _unpacked(Usage, self._usages.get(path, b""))}

    def put(self, path: str, facts: Sequence[Fact], is_shown: Callable[[Fact], bool]) -> list[str]:
        """Keep all facts of an entity that are shown, and return their ids."""
        shown = [fact for fact in facts if is_shown(fact)]
        self.left_out += len(facts) - len(shown)
        if shown:
            self.counts[path], self._facts[path] = len(shown), _packed(shown)
        return [fact.id for fact in shown]

    def put_usages(self, path: str, usages: Sequence[Usage]) -> None:
        """Keep how facts of an entity were used."""
        if usages:
            self._usages[path] = _packed(usages)


def read_packed(database: FactDatabase, wanted: FactFilter, is_shown: Callable[[Fact], bool]) -> PackedFacts:
    """Return the facts of a filter that are shown, without their use."""
    packed = PackedFacts()
    for path, own in groupby(database.iter_facts(wanted), key=attrgetter("entity")):
        packed.put(path, list(own), is_shown)
    return packed


def read_packed_with_use(database: FactDatabase, wanted: FactFilter, is_shown: Callable[[Fact], bool]) -> PackedFacts:
    """Return the facts of a filter that are shown, with their use."""
    packed = PackedFacts()
    ids: dict[str, list[str]] = {}  # whose use was not asked for yet, by entity
    for path, own in groupby(database.iter_facts(wanted), key=attrgetter("entity")):
        ids[path] = packed.put(path, list(own), is_shown)
        if sum(map(len, ids.values())) >= _PAGE:
            _add_usages(packed, database, ids)
            ids = {}
    _add_usages(packed, database, ids)
    return packed


def _add_usages(packed: PackedFacts, database: FactDatabase, ids: Mapping[str, Sequence[str]]) -> None:
    found = database.usages(one for own in ids.values() for one in own)
    for path, own in ids.items():
        packed.put_usages(path, [found[one] for one in own if one in found])


def _packed(values: Iterable[Value]) -> bytes:
    return zlib.compress(b"\n".join(one.model_dump_json(exclude_defaults=True).encode() for one in values), _FASTEST)


def _unpacked(kind: type[_Kind], packed: bytes) -> list[_Kind]:
    return [kind.model_validate_json(line) for line in _lines(packed)]


def _lines(packed: bytes) -> Iterator[bytes]:
    if packed:
        yield from zlib.decompress(packed).split(b"\n")
