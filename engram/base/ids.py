"""Opaque ids that sort by time of birth."""

import os
import re
import time

from engram.errors import BadValueError

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32, lower case
_TIME_CHARS = 10  # 50 bits of milliseconds: enough until the year 37000
_RANDOM_CHARS = 16  # 80 bits
_COMMAND_ID = r"(?a:\w[\w.-]{0,99})"


def _base32(number: int, length: int) -> str:
    chars = []
    for _ in range(length):
        number, rest = divmod(number, 32)
        chars.append(_ALPHABET[rest])
    return "".join(reversed(chars))


def new_id() -> str:
    """Return a fresh id of 26 characters: 10 of time in milliseconds, 16 random (the ULID layout)."""
    millis = time.time_ns() // 1_000_000
    return _base32(millis, _TIME_CHARS) + _base32(int.from_bytes(os.urandom(10), "big"), _RANDOM_CHARS)


def check_command_id(command_id: object) -> str:
    """Return the id of a command that its sender chose; raise BadValueError for what is no text or names no file."""
    if not isinstance(command_id, str):
        raise BadValueError("command_id is no text", hint="1 to 100 letters, digits, dots, dashes, underscores")
    if not re.fullmatch(_COMMAND_ID, command_id):
        raise BadValueError(
            f"{command_id[:100]!r} cannot be a command's id", hint="1 to 100 letters, digits, dots, dashes, underscores"
        )
    return command_id
