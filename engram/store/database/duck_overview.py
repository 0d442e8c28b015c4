"""Overviews of a DuckDB file: counts and light rows."""

import datetime as dt
from collections.abc import Iterable
from collections.abc import Sequence

from engram.base.clock import to_iso
from engram.model.conversation import Turn
from engram.ports.overview import Decided
from engram.ports.overview import RatedFact
from engram.ports.overview import SessionSum
from engram.ports.overview import TurnYield
from engram.ports.overview import Week
from engram.store.database.duck_columns import DuckColumns
from engram.store.database.tables import rows


class DuckOverview(DuckColumns):
    """`ports.overview.Overviews` over one file; usable between `attach` and the end of its block."""

    def session_sums(self, scopes: Sequence[str] = ()) -> dict[str, SessionSum]:
        """See the port."""
        return {
            row["session"]: SessionSum(
                row["turns"], row["quarantined"], _aware(row["began_at"]), _aware(row["last_at"]), row["facts"]
            )
            for row in self._select("session_sums", scopes=list(scopes))
        }

    def turn_yields(self, session: str, scopes: Sequence[str] = ()) -> list[TurnYield]:
        """See the port."""
        return [TurnYield(**row) for row in self._select("turn_yields", session=session, scopes=list(scopes))]

    def find_turns(self, ids: Iterable[str]) -> list[Turn]:
        """See the port."""
        return [rows.turn_of(row) for row in self._select("find_turns", ids=list(ids))]

    def ids_drawn_from(self, turns: Iterable[str]) -> list[str]:
        """See the port."""
        return [row["id"] for row in self._select("ids_drawn_from", turns=list(turns))]

    def rated_facts(self) -> list[RatedFact]:
        """See the port."""
        return [RatedFact(**row) for row in self._select("rated_facts")]

    def weeks(self, zone: dt.tzinfo) -> list[Week]:
        """See the port."""
        return [Week(**row) for row in self._select("weeks", zone=str(zone))]

    def decided_between(self, since: dt.datetime, until: dt.datetime, prefix: str) -> list[Decided]:
        """See the port."""
        between = {"since": to_iso(since).removesuffix("Z"), "until": to_iso(until).removesuffix("Z")}
        return [Decided(**row) for row in self._select("decided_between", **between, prefix=prefix)]


def _aware(at: dt.datetime | None) -> dt.datetime | None:
    return at.replace(tzinfo=dt.UTC) if at else None
