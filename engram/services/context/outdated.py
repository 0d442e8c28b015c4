"""Which facts a newer one tells to be over, though nothing has retired them: "we moved from Nomad to Kubernetes". Pure.

Such a fact stays in the store and in recall, which know no more of it; a start block has no room to show both.
"""

from collections.abc import Callable
from collections.abc import Sequence
from typing import Final

from engram.language import comparing
from engram.language.former_values import FormerValue
from engram.language.former_values import find_former_values
from engram.language.former_values import says_former_value
from engram.model.fact import Category
from engram.model.fact import Fact
from engram.rules.deriving import is_less_trusted

# What tells how things are: an order or a wish holds until somebody takes it back.
_OF_THINGS: Final = frozenset(
    {Category.STATUS, Category.DECISION, Category.CONTEXT, Category.MILESTONE, Category.COMMITMENT}
)
# A correction retires what it corrects when it is read; what is read after it, as older conversations are in a first
# minute, it has not met.
_TELLING: Final = _OF_THINGS | {Category.CORRECTION}


def find_outdated(facts: Sequence[Fact], home: Callable[[Fact], str | None]) -> set[str]:
    """Return the ids of facts that give a value of which a newer fact of the same home says that it was one before.

    A value that is a name stands for itself; a day or a number has to be said of the same thing. Nothing that is
    trusted less makes a fact old.
    """
    outdated: set[str] = set()
    for new in facts:
        for former in find_former_values(new.text) if new.category in _TELLING else []:
            older = (old for old in facts if _may_be_over(old, new) and says_former_value(old.text, former))
            outdated |= {old.id for old in older if home(old) == home(new) and _is_meant(old, new, former)}
    return outdated


def _may_be_over(old: Fact, new: Fact) -> bool:
    if old.id == new.id or old.category not in _OF_THINGS or old.valid_from >= new.valid_from:
        return False
    return old.scope == new.scope and not is_less_trusted(new.trust, old.trust)


def _is_meant(old: Fact, new: Fact, former: FormerValue) -> bool:
    if former.is_name:
        return True
    besides = {*comparing.words(former.was), *comparing.words(old.entity.partition("/")[2])}
    return bool({*comparing.words(old.text)} & {*comparing.words(new.text)} - besides)
