"""Which facts are read for one start block: all of them, and of very many those that may stand in it."""

import datetime as dt
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple

from engram.base.text import is_archived
from engram.config.sections.memory import DecaySettings
from engram.model.fact import Fact
from engram.model.fact import Trust
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.ports.start import StartFilter
from engram.ports.start import TierBounds
from engram.ports.start import WorkedOn
from engram.rules.life.decay import Calendar
from engram.rules.life.decay import oldest_use

MOST_READ: Final = 20_000  # facts up to which all are read, which takes a second
_OF_EACH_KIND: Final = 1000  # more than any part of a block shows or compares


class Reader(NamedTuple):
    """For whom facts are read, and when."""

    scopes: tuple[str, ...]  # that may be seen
    now: dt.datetime
    owner: str  # path; empty: nobody
    project: WorkedOn | None
    in_play: Sequence[str]  # paths of entities


def read_facts(database: FactDatabase, reader: Reader, calendar: Calendar, decay: DecaySettings) -> list[Fact]:
    """Return the active facts of a block, by entity and number, without archived and quarantined ones."""
    if database.count_held(reader.scopes, reader.now) > MOST_READ:
        return database.facts_to_begin_with(_filter(reader, calendar, decay))
    listed = database.list_facts(FactFilter(scopes=reader.scopes))
    return [fact for fact in listed if fact.trust != Trust.QUARANTINED and not is_archived(fact.entity)]


def _filter(reader: Reader, calendar: Calendar, decay: DecaySettings) -> StartFilter:
    hot, warm, unsure = (
        oldest_use(days, reader.now, decay.clock, calendar)
        for days in (decay.hot_days, decay.warm_days, decay.unsure_days)
    )
    tiers = TierBounds(hot, warm, unsure, decay.kept_accesses)
    return StartFilter(
        reader.now, reader.scopes, reader.owner, reader.project, tuple(reader.in_play), tiers, _OF_EACH_KIND
    )
