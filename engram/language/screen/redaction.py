"""Whole values without secrets: what is spooled, logged or kept aside, before it reaches the disk."""

import functools
import re
from collections.abc import Callable
from collections.abc import Mapping
from typing import Any

from engram.errors import BadValueError
from engram.language.screen.secrets import redact

_LONG_RUN = re.compile(r"[^\W_]{16,}")

_NAMES = frozenset(
    {"id", "ids", "command_id", "sha256", "run_id", "at"}
)  # made by Engram itself, and matched to the letter


def require_no_secret(what: str, text: str) -> str:
    """Return a name that has to be kept to the letter; raise BadValueError when it holds a secret.

    Args:
        what: what it names, for the message, such as "the name of a domain".
        text: the name.
    """
    if _may_hold_secret(text) and (kinds := redact(text).kinds):
        raise BadValueError(
            f"{what} holds a secret ({', '.join(kinds)}) and would be kept as it is", hint="another name"
        )
    return text


def is_secret_name(path: str) -> bool:
    """Tell whether a file's name or a folder's holds a secret: nothing may keep it."""
    return _may_hold_secret(path) and bool(redact(path).kinds)


def _may_hold_secret(name: str) -> bool:
    """Tell whether a name has letters and digits in a row as no word has; cheap, for it is asked of every file."""
    return any(run.isascii() and not run.isalpha() and not run.isdigit() for run in _LONG_RUN.findall(name))


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
