"""The day on which an order ends, as its own words say: "never merge to main until Friday"."""

from typing import Final

from engram.language.dates.day_hints import may_name_days
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
    """Return an order with the day that ends it, and what its writer is told of that; else the draft and nothing.

    Unless its writer said a day, or it was read somewhere, as was its day. An end that would have passed when the order
    begins is none.
    """
    if draft.valid_to is not None or _was_read(draft.source):
        return draft, ""
    if not may_name_days(draft.text) or not _is_order(draft):
        return draft, ""
    said = dated_fields(draft.text, Category.INSTRUCTION, context.now, context.zone)
    end = {name: said[name] for name in ("valid_to", "valid_to_precision") if name in said}
    ended = Draft.model_validate({**draft.model_dump(), **end}) if end else draft
    begin = draft.valid_from or context.now
    if ended.valid_to is None or ended.valid_to <= begin:
        return draft, ""
    day = written_day(ended.valid_to, ended.valid_to_precision, context.zone)
    return ended, f"it holds until {day}, as its words say"


def _is_order(draft: Draft) -> bool:
    """Tell whether a draft is an order; its words tell where its writer named no category."""
    if draft.category == Category.INSTRUCTION or _INSTRUCTION in draft.tags:
        return True
    return draft.category == Category.CONTEXT and _INSTRUCTION in detect(draft.text).categories


def _was_read(source: Source) -> bool:
    """Tell whether a heartbeat found it in a turn or a note: it saw the words as they stood, and on which day."""
    return source.turn is not None or (source.start is not None and source.actor != Actor.FILE)
