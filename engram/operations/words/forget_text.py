"""What a forgetting comes to, told to a person, at each door in the same words."""

from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import Final

from engram.base.counts import counted

_COUNTED: Final = (
    ("facts", "fact"),
    ("turns", "turn"),
    ("note_entries", "note entry"),
    ("notes", "note"),
    ("entities", "entity"),
)
_MOST_LISTED: Final = 8


def forget_lines(told: Mapping[str, Any]) -> list[str]:
    """Return what would go; `told` is `ForgetPlan.as_json`."""
    lines = [*already_lines(told), f"would be erased: {count_forgotten(told)}"]
    lines += [f"  {name}" for name in listed_names([*told["facts"], *told["notes"], *told["entities"]])]
    lines += [f"made of them, so erased with them: {', '.join(told['derived'])}"] if told["derived"] else []
    return [*lines, *what_stays(told)]


def already_lines(told: Mapping[str, Any]) -> list[str]:
    """Return what was forgotten before, so that nothing of it is left to erase."""
    return [f"{name} was forgotten already" for name in listed_names(told.get("already", ()))]


def what_stays(told: Mapping[str, Any]) -> list[str]:
    """Return what is not Engram's to change, or names what went."""
    lines = [f"not Engram's to change, look there yourself: {name}" for name in listed_names(told["outside"])]
    lines += [f"stays, and names it: {name}" for name in listed_names(told["mentions"])]
    return lines


def count_forgotten(told: Mapping[str, Any]) -> str:
    """Return how much goes, by kind."""
    return ", ".join(counted(len(told[name]), word) for name, word in _COUNTED if told[name]) or "nothing"


def listed_names(names: Sequence[str]) -> list[str]:
    """Return the first names, and how many more there are."""
    more = len(names) - _MOST_LISTED
    return [*names] if more <= 0 else [*names[:_MOST_LISTED], f"and {more} more (--json lists them)"]
