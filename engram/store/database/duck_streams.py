"""What is read of whole tables without holding them, a page at a time.

The engine would sort a whole table in memory: a million facts take 1.8 GB of it, and less is not always enough.
"""

import hashlib
from collections.abc import Iterator
from functools import partial
from typing import Final

from engram.model.fact import Fact
from engram.ports.database import FactFilter
from engram.store.database.conditions import conditions_of
from engram.store.database.duck_derived import DuckDerived
from engram.store.database.engine.duck_errors import translated
from engram.store.database.tables import rows

_PAGE: Final = 5_000  # rows read at once, some 10 kB each
_KEYS = {
    "commands": "id",
    "activity": '"at"',
    "entities": "path",
    "facts": "id",
    "handoffs": "id",
    "notes": "id",
    "observations": "id",
    "redirects": "path",
    "sessions": "name",
    "settlements": "id",
    "tensions": "id",
    "turns": "id",
    "undoables": "id",
    "usages": "fact_id",
    "watermarks": "consumer, key",
}


class DuckStreams(DuckDerived):
    """The part of `ports.database.FactDatabase` whose answers may be larger than memory."""

    def iter_facts(self, wanted: FactFilter) -> Iterator[Fact]:
        """See the port."""
        if wanted.entity or wanted.ids or wanted.newest:  # few
            yield from self._made("list_facts", rows.fact_of, **conditions_of(wanted))
            return
        conditions = conditions_of(wanted)
        for first, last in self._pages_of_entities(
            _PAGE, conditions.get("from_entity", ""), conditions.get("upto_entity")
        ):
            page = {**conditions, "from_entity": first, "upto_entity": last}
            yield from self._made("list_facts", rows.fact_of, **page)

    def facts_to_judge(self) -> list[Fact]:
        """See the port."""
        return self._made("facts_to_judge", rows.fact_of)

    def quarantined_turns(self) -> list[tuple[str, int]]:
        """See the port."""
        return [(session, ordinal) for session, ordinal in self._tuples("quarantined_turns")]

    def last_kept_position(self) -> int:
        """See the port."""
        return int(self._tuples("last_kept_position")[0][0])

    def digests(self) -> dict[str, str]:
        """See the port."""
        return {table: self._healing(partial(self._digest, table, order)) for table, order in _KEYS.items()}

    def _pages_of_entities(self, size: int, first: str = "", last: str | None = None) -> Iterator[tuple[str, str]]:
        """Yield (first, last) of consecutive entities that have `size` facts together, or of one that has more."""
        begin, count = "", 0
        for entity, versions in self._tuples("versions_of_each"):
            if entity < first or (last is not None and entity > last):
                continue
            begin, count, end = begin or entity, count + versions, entity
            if count >= size:
                yield begin, end
                begin, count = "", 0
        if begin:
            yield begin, end

    def _digest(self, table: str, key: str) -> str:
        digest = hashlib.sha256()
        for page in self._pages_of_lines(table, key):
            for line in page:
                digest.update(line.encode() + b"\n")
        return digest.hexdigest()

    def _pages_of_lines(self, table: str, key: str) -> Iterator[list[str]]:
        """Yield the rows of a table as JSON in the order of its key, which is one column where there are many rows."""
        row = f"SELECT to_json(t)::VARCHAR FROM {table} t"  # noqa: S608 - both names stand in _KEYS
        with translated(self._path):
            if "," in key:
                yield [line for (line,) in self._run(f"{row} ORDER BY {key}").fetchall()]
                return
            keys = self._run(f"SELECT {key} FROM {table} ORDER BY {key}")  # noqa: S608 - both names stand in _KEYS
            ends = []
            while batch := keys.fetchmany(_PAGE):
                ends.append(batch[-1][0])
            after = None
            for end in ends:
                within = f"{key} <= $end" if after is None else f"{key} > $after AND {key} <= $end"
                asked = {"end": end} if after is None else {"end": end, "after": after}
                yield [line for (line,) in self._run(f"{row} WHERE {within} ORDER BY {key}", asked).fetchall()]
                after = end
