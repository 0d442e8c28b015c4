"""Which candidates a review brings today: the weightiest few, so that nobody is asked more often than she likes.

`review.daily_limit` is for all questions of a day together: what was settled today counts, and what waits besides goes
first. A candidate that nobody mentioned again for `CANDIDATE_DAYS` is not brought any more; it stays stored.
"""

import datetime as dt
from collections.abc import Sequence
from typing import NamedTuple

from engram.base.clock import local_day
from engram.config.settings import Settings
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.rules.life.decay import Calendar
from engram.rules.life.decay import age_days
from engram.rules.life.decay import last_used_at
from engram.rules.life.importance import importance
from engram.services.visibility import Caller
from engram.services.visibility import may_see

CANDIDATE_DAYS = 60  # by `decay.clock`, after its last mention, on which a review still brings a candidate


class Brought(NamedTuple):
    """What a review brings of the candidates."""

    facts: Sequence[Fact]  # the weightiest first
    left: int  # that wait silently, those too old to be brought not counted


def questions_left(database: FactDatabase, settings: Settings, now: dt.datetime) -> int:
    """Return how many questions may be asked today yet: the limit without what was settled today and still stands."""
    today = local_day(now, settings.zone)
    settled = [one for one in database.list_settlements() if one.undone_at is None]
    asked = sum(local_day(one.at, settings.zone) == today for one in settled)
    return max(0, settings.review.daily_limit - asked)


def find_brought(
    database: FactDatabase, settings: Settings, caller: Caller | None, *, besides: int, now: dt.datetime
) -> Brought:
    """Return the candidates that a review brings at an instant.

    Args:
        database: knows the candidates.
        settings: of the workspace.
        caller: who asks; None: the owner, who sees all.
        besides: things of other kinds that wait; they go first.
        now: the instant of asking.
    """
    waiting = database.list_facts(FactFilter(status=Status.CANDIDATE))
    seen = [one for one in waiting if one.trust != Trust.QUARANTINED and (caller is None or may_see(caller, one.scope))]
    if not seen:
        return Brought((), 0)
    usages = database.usages([fact.id for fact in seen])
    calendar = Calendar(settings.zone, database.active_days(settings.zone))
    clock, most = settings.decay.clock, CANDIDATE_DAYS
    said_at = {fact.id: last_used_at(fact, usages.get(fact.id)) for fact in seen}
    fresh = [fact for fact in seen if age_days(said_at[fact.id], now, clock, calendar) <= most]
    weightiest = sorted(
        fresh,
        key=lambda fact: (-round(importance(fact, usages.get(fact.id)), 6), -said_at[fact.id].timestamp(), fact.id),
    )
    room = max(0, questions_left(database, settings, now) - besides)
    return Brought(weightiest[:room], len(weightiest) - min(room, len(weightiest)))
