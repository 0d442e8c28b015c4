"""Commands that take one id and then words: more ids in the place of the words are refused, not kept as a text."""

import re
from collections.abc import Sequence
from typing import Final

from engram.base.text import KINDS
from engram.errors import UsageError

_FACT: Final = re.compile(rf"(?:{'|'.join(KINDS)})/\S+-\d{{3,}}")
_SHORT: Final = re.compile(r"[a-z][\w-]*-\d{3,4}")  # anna-001, where the first one is written so, too
_EDGE: Final = ",;."


def check_one_id(command: str, first: str, words: Sequence[str]) -> None:
    """Refuse words that begin with another id, as in "retract ID1 ID2"; a reason may name one further on."""
    said = " ".join(words).split()
    other = said[0].strip(_EDGE) if said else ""
    if _FACT.fullmatch(other) or (_SHORT.fullmatch(first) and _SHORT.fullmatch(other)):
        raise UsageError(
            f"{command} takes one id, and {other} is another one; nothing was changed",
            hint=f"one command for each: engram {command} {other} ...",
        )
