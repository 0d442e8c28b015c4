"""Words for the person at the terminal that are neither a result nor an error."""

import sys

from engram.base.text import without_control


def warn(sentence: str) -> None:
    """Print one warning on stderr."""
    print(without_control(f"warning: {sentence}"), file=sys.stderr)  # noqa: T201 - the one place that prints outside the doors
