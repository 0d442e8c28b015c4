"""Which facts a newer one probably makes out of date, in words that no rule knows: "Hal left, Gwen is treasurer". Pure.

Only what people say of how things are is compared, each with those that share a rare word with it. What is found stands
beside the newer fact as what was before, so that a wrong guess hides nothing.
"""

from collections import defaultdict
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final
from typing import NamedTuple

from engram.language.compare.updates.clause_change import clauses_spoken_of
from engram.language.compare.updates.former_values import happened_once
from engram.language.compare.updates.likely_change import change_chances
from engram.language.compare.updates.likely_change import topic_keys
from engram.language.compare.updates.likely_features import Place
from engram.model.fact import Category
from engram.model.fact import Fact
from engram.rules.trust.authority import PERSONS

ORDERS: Final = frozenset({Category.INSTRUCTION, Category.PREFERENCE})  # they hold until somebody takes them back
LEAST: Final = 0.5
"""Chance from which a fact counts as out of date. Of what people say over months and nothing was learned from, six in
seven that are found are out of date or more, and more than two changes in five are found; of pairs of notes that share
a word, one in 340 is taken for a change."""
PERHAPS: Final = 0.2
"""Chance from which a newer fact is brought together with the older one. Of such pairs three quarters are changes, and
of all changes three in five are among them; of pairs of notes that share a word, one in 57 is."""
MOST_COMPARED: Final = 150  # facts, the newest: to take so many apart for the first time costs 0.1 s
_MOST_OF_A_TERM: Final = 6  # facts that share a term; one that more share is what the home is about


class LikelyChange(NamedTuple):
    """A newer fact that may have made an older one out of date."""

    old: Fact
    new: Fact
    chance: float  # 0 to 1


def likeliest(changes: Iterable[tuple[str, str, float]]) -> dict[str, str]:
    """Return, by what is out of date, the newest that makes it so, of pairs of an older and a newer one with a chance.

    Of what one newer statement may make out of date only the likeliest is: the others mostly share a name with it. If
    that was out of date before, so is what took its place, where the newer one may tell of that as well.

    Args:
        changes: of all the pairs of one newer statement one after the other, the oldest of these statements first.
    """
    over: dict[str, str] = {}
    for new, told in groupby(changes, key=itemgetter(1)):
        chances = {old: chance for old, _, chance in told}
        one: str | None = max(chances, key=lambda old: (chances[old], old))
        while one is not None and one in chances:
            before = over.get(one)
            over[one] = new
            one = before
    return over


def may_change(fact: Fact) -> bool:
    """Tell whether a fact is what a person says of how things are: nothing else is compared."""
    return fact.source.actor in PERSONS and fact.category not in ORDERS


def iter_likely(
    facts: Sequence[Fact], may_tell: Callable[[Fact, Fact], bool], least: float = LEAST
) -> Iterator[LikelyChange]:
    """Yield what may have changed, in the order of the newer facts.

    Args:
        facts: of one home, those that may change, oldest first.
        may_tell: whether the second one is older, and may be retired by the first.
        least: chance of what is yielded.
    """
    holds = [not happened_once(fact.text) for fact in facts]
    pairs = [(old, new) for old, new in _near(facts) if holds[old] and may_tell(facts[new], facts[old])]
    texts = [fact.text for fact in facts]
    chances = change_chances(texts, pairs)
    for pair in pairs:
        chance = chances.get(pair, 0.0)
        if chance >= LEAST:
            chance = min(chance, _chance_of_clauses(texts, pairs, pair))
        if chance >= least:
            yield LikelyChange(facts[pair[0]], facts[pair[1]], chance)


def _chance_of_clauses(texts: Sequence[str], pairs: Sequence[Place], pair: Place) -> float:
    """Return how likely a pair is a change by those clauses of the older statement that the newer one speaks of.

    1 where that is all of it: what else it says can make nothing out of date.
    """
    clauses = clauses_spoken_of(texts[pair[0]], texts[pair[1]])
    if not clauses:
        return 1.0
    said = [", ".join(clauses) if place == pair[0] else text for place, text in enumerate(texts)]
    rivals = [one for one in pairs if one[0] == pair[0] or one[1] == pair[1]]
    return change_chances(said, rivals).get(pair, 0.0)


def _near(facts: Sequence[Fact]) -> Iterator[tuple[int, int]]:
    """Yield the places of an older and a newer fact that share a rare word, in the order of the newer ones."""
    keys = [topic_keys(fact.text) for fact in facts]
    holding: dict[str, list[int]] = defaultdict(list)
    for place, some in enumerate(keys):
        for key in some:
            holding[key].append(place)
    for new, some in enumerate(keys):
        rare = (alike for key in some if len(alike := holding[key]) <= _MOST_OF_A_TERM)
        for old in sorted({old for alike in rare for old in alike if old < new}):
            yield old, new
