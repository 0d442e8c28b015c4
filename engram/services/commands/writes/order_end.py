"""The day on which an order ends or a promise is due, as its own words say: "never merge to main until Friday"."""

from typing import Final

from engram.language.dates.day_hints import may_name_days
from engram.language.dates.due_days import lasts_until_its_day
from engram.language.signal.detector import detect
from engram.model.fact import Actor
from engram.model.fact import Category
from engram.model.fact import Draft
from engram.model.fact import Source
from engram.rules.temporal import written_day
from engram.services.commands.decider import Context
from engram.services.extract.validity import dated_fields

_INSTRUCTION: Final = Category.INSTRUCTION.value  # also as a tag, and as what words are found to be


def with_its_end(draft: Draft, context: Context) -> tuple[Draft, str]:
    """Return an order or a promise with its day, and what its writer is told of that; else the draft and nothing.

    Unless its writer said a day, or it was read somewhere, as was its day. An end that would have passed when it
    begins is none.
    """
    if draft.valid_to is not None or _was_read(draft.source):
        return draft, ""
    category = _category_with_a_day(draft) if may_name_days(draft.text) else None
    if category is None:
        return draft, ""
    said = dated_fields(draft.text, category, context.now, context.zone)
    end = {name: said[name] for name in ("valid_to", "valid_to_precision") if name in said}
    ended = Draft.model_validate({**draft.model_dump(), **end}) if end else draft
    begin = draft.valid_from or context.now
    if ended.valid_to is None or ended.valid_to <= begin:
        return draft, ""
    day = written_day(ended.valid_to, ended.valid_to_precision, context.zone)
    is_due = category == Category.COMMITMENT and not lasts_until_its_day(draft.text)
    return ended, f"it {'is due on' if is_due else 'holds until'} {day}, as its words say"


def _category_with_a_day(draft: Draft) -> Category | None:
    """Return as what a draft is read: an order, also where its writer named no category, or a promise; else None."""
    if draft.category == Category.INSTRUCTION or _INSTRUCTION in draft.tags:
        return Category.INSTRUCTION
    if draft.category == Category.COMMITMENT:
        return Category.COMMITMENT
    is_order = draft.category == Category.CONTEXT and _INSTRUCTION in detect(draft.text).categories
    return Category.INSTRUCTION if is_order else None


def _was_read(source: Source) -> bool:
    """Tell whether a heartbeat found it in a turn or a note: it saw the words as they stood, and on which day."""
    return source.turn is not None or (source.start is not None and source.actor != Actor.FILE)
