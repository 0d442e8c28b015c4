"""The day on which an order ends, as its own words say: "never merge to main until Friday"."""

from engram.language.dates.day_hints import may_name_days
from engram.model.fact import Actor
from engram.model.fact import Draft
from engram.model.fact import Source
from engram.services.commands.decider import Context
from engram.services.extract.validity import dated_fields


def with_its_end(draft: Draft, context: Context) -> Draft:
    """Return an order with the day that ends it, unless its writer said one or it was read somewhere, as was its day.

    An end that would have passed when the order begins is none.
    """
    if draft.valid_to is not None or _was_read(draft.source) or not may_name_days(draft.text):
        return draft
    said = dated_fields(draft.text, draft.category, context.now, context.zone)
    end = {name: said[name] for name in ("valid_to", "valid_to_precision") if name in said}
    ended = Draft.model_validate({**draft.model_dump(), **end}) if end else draft
    begin = draft.valid_from or context.now
    return ended if ended.valid_to is not None and ended.valid_to > begin else draft


def _was_read(source: Source) -> bool:
    """Tell whether a heartbeat found it in a turn or a note: it saw the words as they stood, and on which day."""
    return source.turn is not None or (source.start is not None and source.actor != Actor.FILE)
