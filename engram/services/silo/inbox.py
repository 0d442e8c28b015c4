"""What agents left for each other: what waits for one, and what became of what it sent.

A handoff is between two agents. To anybody but these two and the owner it is as if it were not there, and in a session
that is kept apart none is shown: others may read along.
"""

import datetime as dt
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.clock import local_day
from engram.base.clock import to_iso
from engram.model.sent_handoff import HandoffStatus
from engram.model.sent_handoff import SentHandoff
from engram.ports.database import FactDatabase
from engram.services.visibility import Caller

_ANSWERS_DAYS: Final = 3  # for which an answer is shown to who sent, without being asked for
_ANSWERED: Final = frozenset({HandoffStatus.ACCEPTED, HandoffStatus.REJECTED})


class Inbox(NamedTuple):
    """Of one agent, or of all."""

    waiting: list[SentHandoff]  # for an answer, oldest first
    answers: list[SentHandoff]  # to what was sent, oldest first
    others: list[SentHandoff]  # when all are asked for: those that the agent answered, and what was taken back


def read_inbox(
    database: FactDatabase, caller: Caller | None, now: dt.datetime, zone: dt.tzinfo, *, every: bool = False
) -> Inbox:
    """Return what waits for the caller's agent and what it was answered lately; for None, what waits for anybody.

    Args:
        database: knows the handoffs.
        caller: who asks; None: the store's owner, who sees all.
        now: the instant of asking.
        zone: of whose days an answer's age is counted.
        every: also older answers, and what else there was.
    """
    if caller is not None and (caller.apart or caller.group):
        return Inbox([], [], [])
    agent = caller.agent if caller is not None else None
    found = [one for one in database.list_handoffs("all") if agent is None or agent in {one.to, one.sender}]
    waiting = [one for one in found if one.status == HandoffStatus.WAITING and agent in {None, one.to}]
    first = local_day(now, zone) - dt.timedelta(days=_ANSWERS_DAYS - 1)
    answers = [
        one
        for one in found
        if one.status in _ANSWERED
        and agent in {None, one.sender}
        and (every or (one.answered_at is not None and local_day(one.answered_at, zone) >= first))
    ]
    shown = {one.id for one in (*waiting, *answers)}
    others = [one for one in found if one.id not in shown] if every else []
    return Inbox(waiting, answers, others)


def handoff_view(one: SentHandoff) -> dict[str, Any]:
    """Return a sent handoff with the keys of the contract."""
    return {
        "id": one.id,
        "from": one.sender,
        "to": one.to,
        "text": one.text,
        "status": one.status.value,
        "actor": one.actor.value,
        "trust": one.trust.value,
        "session": one.session,
        "sent_at": to_iso(one.sent_at),
        "reason": one.reason,
        "answered_by": one.answered_by,
        "answered_at": to_iso(one.answered_at) if one.answered_at else None,
    }


def inbox_view(inbox: Inbox, agent: str | None) -> dict[str, Any]:
    """Return an inbox with the keys of the contract."""
    return {
        "agent": agent,
        "waiting": len(inbox.waiting),
        "handoffs": [handoff_view(one) for one in inbox.waiting],
        "answers": [handoff_view(one) for one in inbox.answers],
        "others": [handoff_view(one) for one in inbox.others],
    }
