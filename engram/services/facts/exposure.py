"""Who was shown a fact, and whether it helped: what the logs of recall tell of one fact. Pure.

An answer is one look at the memory; a reply is what an agent said after it was shown something for a prompt, and used
it when it shared the words.
"""

from collections import Counter
from collections.abc import Iterable
from collections.abc import Mapping
from typing import Any
from typing import Final

from engram.services.visibility import Caller
from engram.services.visibility import is_anothers

USED: Final = "used"  # the door by which the log tells that a reply used what it was shown
_MOST_TOLD: Final = 50  # latest answers that are told one by one
_REPLY: Final = "reply"  # kind of rows of the recall log that tell of a reply

Rows = Iterable[Mapping[str, Any]]


def exposure_of(fact_id: str, answers: Rows, replies: Rows, caller: Caller | None) -> dict[str, Any]:
    """Return what the logs tell of a fact, as far as it is for the caller.

    {"answers", "doors": {door: count}, "replies", "used", "latest": [{"at", "door", "session", "words"}]}. Replies
    are counted for the owner alone: the log does not say in which session they fell.

    Args:
        fact_id: in full.
        answers: rows of the access log, oldest first.
        replies: rows of the recall log.
        caller: who asks; None: the owner, who sees all.
    """
    shown = [row for row in answers if _holds(row, fact_id) and _is_for(caller, row.get("session"))]
    given = [row for row in shown if row.get("door") != USED]
    doors = Counter(str(row.get("door")) for row in given)
    read = [row for row in replies if row.get("kind") == _REPLY] if caller is None or caller.is_owner else []
    return {
        "answers": len(given),
        "doors": dict(sorted(doors.items())),
        "replies": sum(fact_id in _texts(row.get("shown")) for row in read),
        "used": sum(fact_id in _texts(row.get("used")) for row in read),
        "latest": [_told(row) for row in shown[: -_MOST_TOLD - 1 : -1]],
    }


def _holds(row: Mapping[str, Any], fact_id: str) -> bool:
    hits = row.get("hits")
    return isinstance(hits, list) and any(isinstance(hit, Mapping) and hit.get("id") == fact_id for hit in hits)


def _is_for(caller: Caller | None, session: Any) -> bool:
    """Tell whether what a session was answered is for the caller: its own, or all but another agent's for the owner."""
    if caller is None:
        return True
    name = session if isinstance(session, str) else None
    return not is_anothers(caller, name) if caller.is_owner else name is not None and name == caller.session


def _told(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row.get(name) for name in ("at", "door", "session", "words")}


def _texts(value: Any) -> list[str]:
    return value if isinstance(value, list) else []
