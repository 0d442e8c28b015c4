"""How a new statement stands to each of the known ones: by its words, and by its values."""

from collections.abc import Sequence

from engram.language.compare.contradiction.compare import compare
from engram.language.compare.contradiction.compare import skeleton
from engram.language.compare.updates.updates import find_update
from engram.language.compare.updates.updates import weigh
from engram.model.comparison import Comparison

OPEN = frozenset({"none", "value", "mention"})  # kinds that say nothing for sure


def compare_all(new: str, known: Sequence[str], *, among: Sequence[str] = ()) -> list[Comparison]:
    """Return how a new statement stands to each known one of the same entity, in their order.

    The words decide first. What they leave open may be an update by its values. How rare a word is, the statements say
    of which the known ones are some, `among`; they alone when it is empty.
    """
    found = [compare(new, old) for old in known]
    weights = weigh(among or known)
    for place, old in enumerate(known):
        if found[place].kind not in OPEN or skeleton(new) == skeleton(old):
            continue  # of statements that are equal but for their values the words know all there is to know
        update = find_update(new, old, weights)
        if update is not None:
            found[place] = update._replace(similarity=found[place].similarity)
    return found
