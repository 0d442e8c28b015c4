"""Whole values without secrets: what is spooled, logged or kept aside, before it reaches the disk."""

from collections.abc import Mapping
from typing import Any

from engram.language.secrets import redact

_NAMES = frozenset(
    {"id", "ids", "command_id", "sha256", "run_id", "at"}
)  # made by Engram itself, and matched to the letter


def redact_value(value: Any) -> Any:
    """Return a JSON value with every text in it redacted; names of fields, numbers and Engram's own ids stay."""
    if isinstance(value, str):
        return redact(value).text
    if isinstance(value, Mapping):
        return {name: member if name in _NAMES else redact_value(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [redact_value(member) for member in value]
    return value
