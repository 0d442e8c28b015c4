"""Spans of time as people write them: 30m, 12h, 7d, 2w."""

import re
from typing import Final

_SPAN: Final = re.compile(r"(\d{1,5})\s*([mhdw])")
_UNIT_S: Final = {"m": 60, "h": 3600, "d": 86_400, "w": 604_800}


def parse_span(text: str) -> int | None:
    """Return the seconds of a span such as 30m, 12h, 7d or 2w; None when it is none or is nothing."""
    found = _SPAN.fullmatch(text.strip().casefold())
    return int(found[1]) * _UNIT_S[found[2]] or None if found else None
