"""How a workspace stands, on one screen."""

import datetime as dt
from pathlib import Path
from typing import Any
from typing import NamedTuple

from engram.base.clock import local_day
from engram.base.clock import to_iso
from engram.ports.database import FactDatabase
from engram.rules.life.decay import TIERS
from engram.rules.life.decay import Calendar
from engram.rules.life.decay import days_between
from engram.rules.life.decay import tier_of
from engram.rules.temporal import ENDED
from engram.rules.temporal import PLANNED
from engram.services.facts.listing import Moment

_RETIRED = ("superseded", "retracted", "pending", "candidate")


class Standing(NamedTuple):
    """Everything that the overview tells."""

    root: Path
    now: dt.datetime
    counts: dict[str, int]  # rows by table and facts by status
    tiers: dict[str, int]  # facts that hold now, by tier
    spool: tuple[int, int]  # commands that wait, files that were set aside
    journal: int  # position
    database: int  # position
    indexed: int | None  # position of the index; None: no index
    mirror: int  # position
    embeddings: str  # which model and why, in words
    watermarks: dict[str, dict[str, str]]
    last_run: dict[str, Any] | None  # record of the latest heartbeat
    unembedded: int = 0  # documents that have no vector yet
    shared: dict[str, str | None] | None = None  # where the shared journal lies, its name there, and the last contact


def read_standing(  # noqa: PLR0913 - each argument is one line of the screen
    database: FactDatabase,
    *,
    moment: Moment,
    root: Path,
    spool: tuple[int, int],
    journal: int,
    index: int | None,
    embeddings: str,
    mirror: int,
    last_run: dict[str, Any] | None,
    unembedded: int = 0,
    shared: dict[str, str | None] | None = None,
) -> Standing:
    """Gather what the database knows beside what was found around it."""
    return Standing(
        root=root,
        now=moment.now,
        counts=database.counts(moment.now),
        tiers=count_tiers(database, moment),
        spool=spool,
        journal=journal,
        database=database.position(),
        indexed=index,
        mirror=mirror,
        embeddings=embeddings,
        watermarks={consumer: marks for consumer in ("extraction",) if (marks := database.watermarks(consumer))},
        last_run=last_run,
        unembedded=unembedded,
        shared=shared,
    )


def overview(standing: Standing) -> dict[str, Any]:
    """Return the standing with the keys of the contract."""
    counts = standing.counts
    others = {status: counts.get(status, 0) for status in (PLANNED, ENDED, *_RETIRED)}
    return {
        "workspace": str(standing.root),
        "at": to_iso(standing.now),
        "entities": counts["entities"],
        "facts": {"active": counts.get("active", 0), **standing.tiers, **others},
        "sessions": counts["sessions"],
        "turns": counts["turns"],
        "note_entries": counts["notes"],
        "spool": {"waiting": standing.spool[0], "rejected": standing.spool[1]},
        "journal_position": standing.journal,
        **({"shared_journal": standing.shared} if standing.shared else {}),
        "database_lag": standing.journal - standing.database,
        "index_lag": standing.journal - (standing.indexed or 0),
        "mirror_lag": standing.journal - standing.mirror,
        "embeddings": standing.embeddings,
        "unembedded": standing.unembedded,
        "watermarks": standing.watermarks,
        "last_heartbeat": standing.last_run,
        "reviews": {
            "tensions": counts["open_tensions"],
            "observations": counts["open_observations"],
            "quarantined": counts["quarantined"],
            "quarantined_turns": counts["quarantined_turns"],
        },
    }


def count_tiers(database: FactDatabase, moment: Moment) -> dict[str, int]:
    """Return how many facts that hold now are in each tier, by day of last use: it must not take reading them all."""
    calendar = Calendar(moment.zone, database.active_days(moment.zone))
    today = local_day(moment.now, moment.zone)
    counts = dict.fromkeys(TIERS, 0)
    for alike in database.fact_uses(moment.zone, moment.now):
        age = days_between(alike.used_on, today, moment.decay.clock, calendar)
        counts[tier_of(alike.confidence, alike.access_count, age=age, settings=moment.decay)] += alike.facts
    return counts
