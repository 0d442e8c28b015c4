"""What is said of something that a statement names and that is not there any more. Light."""

from collections.abc import Mapping
from typing import Final

GONE: Final = "gone"  # the file is not there, and its folder is or was
MOVED: Final = "moved"  # likewise, and one other tracked file has its name
MISSING: Final = "missing"  # the repository does not have the commit

_WORDS = {
    GONE: "{name} is not there any more",
    MOVED: "{name} is not there any more; perhaps it is {now} now",
    MISSING: "the repository here has no commit {name}",
}


def stale_words(freshness: Mapping[str, str] | None) -> str:
    """Return in words what is out of date of a freshness as JSON; "" when nothing is."""
    if freshness is None or freshness["state"] not in _WORDS:
        return ""
    return _WORDS[freshness["state"]].format(name=freshness["names"], now=freshness.get("now"))
