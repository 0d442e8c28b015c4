"""Words of which one only can be true of a thing, such as colours, where two statements differ by them."""

import unicodedata
from typing import NamedTuple

from engram.language.compare.reading.alignment import Difference
from engram.language.compare.reading.alignment import common_prefix
from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.compare.reading.lexicon_parts import Group
from engram.language.compare.reading.lexicon_parts import State
from engram.language.compare.reading.stems import stem
from engram.language.compare.reading.tokens import WORD
from engram.language.compare.reading.tokens import Token
from engram.language.compare.reading.tokens import Tokens

_SHORTEST_BASE = 4  # letters of a word that a prefix makes its contrary
_LONGEST_WORDING = 4  # tokens of a name such as "far away from"


class Exclusion(NamedTuple):
    """Two words of one group in the same place of two statements."""

    group: Group
    difference: Difference


def find_exclusion(new: Tokens, old: Tokens, difference: Difference) -> Exclusion | None:
    """Return the exclusion when the statements say what is, and differ by words that exclude each other."""
    if not difference.new or not difference.old:
        return None
    if max(len(difference.new), len(difference.old)) > _LONGEST_WORDING:
        return None
    group = _common_group(difference) or _common_group(_widen(difference, new, old)) or _contrary_by_prefix(difference)
    if group is None or not is_predicate(difference, new, old):
        return None
    if group.alone and _stands_before_noun(difference, new) and not is_scene(new, old):
        return None
    if group.kind == "polarity" and _tells_which(difference, new):
        return None
    return Exclusion(group, difference)


def is_predicate(difference: Difference, new: Tokens, old: Tokens) -> bool:
    """Tell whether both statements say by the words that differ what something is, where there is room for one only."""
    lexicon = load_lexicon()
    if is_scene(new, old):
        return True
    others = [token.shown for token in new.items if token not in difference.new]
    stems = set(map(stem, others))
    if stems & lexicon.preferring:
        return True
    if stems.union(others) & lexicon.many:
        return False
    if "가" <= difference.new[-1].shown[0] <= "힣" and new.items[-1:] == difference.new[-1:]:
        return True  # the verb stands at the end in Korean, and adjectives are verbs
    return any(
        _states(new.folded, difference.new, state) and _states(old.folded, difference.old, state)
        for state in lexicon.states
    )


def is_scene(new: Tokens, old: Tokens) -> bool:
    """Tell whether both statements describe a scene, in which everything said is so at that moment."""
    return any(state.describes(new.folded) and state.describes(old.folded) for state in load_lexicon().states)


def _tells_which(difference: Difference, new: Tokens) -> bool:
    """Tell whether the words stand with the noun of the subject: a young man and an old one are two men."""
    being = next((found for state in load_lexicon().states if (found := state.find_verb(new.folded))), None)
    place = new.folded.find(f" {difference.new[0].shown} ")
    return being is not None and 0 <= place < being.start() and _stands_before_noun(difference, new)


def _stands_before_noun(difference: Difference, new: Tokens) -> bool:
    place = new.items.index(difference.new[-1]) + 1
    behind = new.items[place : place + 1]
    return any(token.kind == WORD and token.shown not in load_lexicon().stop for token in behind)


def _widen(difference: Difference, new: Tokens, old: Tokens) -> Difference:
    """Take the word behind the difference to it, which is the same in both: the living room and the dining room."""
    head = common_prefix(new.marks, old.marks)
    left, right = (
        items[head : head + len(side) + 1] for items, side in zip((new.items, old.items), difference, strict=True)
    )
    return Difference(left, right)


def _common_group(difference: Difference) -> Group | None:
    groups = load_lexicon().groups
    new, old = (groups.get(_wording(side), ()) for side in difference)
    return next((one for one, place in new for other, at in old if one == other and place != at), None)


def _contrary_by_prefix(difference: Difference) -> Group | None:
    words = sorted((" ".join(token.shown for token in side) for side in difference), key=len)
    base, longer = words
    known = longer.endswith(base) and longer.removesuffix(base) in load_lexicon().prefixes
    long_enough = len(unicodedata.normalize("NFD", base)) >= _SHORTEST_BASE
    return Group(f"{base} / {longer}", "polarity", alone=False) if known and long_enough else None


def _wording(side: tuple[Token, ...]) -> str:
    people = load_lexicon().people  # 山西 and 山西人
    stems = [stem(token.shown) for token in side]
    return " ".join(word for word in stems if word not in people)


def _states(folded: str, words: tuple[Token, ...], state: State) -> bool:
    shown = words[0].shown
    place = folded.find(shown) if "\u3040" <= shown[0] <= "\u9fff" else folded.find(f" {shown}") + 1
    return state.has_predicate(folded, place)
