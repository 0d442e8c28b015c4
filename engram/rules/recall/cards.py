"""What retrieval cards tell: where the expected answer stands, and how that changed. Pure."""

from collections.abc import Collection
from collections.abc import Sequence
from typing import Final

from engram.language.terms.terms import terms
from engram.model.card import Card
from engram.model.card import CardRun
from engram.model.document import Hit
from engram.rules.erasure import Forgotten
from engram.rules.erasure import TextEraser

FIRST: Final = 3  # an answer that is not among so many hits is not found
ASKED: Final = 10  # hits among which its place is looked for
_MOST_RUNS: Final = 100  # that are kept of a card
_SHOWN: Final = 12  # latest places in a trend
_NOWHERE: Final = "-"


def place_of(card: Card, hits: Sequence[Hit], versions: Collection[str]) -> int | None:
    """Return the place, from 1, of the first hit that is what the card expects; `versions` are ids of its fact."""
    wanted = set(terms(card.words)) if card.words else set()
    for place, hit in enumerate(hits, 1):
        if hit.id in versions or (wanted and wanted <= set(terms(hit.text))):
            return place
    return None


def is_found(place: int | None) -> bool:
    """Tell whether an answer at this place is one that its reader sees."""
    return place is not None and place <= FIRST


def tells_of(card: Card, forgotten: Forgotten, eraser: TextEraser) -> bool:
    """Tell whether a card tells of something that is to be forgotten: by its words, its fact, or a name."""
    said = (card.question, card.expected)
    if card.fact in forgotten.facts or any(eraser.erase(text) != text for text in said):
        return True
    words, every = set(terms(card.words)) if card.words else set(), set(terms(" ".join(said)))
    if len(words) > 1 and any(words <= set(terms(text)) for text in forgotten.texts):  # one word stands in much
        return True
    paths = [path for path in forgotten.moved if card.fact and card.fact.startswith(f"{path}-")]
    return bool(paths) or any(set(terms(name)) <= every for name in forgotten.names if terms(name))


def with_run(card: Card, run: CardRun) -> Card:
    """Return a card with one more run; of one day and version the last one counts."""
    kept = [one for one in card.runs if (one.day, one.version) != (run.day, run.version)]
    return card.model_copy(update={"runs": (*kept, run)[-_MOST_RUNS:]})


def free_id(cards: Sequence[Card], most: int) -> str | None:
    """Return the first id that no card has, None when there are `most`."""
    taken = {card.id for card in cards}
    return next((name for number in range(1, most + 1) if (name := f"card-{number}") not in taken), None)


def trend(card: Card) -> str:
    """Return the places of a card's latest runs, oldest first, in a few characters: `1 1 2 -`."""
    return " ".join(str(run.place or _NOWHERE) for run in card.runs[-_SHOWN:])
