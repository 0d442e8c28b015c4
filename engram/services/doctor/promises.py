"""Promises that are long overdue: nothing says that they were kept, and a start block shows them no more."""

import shlex
from collections.abc import Iterator
from typing import Final

from engram.model.finding import Finding
from engram.model.finding import Level
from engram.model.vocabulary import Category
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.rules.temporal import SHOWN_OVERDUE
from engram.rules.temporal import overdue_since
from engram.rules.temporal import written_due
from engram.services.doctor.check import Checkup
from engram.services.doctor.check import standing
from engram.services.recall.validity.outdated_now import outdated_now

CODE: Final = "promise-overdue"
MOST: Final = 10  # promises at a time: nobody looks after more in a day


def check_promises(checkup: Checkup) -> Iterator[Finding]:
    """No promise is owed whose day has long passed."""
    with standing(checkup) as database:
        if database is not None:
            yield from _find_overdue(checkup, database)


def _find_overdue(checkup: Checkup, database: FactDatabase) -> Iterator[Finding]:
    """Yield a finding for each of the promises that are overdue longest, without their words: some are private."""
    owed = database.list_facts(FactFilter(category=Category.COMMITMENT.value))
    zone, long_ago = checkup.settings.zone, checkup.now - SHOWN_OVERDUE
    late = [(since, fact) for fact in owed if (since := overdue_since(fact, checkup.now, zone)) and since <= long_ago]
    oldest_first = [fact for _, fact in sorted(late, key=lambda one: (one[0], one[1].id))]
    kept = outdated_now(database, [fact.id for fact in oldest_first], checkup.now)
    found = [fact for fact in oldest_first if fact.id not in kept]
    for fact in found[:MOST]:
        done = f"--entity {shlex.quote(fact.entity)} --supersedes {shlex.quote(fact.id)}"
        yield Finding(
            code=CODE,
            level=Level.INFO,
            path=f"life/{fact.entity}",
            message=f"{fact.id} was promised by {written_due(fact, zone)}, and nothing says what became of it",
            command=f'engram write {done} "what was done"',
        )
    if len(found) > MOST:
        message = f"{len(found) - MOST} more promises are overdue; they are named when these are settled"
        yield Finding(
            code=CODE, level=Level.INFO, path="life", message=message, command="engram facts --category commitment"
        )
