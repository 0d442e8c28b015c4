"""How a new statement stands to each of the known ones: by its words, by its values, and by a stronger judge if any."""

from collections.abc import Sequence

from engram.base.log import warn
from engram.errors import SettingsError
from engram.language.compare.contradiction.compare import compare
from engram.language.compare.contradiction.compare import skeleton
from engram.language.compare.updates.updates import find_update
from engram.language.compare.updates.updates import weigh
from engram.model.comparison import Comparison
from engram.ports.judge import Judge

OPEN = frozenset({"none", "value", "mention"})  # kinds that say nothing for sure
MOST_ASKED = 20  # statements about which the stronger judge is asked: a model takes 10 to 50 ms for each
_LEAST_ALIKE = 0.1  # share of common words below which two statements are about different things


class LexicalJudge:
    """The built-in judge: `language.compare.contradiction.compare`."""

    def judge(self, new: str, old: str) -> Comparison:
        """See the port."""
        return compare(new, old)


def compare_all(
    new: str, known: Sequence[str], judge: Judge | None = None, *, among: Sequence[str] = ()
) -> list[Comparison]:
    """Return how a new statement stands to each known one of the same entity, in their order.

    The words decide first. What they leave open may be an update by its values, and what is open then goes to the
    stronger judge, the most alike first. That one only adds: it never takes back what the words have found, for a
    changed number is plain to see in the words, and a model is at its weakest there. How rare a word is, the statements
    say of which the known ones are some, `among`; they alone when it is empty.
    """
    built_in = LexicalJudge()
    found = [built_in.judge(new, old) for old in known]
    weights = weigh(among or known)
    for place, old in enumerate(known):
        if found[place].kind not in OPEN or skeleton(new) == skeleton(old):
            continue  # of statements that are equal but for their values the words know all there is to know
        update = find_update(new, old, weights)
        if update is not None:
            found[place] = update._replace(similarity=found[place].similarity)
    return _ask(judge, new, known, found) if judge is not None else found


def _ask(judge: Judge, new: str, known: Sequence[str], found: list[Comparison]) -> list[Comparison]:
    left = [place for place, one in enumerate(found) if one.kind in OPEN and one.similarity >= _LEAST_ALIKE]
    nearest = sorted(left, key=lambda place: (-found[place].similarity, place))[:MOST_ASKED]
    for place in nearest:
        try:
            judged = judge.judge(new, known[place])
        except SettingsError as problem:  # a model that cannot be used must not cost anybody a fact
            warn(f"compared by words alone: {problem.message} ({problem.hint})")
            break
        if judged.kind not in OPEN:
            found[place] = judged._replace(similarity=found[place].similarity)
    return found
