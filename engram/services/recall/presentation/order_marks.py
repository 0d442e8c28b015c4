"""What is told of a standing order, in words: the case in which it holds, its end, its giver, what excludes it."""

from collections.abc import Mapping
from typing import Any
from typing import Final

_MOST_CHARS: Final = 60  # of a case: a longer one only says the sentence again


def order_marks(told: Mapping[str, Any]) -> list[str]:
    """Return what is told of an order, in words; nothing for one of which there is nothing to tell."""
    until, against = told.get("until"), told.get("against")
    when = told.get("when")
    said = (
        when if len(when or "") <= _MOST_CHARS else None,
        until and f"until {until}",
        told.get("by") and f"by {told['by']}",
    )
    return [*filter(None, said), *([f"excludes {', '.join(against)}: not settled"] if against else [])]
