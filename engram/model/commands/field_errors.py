"""What is wrong with a field, as people say it: in the place of the words of the library that found it."""

from collections.abc import Mapping
from typing import Any
from typing import Final

_EMPTY: Final = frozenset({"string_too_short", "too_short"})


def wrong_field(name: str, error: Mapping[str, Any]) -> str:
    """Return a sentence on an error of pydantic, told with its context, about the field of that name."""
    bounds = error.get("ctx", {})
    if error["type"] in _EMPTY and bounds.get("min_length") == 1:
        return f"{name} is empty"
    if error["type"] == "string_too_long":
        return f"{name} has more than {bounds['max_length']:,} characters"
    return f"{name}: {str(error['msg']).removeprefix('Value error, ')}"
