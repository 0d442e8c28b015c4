"""What may be shown to whom: the one exit of each candidate that may not."""

import datetime as dt
from collections.abc import Collection

from engram.model.document import OF_STORE
from engram.model.document import Document
from engram.model.fact import Fact
from engram.model.fact import Trust
from engram.model.vocabulary import Standing
from engram.rules.temporal import ENDED
from engram.rules.temporal import PLANNED
from engram.rules.temporal import WAITING
from engram.rules.temporal import standing
from engram.rules.temporal import visible

OUT_OF_SCOPE = "out_of_scope"  # private to another session or agent
QUARANTINED = "quarantined"  # tries to give orders
FORGOTTEN = "forgotten"  # the store does not hold it any more
OUT_OF_TIME = "out_of_time"  # not yet, or no longer, at the time that was asked about

WITHHOLDING = frozenset({OUT_OF_SCOPE, QUARANTINED, ENDED.value, "pending", "superseded", "retracted"})
"""Exits of what is known but not shown; `out_of_time` is not among them: the question itself excluded it."""


def exit_of(
    document: Document,
    fact: Fact | None,
    *,
    scopes: Collection[str],
    as_of: dt.datetime | None,
    as_known: dt.datetime | None,
    now: dt.datetime,
    ended: bool = False,
) -> str:
    """Return why a candidate may not be shown, or an empty string when it may.

    Args:
        document: as the index has it.
        fact: as the store has it now, for a document of a fact; the store has the last word.
        scopes: what the asker may see.
        as_of: the moment of the world that is asked about; None: now.
        as_known: the moment of our knowledge; None: now.
        now: when it is asked.
        ended: the question is also about what is over by its own end.
    """
    if document.scope not in scopes:
        return OUT_OF_SCOPE
    if document.kind in OF_STORE:
        if fact is None:
            return FORGOTTEN
        return _exit_then(fact, as_of, as_known) if as_of or as_known else _exit_now(fact, now, ended=ended)
    if not document.live:
        return QUARANTINED
    moments = [moment for moment in (as_of, as_known) if moment is not None]
    return OUT_OF_TIME if moments and document.at is not None and document.at > min(moments) else ""


def _exit_now(fact: Fact, now: dt.datetime, *, ended: bool) -> str:
    """Return the exit of a fact that does not hold now; what is planned and what only waits is shown, and marked."""
    if fact.trust == Trust.QUARANTINED:
        return QUARANTINED
    stands = standing(fact, now)
    shown = {Standing.ACTIVE, Standing.CANDIDATE, PLANNED, *([ENDED] if ended else [])}
    return "" if stands in shown else stands.value


def _exit_then(fact: Fact, as_of: dt.datetime | None, as_known: dt.datetime | None) -> str:
    if fact.trust == Trust.QUARANTINED:
        return QUARANTINED
    if visible(fact, as_of=as_of, as_known=as_known):
        return ""
    return fact.status.value if fact.status in WAITING else OUT_OF_TIME
