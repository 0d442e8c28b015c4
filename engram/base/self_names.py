"""By which words the owner is called: names when they are all that is said, and only words within a sentence. Light."""

from typing import Final

# What people, agents and hosts say for whoever owns the workspace, in the four languages: aliases of the owner.
SELF_NAMES: Final = ("I", "me", "user", "я", "我", "나")

# "owner" is what the person is called as long as nobody knows better, and "the owner of the table" is somebody else.
_ONLY_ALONE: Final = frozenset([*(name.casefold() for name in SELF_NAMES), "owner"])


def is_self_name(name: str) -> bool:
    """Tell whether a name is one of SELF_NAMES, in whatever case."""
    return any(name.casefold() == known.casefold() for known in SELF_NAMES)


def is_sought_in_text(name: str) -> bool:
    """Tell whether a name that stands in a sentence means the entity: "me" and "the user table" mean nobody by name."""
    return name.casefold() not in _ONLY_ALONE


def first_name(title: str) -> str:
    """Return the first word of a name of two words or more, by which people call its bearer; "" for any other name.

    "Dr. Lang" has none: what ends in a dot, or is one letter, is no name to call somebody by.
    """
    first, _, rest = title.strip().partition(" ")
    return first if rest.strip() and len(first) > 1 and not first.endswith(".") else ""
