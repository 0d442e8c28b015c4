"""How facts were asked for, as the access log tells it: how often, by how many different questions, on how many days.

The log holds no question, but a hash of what it asks about. A prompt is a question when the reply to it used the fact;
what was shown unasked, or stood far down in an answer, proves no use.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.clock import from_iso
from engram.base.clock import local_day
from engram.rules.life.promotion import FIRST_HITS
from engram.rules.life.promotion import Use

_PROMPT: Final = "prompt"  # doors of the access log
_RECALL: Final = "recall"
_USED: Final = "used"
_FACT: Final = "fact"  # kind of hits


class _Asked(NamedTuple):
    fact: str
    question: str  # what tells it from others; empty: not known
    at: dt.datetime


def uses_of(
    rows: Iterable[Mapping[str, Any]], ids: AbstractSet[str], *, since: dt.datetime, zone: dt.tzinfo
) -> dict[str, Use]:
    """Return id -> how each of these facts was asked for since then; those that were not are absent.

    Args:
        rows: of the access log, oldest first; what is no such row is passed over.
        ids: of the facts, in full.
        since: what was asked before does not count.
        zone: of the workspace, by which its days are told apart.
    """
    by_fact: dict[str, list[_Asked]] = defaultdict(list)
    for one in _asked(rows, ids):
        if one.at >= since:
            by_fact[one.fact].append(one)
    return {
        key: Use(
            asked=len(found),
            questions=len({one.question for one in found} - {""}),
            days=len({local_day(one.at, zone) for one in found}),
        )
        for key, found in by_fact.items()
    }


def _asked(rows: Iterable[Mapping[str, Any]], ids: AbstractSet[str]) -> Iterator[_Asked]:
    prompts: dict[tuple[str, str], str] = {}  # session and fact -> the prompt before which it was shown last
    for row in rows:
        at = _instant(row.get("at"))
        if at is None:
            continue
        door, session = row.get("door"), str(row.get("session"))
        question = row.get("asks") or row.get("question") or ""
        shown = _facts(row)
        for place, key in enumerate(shown):
            if key is None or key not in ids:
                continue
            if door == _PROMPT:
                prompts[session, key] = str(question)
            elif door == _USED:
                yield _Asked(key, prompts.get((session, key), ""), at)
            elif door == _RECALL and place < FIRST_HITS:
                yield _Asked(key, str(question), at)


def _facts(row: Mapping[str, Any]) -> list[str | None]:
    """Return the ids of the hits in their order; None for what is no fact."""
    hits = row.get("hits")
    rows = [hit for hit in hits if isinstance(hit, dict)] if isinstance(hits, list) else []
    return [str(hit.get("id")) if hit.get("kind") == _FACT else None for hit in rows]


def _instant(text: Any) -> dt.datetime | None:
    try:
        return from_iso(text)
    except (ValueError, TypeError):
        return None
