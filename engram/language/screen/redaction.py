"""Whole values without secrets: what is spooled, logged or kept aside, before it reaches the disk."""

import functools
from collections.abc import Callable
from collections.abc import Mapping
from typing import Any

from engram.language.screen.secrets import redact

_NAMES = frozenset(
    {"id", "ids", "command_id", "sha256", "run_id", "at"}
)  # made by Engram itself, and matched to the letter


def redact_value(value: Any) -> Any:
    """Return a JSON value with every text in it redacted; names of fields, numbers and Engram's own ids stay."""
    # The turns of one conversation share their speakers and their file: equal texts of one value are read once.
    return _without(value, functools.cache(lambda text: redact(text).text))


def _without(value: Any, cleaned: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return cleaned(value)
    if isinstance(value, Mapping):
        return {name: member if name in _NAMES else _without(member, cleaned) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_without(member, cleaned) for member in value]
    return value
