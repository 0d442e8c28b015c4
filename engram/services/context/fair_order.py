"""Who comes first where many want to be shown: so many lines of each at a time, then those of the next."""

from collections import Counter
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from typing import Final

from engram.model.fact import Fact
from engram.rules.context import Item
from engram.services.context.shelves import ACTED_ON
from engram.services.context.shelves import Placed

_MOST_OF_ONE: Final = 12  # facts of one entity that are taken before those of the next
_MOST_OF_A_SOURCE: Final = 4  # decisions of one conversation or note likewise: a long one would leave no other any room


def ranks_on_pages(page: Iterable[Placed], most: int) -> dict[str, int]:
    """Return the rank of each fact by id: so many lines of one page are taken at a time.

    What tells what to do is taken from every page before what only tells how things are is taken from any; `most` is
    more than there are lines of the former.
    """
    taken = sorted(page, key=lambda one: (one.shelf not in ACTED_ON, one.rank))
    waits = {one.fact.id: 0 if one.shelf in ACTED_ON else most for one in taken}
    return {one.fact.id: waits[one.fact.id] + place // _MOST_OF_ONE for place, one in enumerate(taken)}


def ranks_of_sources(facts: Iterable[Fact], is_later: Callable[[Fact], bool]) -> dict[str, int]:
    """Return the rank of each fact by id: so many of one conversation or note are taken at a time.

    `facts` come in the order in which those of one source are to be taken. Those that are to be later come behind all
    others.
    """
    taken: Counter[tuple[str | None, ...]] = Counter()
    ranks, later = {}, set()
    for fact in facts:
        source = (fact.source.session, fact.source.path)
        ranks[fact.id] = taken[source] // _MOST_OF_A_SOURCE
        taken[source] += 1
        later |= {fact.id} if is_later(fact) else set()
    behind = 1 + max((rank for id_, rank in ranks.items() if id_ not in later), default=-1)
    return {id_: rank + behind if id_ in later else rank for id_, rank in ranks.items()}


def with_ranks(items: Sequence[Item]) -> list[Item]:
    """Return the entries of one file, oldest first, with ranks by which the newest are taken first."""
    last = len(items) - 1
    return [item._replace(rank=(last - place) // _MOST_OF_A_SOURCE) for place, item in enumerate(items)]
