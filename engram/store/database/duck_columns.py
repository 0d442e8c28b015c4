"""What is asked of all facts at once: counted by the engine, and fetched by place and not as rows of names."""

import datetime as dt
from collections.abc import Iterable
from collections.abc import Sequence

from engram.ports.columns import FactFace
from engram.ports.columns import FactLife
from engram.ports.columns import FactWear
from engram.ports.columns import SpanFilter
from engram.ports.columns import SpanRow
from engram.rules.life.decay import SURE
from engram.store.database.conditions import span_conditions
from engram.store.database.duck_streams import DuckStreams
from engram.store.database.tables import rows


class DuckColumns(DuckStreams):
    """The part of `ports.database.FactDatabase` that counts facts by their days."""

    def fact_spans(self, wanted: SpanFilter) -> list[SpanRow]:
        """See the port."""
        return self._tuples("fact_spans", zone=str(wanted.zone), **span_conditions(wanted))

    def entity_tags(self, wanted: SpanFilter) -> dict[str, list[str]]:
        """See the port."""
        found: dict[str, list[str]] = {}
        for row in self._select("entity_tags", **span_conditions(wanted)):
            found.setdefault(row["entity"], []).append(row["tag"])
        return found

    def fact_lives(self, wanted: SpanFilter, *, joining: bool = False) -> list[FactLife]:
        """See the port."""
        asked = {**span_conditions(wanted._replace(as_of=None, now=None)), **({"joining": 1} if joining else {})}
        return [rows.life_of(row) for row in self._select("fact_lives", zone=str(wanted.zone), **asked)]

    def fact_wear(self, zone: dt.tzinfo, scopes: Sequence[str] = ()) -> list[FactWear]:
        """See the port."""
        asked = {"scopes": list(scopes)} if scopes else {}
        return [FactWear._make(row) for row in self._tuples("fact_wear", zone=str(zone), sure=SURE, **asked)]

    def fact_faces(self, ids: Iterable[str]) -> list[FactFace]:
        """See the port."""
        asked = list(ids)
        return [FactFace._make(row) for row in self._tuples("fact_faces", ids=asked)] if asked else []

    def moved_facts(self) -> dict[str, str]:
        """See the port."""
        return {row["id"]: row["entity"] for row in self._select("moved_facts")}
