"""The life of a candidate: a statement that waits for a second mention, or for a person. Pure.

| what comes | from | what becomes of the candidate |
|---|---|---|
| the same statement, unsure again | the same occasion | it waits on, and the mention is counted |
| the same statement, unsure again | another occasion | it is believed, and the usual rules of writing apply |
| the same statement, sure | anywhere | it is believed, and the usual rules of writing apply |
| a person confirms it | | it is believed, and the usual rules of writing apply |
| a person rejects it | | it is retracted, and the statement is not proposed again |

Another occasion is another note, another session, or another day. A mention of another scope is none.
"""

import datetime as dt
from collections.abc import Iterable
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.clock import local_day
from engram.model.fact import Draft
from engram.model.fact import Fact
from engram.model.fact import Source
from engram.model.fact import Status
from engram.model.fact import Trust

UNDONE: Final = "undone: "  # begins why a fact was taken back that was only part of what was undone
_LEAST_FIRST = (Trust.QUARANTINED, Trust.UNVERIFIED, Trust.TRUSTED)
_MOST_LABELS = 100  # tags or relations of one fact
_SAID: Final = (  # fields by which a fact and a draft say something
    *("text", "source", "derived_from", "category", "abstraction", "confidence", "tags", "related"),
    *("attribute", "value", "valid_from", "valid_from_precision", "valid_to", "valid_to_precision"),
)


class Mention(NamedTuple):
    """A candidate and a later statement of the same thing, put together."""

    candidate: Fact
    draft: Draft  # what both come to
    trust: Trust  # that of the more trusted one, whose words and source stand
    mentioned: Trust  # that of the mention
    other: Source  # where the other one was said

    @property
    def is_of_one_trust(self) -> bool:
        """Whether both are trusted alike, so that each may add to the other."""
        return self.candidate.trust == self.mentioned

    @property
    def is_by_less_trusted(self) -> bool:
        """Whether the mention is trusted less than the candidate."""
        return self.mentioned != self.trust


def find_waiting(fingerprint: str, facts: Iterable[Fact]) -> Fact | None:
    """Return the candidate among the facts of one entity and scope that says this, or None."""
    return _last_that_says(fingerprint, facts, Status.CANDIDATE)


def find_rejected(fingerprint: str, facts: Iterable[Fact]) -> Fact | None:
    """Return the fact among those of one entity and scope that said this and was taken back, or None.

    What was undone with all that was done together, such as an import, was judged by nobody.
    """
    judged = (fact for fact in facts if not (fact.reason or "").startswith(UNDONE))
    return _last_that_says(fingerprint, judged, Status.RETRACTED)


def is_same_occasion(candidate: Fact, draft: Draft, now: dt.datetime, zone: dt.tzinfo) -> bool:
    """Tell whether a statement was made on the occasion of the candidate; `now` is when it came, `zone` tells days."""
    first, second = candidate.source, draft.source
    if _note(first) or _note(second):
        return _note(first) == _note(second)
    days = (local_day(candidate.valid_from, zone), local_day(draft.valid_from or now, zone))
    return first.session == second.session and days[0] == days[1]


def put_together(candidate: Fact, draft: Draft, trust: Trust) -> Mention:
    """Return what a candidate and a later mention of it come to; `trust` is that of the mention.

    Of two that are not trusted alike, the less trusted one only tells that it was said twice: what a stranger says of
    the same words, such as that they are an instruction, would be trusted else.
    """
    if trust != candidate.trust:
        is_better = _LEAST_FIRST.index(trust) > _LEAST_FIRST.index(candidate.trust)
        own: dict[str, Any] = {} if is_better else {name: getattr(candidate, name) for name in _SAID}
        whole = draft.model_copy(update={**own, "candidate": False})
        if is_better:
            return Mention(candidate, whole, trust, trust, candidate.source)
        return Mention(candidate, whole, candidate.trust, trust, draft.source)
    surer = draft if not draft.candidate or draft.confidence > candidate.confidence else candidate
    update: dict[str, Any] = {
        "text": candidate.text,
        "source": candidate.source,
        "derived_from": candidate.derived_from,
        "category": surer.category,
        "abstraction": surer.abstraction,
        "confidence": max(draft.confidence, candidate.confidence),
        "tags": tuple(sorted({*draft.tags, *candidate.tags}))[:_MOST_LABELS],
        "related": tuple(sorted({*draft.related, *candidate.related}))[:_MOST_LABELS],
        "candidate": False,
    }
    if draft.valid_to is None:
        update |= {"valid_to": candidate.valid_to, "valid_to_precision": candidate.valid_to_precision}
    return Mention(candidate, draft.model_copy(update=update), trust, trust, draft.source)


def beginning(candidate: Fact, draft: Draft, targets: Iterable[Fact], now: dt.datetime) -> dict[str, Any]:
    """Return from when the statement holds, as fields: its first mention, unless something else held in between."""
    said = draft.valid_from or now
    if candidate.valid_from > said or any(old.valid_from > candidate.valid_from for old in targets):
        return {"valid_from": said}
    return {"valid_from": candidate.valid_from, "valid_from_precision": candidate.valid_from_precision}


def in_place_of(candidate: Fact, fact: Fact) -> Fact:
    """Return the fact that was made of a candidate and its mention, in the candidate's place."""
    lineage = candidate.id if fact.lineage == fact.id else fact.lineage
    return fact.model_copy(update={"id": candidate.id, "entity": candidate.entity, "lineage": lineage})


def _note(source: Source) -> str:
    """Return the note that something stands in; "" for what was said in a conversation, or by hand."""
    return "" if source.turn or source.path is None else source.path


def _last_that_says(fingerprint: str, facts: Iterable[Fact], status: Status) -> Fact | None:
    found = [fact for fact in facts if fact.fingerprint == fingerprint and fact.status == status]
    return found[-1] if found else None
