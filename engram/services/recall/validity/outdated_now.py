"""Which of the facts that are listed as holding now a newer one tells to be over."""

import datetime as dt
from collections.abc import Sequence
from typing import Final

from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.services.recall.homes import homes_of
from engram.services.recall.validity.outdated import find_outdated_now
from engram.services.recall.validity.outdated import may_tell

_MOST_COMPARED: Final = 1000  # facts of one listing: a longer one is for programs, which compare by themselves


def outdated_now(
    database: FactDatabase, ids: Sequence[str], now: dt.datetime, scopes: Sequence[str] = ()
) -> dict[str, str]:
    """Return, by the id of each of these facts that is told to be over, the id of the newest fact that says so.

    Args:
        database: the facts.
        ids: those that are listed; of more than 1,000 the first 1,000 are looked at.
        now: the moment that counts.
        scopes: what the caller may see; empty: everything.
    """
    if not ids:
        return {}
    current = database.list_facts(FactFilter(status="active", scopes=tuple(scopes)))
    listed = {*ids[:_MOST_COMPARED]}
    about = [fact for fact in current if fact.id in listed]
    telling = may_tell(current, about)
    if not telling:
        return {}
    over = find_outdated_now(about, homes_of(database).of, now, telling)
    return {fact_id: newer.id for fact_id, newer in over.items()}
