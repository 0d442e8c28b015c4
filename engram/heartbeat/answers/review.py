"""The built-in answer for review: that too much waits, and what could be promoted.

A question has `waiting` (counts and score), `reached` (a sentence for each threshold), and `tensions` and
`observations`, rows of `services.reviewing.describe`. The answer's alerts are the sentences; `stats.candidates` are the
ids of observations that come with a suggestion, or were seen often.
"""

from typing import Any
from typing import Final

from engram.base.counts import counted
from engram.model.handoff import Handoff
from engram.model.handoff import HandoffStatus

OFTEN: Final = 3  # times seen from which an observation is worth a fact


def answer(given: dict[str, Any]) -> Handoff:
    """Answer for review."""
    candidates = [one["id"] for one in given["observations"] if one["suggestion"] or one["seen"] >= OFTEN]
    waiting = given["waiting"]
    return Handoff(
        status=HandoffStatus.WARNING if given["reached"] else HandoffStatus.OK,
        summary=(
            f"{counted(waiting['tensions'], 'tension')} and {counted(waiting['observations'], 'observation')} wait; "
            f"{len(candidates)} could be promoted"
        ),
        stats={"candidates": candidates},
        alerts=tuple(given["reached"]),
    )
