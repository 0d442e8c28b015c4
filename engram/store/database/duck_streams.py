"""What is read of all facts without holding them: batch after batch, over a connection of its own."""

import contextlib
from collections.abc import Callable
from collections.abc import Iterator
from itertools import islice
from typing import Any
from typing import Final
from typing import TypeVar

from engram.errors import DamagedDatabaseError
from engram.model.fact import Fact
from engram.ports.database import FactFilter
from engram.store.database.conditions import conditions_of
from engram.store.database.duck_derived import DuckDerived
from engram.store.database.engine.duck_errors import translated
from engram.store.database.sql_files import query_with
from engram.store.database.tables import rows

_BATCH: Final = 1_000  # rows held at once, some 10 kB each
_Made = TypeVar("_Made")


class DuckStreams(DuckDerived):
    """The part of `ports.database.FactDatabase` whose answers may be larger than memory."""

    def iter_facts(self, wanted: FactFilter) -> Iterator[Fact]:
        """See the port."""
        return self._iter_made("list_facts", rows.fact_of, conditions_of(wanted))

    def facts_to_judge(self) -> list[Fact]:
        """See the port."""
        return self._made("facts_to_judge", rows.fact_of)

    def quarantined_turns(self) -> list[tuple[str, int]]:
        """See the port."""
        return [(session, ordinal) for session, ordinal in self._tuples("quarantined_turns")]

    def last_kept_position(self) -> int:
        """See the port."""
        return int(self._tuples("last_kept_position")[0][0])

    def _iter_made(
        self, name: str, make: Callable[[dict[str, Any]], _Made], parameters: dict[str, Any]
    ) -> Iterator[_Made]:
        """Yield what is made of each row of a named query, which puts them in one order whoever asks.

        Met damage is healed once, if somebody can; then it goes on behind the last row that was given out.
        """
        given = 0
        while True:
            try:
                for row in islice(self._iter_rows(name, parameters), given, None):
                    given += 1
                    yield make(row)
            except DamagedDatabaseError as damage:
                if self._heal is None:
                    raise
                heal, self._heal = self._heal, None
                heal(damage)
            else:
                return

    def _iter_rows(self, name: str, parameters: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield rows as they were committed; whoever takes them may ask the file other things meanwhile."""
        with translated(self._path):
            own = self._attached().cursor()
        with contextlib.closing(own):
            with translated(self._path):
                own.execute("USE store")
                own.execute(query_with(name, frozenset(parameters)), parameters)
                columns = [column[0] for column in own.description or ()]
            while True:
                with translated(self._path):
                    batch = own.fetchmany(_BATCH)
                if not batch:
                    return
                for row in batch:
                    yield dict(zip(columns, row, strict=True))
