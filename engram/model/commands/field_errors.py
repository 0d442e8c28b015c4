"""What is wrong with a field, as people say it: in the place of the words of the library that found it."""

from collections.abc import Mapping
from typing import Any
from typing import Final

_EMPTY: Final = frozenset({"string_too_short", "too_short"})
_SENTENCES: Final[Mapping[str, str]] = {  # type of the library's error -> what is said of the field
    "missing": "{name} is missing",
    "extra_forbidden": "{name} is not known here",
    "string_type": "{name} is no text",
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "{name} is no whole number"),
    **dict.fromkeys(("float_type", "float_parsing", "finite_number"), "{name} is no number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "{name} is neither true nor false"),
    **dict.fromkeys(("list_type", "tuple_type"), "{name} is no list"),
    **dict.fromkeys(("literal_error", "enum"), "{name} can be {expected}"),
    "greater_than_equal": "{name} is less than {ge:,}",
    "less_than_equal": "{name} is more than {le:,}",
    "too_long": "{name} has more than {max_length:,} values",
    "string_too_long": "{name} has more than {max_length:,} characters",
}


def wrong_field(name: str, error: Mapping[str, Any]) -> str:
    """Return a sentence on an error of pydantic, told with its context, about the field of that name."""
    bounds = error.get("ctx", {})
    if error["type"] in _EMPTY and bounds.get("min_length") == 1:
        return f"{name} is empty"
    if (sentence := _SENTENCES.get(error["type"])) is not None:
        whole = {key: int(one) for key, one in bounds.items() if isinstance(one, float) and one.is_integer()}
        return sentence.format_map({**bounds, **whole, "name": name})
    return f"{name}: {str(error['msg']).removeprefix('Value error, ')}"
