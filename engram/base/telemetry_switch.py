"""Whether somebody asks to be told what Engram does. Light."""

import os
from typing import Final

VARIABLE: Final = "ENGRAM_OTEL"


def is_on() -> bool:
    """Tell whether somebody asks."""
    return os.environ.get(VARIABLE) == "1"
