"""TOML that people wrote: read without an end of the process where brackets stand in one another without end. Light."""

from typing import Any


def load_toml(text: str) -> dict[str, Any]:
    """Return the table that a text is; raise tomllib.TOMLDecodeError, also for one that is nested too deeply."""
    import tomllib  # noqa: PLC0415 - 5 ms, and hooks seldom read TOML

    try:
        return tomllib.loads(text)
    except RecursionError as problem:
        raise tomllib.TOMLDecodeError("it is nested too deeply") from problem
