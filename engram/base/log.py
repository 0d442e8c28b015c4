"""Words for the person at the terminal that are neither a result nor an error."""

import sys
import time
from typing import Final

from engram.base.text import without_control

_MINUTE_S: Final = 60.0
_said: Final[dict[str, float]] = {}  # when each sentence of `warn_once_a_minute` was last said, on the monotonic clock


def warn(sentence: str) -> None:
    """Print one warning on stderr."""
    print(without_control(f"warning: {sentence}"), file=sys.stderr)  # noqa: T201 - the one place that prints outside the doors


def warn_once_a_minute(sentence: str) -> None:
    """Print a warning unless this process printed the same one less than a minute ago: one command meets it often."""
    now = time.monotonic()
    if now - _said.get(sentence, -_MINUTE_S) < _MINUTE_S:
        return
    _said[sentence] = now
    warn(sentence)
