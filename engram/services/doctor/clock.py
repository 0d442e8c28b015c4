"""Doctor's check of the clock: what was recorded while it stood wrong has wrong days, though its order is right."""

import datetime as dt
import itertools
from collections.abc import Iterator
from contextlib import suppress

from engram.base.clock import to_iso
from engram.errors import UnreadableJournalError
from engram.model.finding import Finding
from engram.model.finding import Level
from engram.rules.clock_step import went_back
from engram.services.doctor.check import Checkup
from engram.services.doctor.check import journal_head

_LATEST = 1000  # records that are looked at: of what is older somebody knows, or nobody will
_FRESH = dt.timedelta(days=7)  # after a step; then it is only good to know
_FACTS = "engram facts --since 7d --status all"


def check_clock(checkup: Checkup) -> Iterator[Finding]:
    """The clock has not gone back by more than an hour between two records, or since the last one."""
    head = journal_head(checkup)
    if head is None or not head[0]:
        return
    with suppress(UnreadableJournalError):  # the journal check's finding
        times = [record.at for record, _ in checkup.journal.read(max(0, head[0] - _LATEST))]
        steps = [(before, after) for before, after in itertools.pairwise(times) if went_back(before, after)]
        if times and went_back(times[-1], checkup.now):
            message = (
                f"the last record is of {to_iso(times[-1])}, which is to come: the clock stands wrong, or stood so"
            )
            yield checkup.finding("clock-behind", Level.WARNING, checkup.paths.journal, message, _FACTS)
        elif steps:
            before, after = steps[-1]
            message = f"the clock went back from {to_iso(before)} to {to_iso(after)}: what it dated may have wrong days"
            level = Level.WARNING if abs(checkup.now - after) < _FRESH else Level.INFO
            yield checkup.finding("clock-step", level, checkup.paths.journal, message, _FACTS)
