"""Which of the facts that are listed as holding now a newer one tells to be over."""

import datetime as dt
from collections.abc import Callable
from collections.abc import Sequence
from itertools import chain
from typing import Final

from engram.language.compare.updates.former_values import former_cues
from engram.model.fact import Fact
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.services.recall.homes import homes_of
from engram.services.recall.validity.likely import may_change
from engram.services.recall.validity.outdated import find_likely_now
from engram.services.recall.validity.outdated import find_outdated_now
from engram.services.recall.validity.outdated import is_until
from engram.services.recall.validity.outdated import may_tell
from engram.services.recall.validity.outdated import promised
from engram.services.recall.validity.said import read_said

_MOST_BESIDE: Final = 600  # facts beside those of a listing, the newest
MOST_COMPARED: Final = 1000  # facts of one listing: a longer one is for programs, which compare by themselves


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
    active = FactFilter(status="active", scopes=tuple(scopes))
    about = database.list_facts(active._replace(ids=tuple(ids[:MOST_COMPARED])))
    # What ends an order is told in words of its own, what keeps a promise in its; all else has one of a few phrases.
    cues = {deed.cue for fact in about if (deed := promised(fact)) is not None}
    phrases = () if any(map(is_until, about)) else (*former_cues(), *sorted(cues))
    # Most stores have few facts with such a phrase; all facts of a large one are not held at once.
    read = database.list_facts(active._replace(saying=phrases)) if phrases else database.iter_facts(active)
    telling = may_tell(read, about)
    home = homes_of(database).of
    beside = _beside(database, about, active, home)
    said = read_said(database, {fact.id: fact for fact in (*telling, *chain.from_iterable(beside))}.values())
    likely = dict(chain.from_iterable(find_likely_now(some, home, now, said).items() for some in beside))
    over = {fact.id: likely[fact.id] for fact in about if fact.id in likely}
    if telling:
        over |= find_outdated_now(about, home, now, telling, said)
    return {fact_id: newer.id for fact_id, newer in over.items()}


def _beside(
    database: FactDatabase, about: Sequence[Fact], active: FactFilter, home: Callable[[Fact], str | None]
) -> list[list[Fact]]:
    """Return, for each home of facts that may change, these and the newest that are at home there.

    What a fact is beside decides, too, how likely it is over: that may not hang on what else is listed.
    """
    of_home: dict[str | None, dict[str, Fact]] = {home(fact): {} for fact in about if may_change(fact)}
    newest = database.list_facts(active._replace(newest=_MOST_BESIDE)) if of_home else []
    for fact in (*newest, *about):
        if may_change(fact) and (some := of_home.get(home(fact))) is not None:
            some[fact.id] = fact
    return [[*some.values()] for some in of_home.values()]
