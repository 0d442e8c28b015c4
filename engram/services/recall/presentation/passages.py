"""Lines that stand together in a note: they speak for each other, are shown together, and are one hit.

A line of a note seldom says it all: the server stands on one line, its price on the next. So what stands beside a good
candidate under the same heading gains by it, and a hit is shown with the lines around it. A fact and the text that it
came from are one hit: the fact, which was weighed.
"""

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple

from engram.base.tokens.estimate import estimate_tokens
from engram.model.document import OF_STORE
from engram.model.document import Document
from engram.model.fact import Fact
from engram.rules.recall.fusion import Fused
from engram.rules.recall.fusion import in_order
from engram.services.recall.presentation.near_duplicates import bare_line
from engram.services.recall.presentation.near_duplicates import is_telling
from engram.services.recall.presentation.near_duplicates import words_of

OWN_LINE: Final = "» "  # before the line that was found, when others are shown with it

_SUPPORT = 0.3  # share of the best neighbour's score that a line gains; halved for each line further away
_SAID_IN = 0.8  # share of a line's words that a fact has which came from it: it adds the heading, and drops a lead-in
_FEWEST_WORDS = 2  # of a line that a fact may have come from


class Folded(NamedTuple):
    """Candidates without those that another one stands for."""

    ranked: list[Fused]
    place_of: dict[str, str]  # fact -> the text among the candidates that it came from
    exits: dict[str, str]  # candidate -> the one that stands for it


class Passage(NamedTuple):
    """What a hit shows."""

    text: str
    ids: frozenset[str]  # of the texts that stand in it


def support_neighbours(ranked: Iterable[Fused], documents: Mapping[str, Document]) -> list[Fused]:
    """Return the candidates with what those beside them add to each, best first."""
    members = list(ranked)
    scores = {one.id: one.score for one in members}
    return in_order(
        one._replace(score=one.score + _SUPPORT * _of_neighbours(documents[one.id], scores)) for one in members
    )


def fold_sources(
    ranked: Sequence[Fused],
    documents: Mapping[str, Document],
    facts: Mapping[str, Fact],
    stands_for: Callable[[str, str], bool] = lambda *_: True,
) -> Folded:
    """Let each fact stand for the text that it came from, in the better place of the two.

    Args:
        ranked: best first.
        documents: by id.
        facts: by id.
        stands_for: tells of a fact and the turn that it came from whether it answers as much as the turn, which often
            says more; else both are candidates.
    """
    found = _places(ranked, documents, facts)
    place_of = {
        fact: place for fact, place in found.items() if documents[place].kind != "turn" or stands_for(fact, place)
    }
    scores = {one.id: one.score for one in ranked}
    best = dict(scores)
    exits: dict[str, str] = {}
    for fact, place in place_of.items():
        best[fact] = max(best[fact], scores[place])
        if place not in exits or best[fact] > best[exits[place]]:
            exits[place] = fact
    kept = in_order(one._replace(score=best[one.id]) for one in ranked if one.id not in exits)
    return Folded(kept, place_of, exits)


def read_around(document: Document, own: str, beside: Sequence[Document], room: int) -> Passage:
    """Return what a hit shows: its own text, and the lines around it as far as they fit into so many tokens.

    Args:
        document: the text in the note; `beside` are those around it, in the order in which they stand there.
        own: the text to show in its place, such as that of the fact that came from it.
        beside: with or without the document itself.
        room: tokens; the own text is shown whole, however long it is.
    """
    order = {key: place for place, key in enumerate(document.beside)}
    here = order.get(document.id, 0)
    room -= estimate_tokens(own)
    shown: dict[int, str] = {}
    for one in sorted(beside, key=lambda one: (abs(order[one.id] - here), order[one.id] < here)):
        if one.id == document.id:
            continue
        cost = estimate_tokens(one.text)
        if cost > room:
            continue
        room -= cost
        shown[order[one.id]] = one.text
    ids = frozenset({document.id, *(document.beside[place] for place in shown)})
    if not shown:
        return Passage(own, ids)
    shown[here] = OWN_LINE + own
    return Passage("\n".join(shown[place] for place in sorted(shown)), ids)


def _of_neighbours(document: Document, scores: Mapping[str, float]) -> float:
    """Return what the best of a line's neighbours lends it."""
    if document.id not in document.beside:
        return 0.0
    here = document.beside.index(document.id)
    lent = (
        scores[key] / 2 ** (abs(place - here) - 1)
        for place, key in enumerate(document.beside)
        if key != document.id and key in scores
    )
    return max(0.0, max(lent, default=0.0))


def _places(ranked: Sequence[Fused], documents: Mapping[str, Document], facts: Mapping[str, Fact]) -> dict[str, str]:
    """Return fact -> the candidate it came from: its turn, or the line of its note that it repeats most words of.

    No number and no denial of the line may be missing: then it came from another one.
    """
    by_path: dict[str, list[tuple[str, frozenset[str]]]] = {}
    turns = {one.id for one in ranked}  # a turn that says something else besides, which is over, may have left
    for one in ranked:
        document = documents[one.id]
        if document.kind not in OF_STORE and document.path and (words := frozenset(words_of(bare_line(document)))):
            by_path.setdefault(document.path, []).append((one.id, words))
    found: dict[str, str] = {}
    for one in ranked:
        fact = facts.get(one.id)
        if fact is None:
            continue
        if fact.source.turn and fact.source.turn in turns:
            found[one.id] = fact.source.turn
        elif fact.source.path in by_path:
            said = frozenset(words_of(fact.text))
            fit = [
                (len(words & said), key)
                for key, words in by_path[fact.source.path]
                if len(words) >= _FEWEST_WORDS
                and len(words & said) >= _SAID_IN * len(words)
                and not any(map(is_telling, words - said))
            ]
            if fit:
                found[one.id] = max(fit)[1]
    return found
