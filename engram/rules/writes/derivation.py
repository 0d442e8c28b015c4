"""What a fact may be that was made of other facts and observations: never more trusted and never wider. Pure."""

from collections.abc import Sequence
from typing import Final

from engram.errors import RefusedError
from engram.model.fact import EXPERIENCE
from engram.model.fact import SHARED
from engram.model.fact import Fact
from engram.model.fact import Trust
from engram.model.observation import Observation

OBSERVATION: Final = "observation-"  # how the id of an observation begins
_LEAST_FIRST = (Trust.QUARANTINED, Trust.UNVERIFIED, Trust.TRUSTED)


def split_ids(ids: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the ids of facts and those of observations."""
    noticed = frozenset(one for one in ids if one.startswith(OBSERVATION))
    return frozenset(ids) - noticed, noticed


def least_trusted(own: Trust, sources: Sequence[Fact | Observation]) -> Trust:
    """Return the trust of what is made of the sources: the least of its own and theirs."""
    return min((own, *(source.trust for source in sources)), key=_LEAST_FIRST.index)


def is_less_trusted(one: Trust, other: Trust) -> bool:
    """Tell whether one statement is trusted less than another: it then takes the place of it in nothing."""
    return _LEAST_FIRST.index(one) < _LEAST_FIRST.index(other)


def narrowest_scope(own: str, sources: Sequence[Fact | Observation]) -> str:
    """Return the scope of what is made of the sources; raise RefusedError when that would let somebody see more."""
    open_to_all = {SHARED, EXPERIENCE}  # every agent sees these
    private = sorted({source.scope for source in sources} - open_to_all)
    if not private:
        return own
    if len(private) > 1:
        raise RefusedError(f"its sources are private to {' and to '.join(private)}", hint="name sources of one scope")
    if own not in {SHARED, private[0]}:
        raise RefusedError(f"its sources are private to {private[0]}, it is to be seen by {own}", hint="say --scope")
    return private[0]
