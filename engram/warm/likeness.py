"""How far a caller at the warm door is like the process that answers there, and so what it is answered.

One workspace has one warm process, whatever the number of installs of Engram whose hooks use it: two would take the
index from each other. So it answers the prompts of every install, whose words are settled by the protocol, and gives
the door up to a newer one. What a command prints is the matter of its own release.
"""

import re
from collections.abc import Mapping
from typing import Any
from typing import Final

from engram.warm.protocol import PING
from engram.warm.protocol import PROMPT

PROGRAM: Final = frozenset({"version", "installed", "package"})  # differs from one install of Engram to another
_PLACE: Final = frozenset({"settings", "environment"})  # differs with what the same install was told
MAY_DIFFER: Final[Mapping[str, frozenset[str]]] = {PROMPT: PROGRAM, PING: PROGRAM | _PLACE}
"""Request -> what may differ where it is answered; nothing may for a request that is not named here."""

_RELEASE = re.compile(r"\d+(?:\.\d+)*")


def differences(ours: Mapping[str, Any], theirs: object) -> frozenset[str]:
    """Return which words of two handshakes differ, those of `process` by their own names."""
    one, other = _flat(ours), _flat(theirs)
    return frozenset(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def is_answered(request: str, differing: frozenset[str]) -> bool:
    """Tell whether a caller whose handshake differs in these words is answered a request."""
    return differing <= MAY_DIFFER.get(request, frozenset())


def is_newer(theirs: object, ours: str) -> bool:
    """Tell whether the caller of a handshake is of a newer release than `ours`; a local or pre-release mark counts not.

    Raises nothing: what names no release is not newer.
    """
    return _release(str(_flat(theirs).get("version"))) > _release(ours)


def _flat(words: object) -> dict[str, Any]:
    if not isinstance(words, Mapping):
        return {}
    process = words.get("process")
    return {**words, **(process if isinstance(process, Mapping) else {}), "process": None}


def _release(version: str) -> list[int]:
    found = _RELEASE.match(version)
    numbers = [int(number) for number in found[0].split(".")] if found else []
    while numbers and not numbers[-1]:
        numbers.pop()  # 1.0 is 1.0.0
    return numbers
