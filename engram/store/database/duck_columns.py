"""What is asked of all facts at once: counted by the engine, and fetched by place and not as rows of names."""

import datetime as dt
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Final

from engram.ports.columns import FactFace
from engram.ports.columns import FactLife
from engram.ports.columns import FactWear
from engram.ports.columns import SpanFilter
from engram.ports.columns import SpanRow
from engram.rules.life.decay import SURE
from engram.store.database.conditions import span_conditions
from engram.store.database.duck_streams import DuckStreams
from engram.store.database.tables import rows

_SPANS: Final = 50_000  # facts counted at once, some 300 bytes a row
_LIVES: Final = 10_000  # facts told at once, some 4 kB each


class DuckColumns(DuckStreams):
    """The part of `ports.database.FactDatabase` that counts facts by their days."""

    def iter_spans(self, wanted: SpanFilter) -> Iterator[SpanRow]:
        """See the port."""
        asked = {"zone": str(wanted.zone), **span_conditions(wanted)}
        for first, last in self._pages_of_entities(_SPANS):
            yield from self._tuples("fact_spans", **asked, from_entity=first, upto_entity=last)

    def entity_tags(self, wanted: SpanFilter) -> dict[str, list[str]]:
        """See the port."""
        found: dict[str, list[str]] = {}
        for row in self._select("entity_tags", **span_conditions(wanted)):
            found.setdefault(row["entity"], []).append(row["tag"])
        return found

    def pages_of_lives(self, wanted: SpanFilter, *, joining: bool = False) -> Iterator[list[FactLife]]:
        """See the port."""
        asked = {"zone": str(wanted.zone), **span_conditions(wanted._replace(as_of=None, now=None))}
        asked |= {"joining": 1} if joining else {}
        for first, last in self._pages_of_entities(_LIVES):
            yield self._made("fact_lives", rows.life_of, **asked, from_entity=first, upto_entity=last)

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
