"""What it means that a statement is said again: it is confirmed, or something else is said of it. Pure.

| said again | what becomes of it |
|---|---|
| with nothing new | confirmed |
| after it had ended | a new version, for the new time |
| of a promise that is overdue, with another day | a new version, from then on |
| with another end, an earlier beginning, a value, tags | a new version: the old one was wrong there |
| with another value | a new version, from then on |
| with another confidence, or a later beginning | confirmed, and the answer names what was not taken over |

What was only read in a text names neither tags nor a beginning: those are the reader's guess and the day of the text.
"""

import datetime as dt
from typing import Any
from typing import NamedTuple

from engram.model.fact import Draft
from engram.model.fact import Fact
from engram.rules.temporal import due_at
from engram.rules.temporal import has_ended
from engram.rules.temporal import names_its_due_day
from engram.rules.temporal import written_day
from engram.rules.writes.succession import begins_at

_MOST_TAGS = 100  # of one fact
_SAME_CONFIDENCE = 0.005


class Restatement(NamedTuple):
    """How a draft differs from the active fact whose words it repeats."""

    update: dict[str, Any]  # fields of a new version; empty: it is confirmed
    was_wrong: bool = False  # the new version puts the old one right; else it follows it in time
    comes_back: bool = False  # it had ended, and holds again: it is written like any other
    said: tuple[str, ...] = ()  # what the new version says otherwise, in words
    left: tuple[str, ...] = ()  # what was said and is not taken over, in words


def find_restatement(draft: Draft, same: Fact, now: dt.datetime, zone: dt.tzinfo) -> Restatement:
    """Return what a draft says of a fact in whose words it is."""
    was_read = draft.source.turn is not None or draft.source.path is not None
    begins = draft.valid_from or now
    comes_back = has_ended(same, begins) and draft.valid_to != same.valid_to
    anew = _is_promised_anew(draft, same, begins)
    has_changed = anew or _has_another_value(draft, same)
    found = _Said({}, [], [])
    if comes_back or has_changed:
        found.update.update(_period(draft, begins))
        found.said.append(
            f"it is promised anew on {_day(begins, zone)}" if anew else f"it holds from {_day(begins, zone)}"
        )
    else:
        _add_time(found, draft, same, now, zone, was_read=was_read)
    if draft.value and (has_changed or not same.value):
        found.update.update({"attribute": draft.attribute or same.attribute, "value": draft.value})
        found.said.append(f"its {draft.attribute or same.attribute or 'value'} is {draft.value}")
    _add_labels(found, draft, same, was_read=was_read)
    said, left = tuple(found.said), tuple(found.left)
    return Restatement(found.update, not (comes_back or has_changed), comes_back, said, left)


class _Said(NamedTuple):
    update: dict[str, Any]
    said: list[str]
    left: list[str]


def _has_another_value(draft: Draft, same: Fact) -> bool:
    return bool(draft.value and same.value and draft.value.casefold() != same.value.casefold())


def _is_beyond(draft: Draft, same: Fact) -> bool:
    """Tell whether the end that is said of a fact comes behind the plan that ends it; the day when it is due always."""
    if draft.valid_to is None or same.valid_to is None or draft.valid_to == same.valid_to:
        return False
    return draft.valid_to > same.valid_to or names_its_due_day(same)


def _is_promised_anew(draft: Draft, same: Fact, begins: dt.datetime) -> bool:
    """Tell whether a promise whose day has passed is given for another day: "I'll send it on Friday", each week."""
    due = due_at(same)
    return due is not None and due <= begins and draft.valid_to is not None and draft.valid_to > due


def _add_labels(found: _Said, draft: Draft, same: Fact, *, was_read: bool) -> None:
    """Add what is said of tags and confidence."""
    if fresh := sorted({*draft.tags} - {*same.tags}):
        if was_read:
            found.left.append(f"tags {', '.join(fresh)}")
        else:
            found.update["tags"] = tuple(sorted({*draft.tags, *same.tags}))[:_MOST_TAGS]
            found.said.append(f"tagged {', '.join(fresh)}")
    names_confidence = not was_read and "confidence" in draft.model_fields_set
    if names_confidence and abs(draft.confidence - same.confidence) > _SAME_CONFIDENCE:
        found.left.append(f"confidence {draft.confidence:.0%}, it stays {same.confidence:.0%}")


def _add_time(found: _Said, draft: Draft, same: Fact, now: dt.datetime, zone: dt.tzinfo, *, was_read: bool) -> None:
    """Add what is said of the time while the fact holds, or has not begun."""
    plan = same.superseded_by
    if plan is not None and same.valid_to is not None and draft.valid_to is not None and _is_beyond(draft, same):
        until = written_day(draft.valid_to, draft.valid_to_precision, zone)
        found.left.append(f"an end on {until}, {plan} begins on {_day(same.valid_to, zone)}")
    elif draft.valid_to is not None and draft.valid_to != same.valid_to:
        found.update.update({"valid_to": draft.valid_to, "valid_to_precision": draft.valid_to_precision})
        found.said.append(f"it holds until {written_day(draft.valid_to, draft.valid_to_precision, zone)}")
    begins, begun = draft.valid_from or now, begins_at(same, now)
    names_begin = draft.valid_from is not None and not was_read
    if _day(begins, zone) < _day(begun, zone) and (names_begin or begun > now):
        found.update.update({"valid_from": begins, "valid_from_precision": draft.valid_from_precision})
        found.said.append(f"it holds from {_day(begins, zone)}")
    elif names_begin and _day(begins, zone) > _day(begun, zone):
        found.left.append(f"a beginning on {_day(begins, zone)}, it holds since {_day(begun, zone)}")


def _period(draft: Draft, begins: dt.datetime) -> dict[str, Any]:
    return {
        "valid_from": begins,
        "valid_from_precision": draft.valid_from_precision,
        "valid_to": draft.valid_to,
        "valid_to_precision": draft.valid_to_precision,
    }


def _day(at: dt.datetime, zone: dt.tzinfo) -> str:
    return at.astimezone(zone).date().isoformat()
