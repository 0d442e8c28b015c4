"""What is shown of an order of candidates: hits that read by themselves, one for each place, within the limit."""

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple

from engram.base.tokens.estimate import estimate_tokens
from engram.language.terms.terms import terms
from engram.model.document import FACT
from engram.model.document import Document
from engram.rules.recall.fusion import Fused
from engram.services.recall.presentation.near_duplicates import is_rolled_up
from engram.services.recall.presentation.near_duplicates import tells_again
from engram.services.recall.presentation.near_duplicates import ways_to_tell
from engram.services.recall.presentation.passages import read_around
from engram.services.recall.presentation.snippet import snippet

SHOWN_BESIDE: Final = "shown_beside"  # exit of a line that stands in the hit of another one

LOOKED_AT: Final = 3
"""Times the limit: candidates whose neighbours are fetched at once, and among which none may say another one again."""

_ROOM: Final = 110  # tokens of a hit with the lines around it: five such fit into the budget of an agent


class Shown(NamedTuple):
    """Which candidates are shown, each with its words."""

    texts: dict[str, str]  # by id, in order
    exits: dict[str, str]  # of those that stand in another one's words


def show(
    ranked: Sequence[Fused],
    documents: Mapping[str, Document],
    place_of: Mapping[str, str],
    around: Callable[[Sequence[Document]], Mapping[str, Document]],
    *,
    question: str,
    limit: int,
) -> Shown:
    """Return the words of the first candidates that are not shown by one before them.

    Args:
        ranked: best first.
        documents: by id.
        place_of: fact -> the text that it came from.
        around: returns by id those lines beside the given texts that may be shown.
        question: whose words decide what is shown of a long text.
        limit: hits at most.
    """
    places = {one.id: documents[place_of.get(one.id, one.id)] for one in ranked[: limit * LOOKED_AT]}
    near = around(list(places.values()))
    asked = terms(question)
    texts: dict[str, str] = {}
    exits: dict[str, str] = {}
    shown: set[str] = set()
    in_part: set[str] = set()  # turns of which a fact is shown, and not all that was said
    lines: set[tuple[str, ...]] = set()  # words of what is shown, with headings and without
    for one in ranked:
        if len(texts) == limit:
            break
        place = places.get(one.id, documents[one.id])
        document = documents[one.id]
        is_more = place.id in in_part and document.kind == FACT and not tells_again(document.text, lines)
        if (place.id in shown and not is_more) or (is_rolled_up(place) and tells_again(document.text, lines)):
            exits[one.id] = SHOWN_BESIDE
            continue
        own = snippet(document.text, asked, is_said=document.kind == "turn")
        unseen = (near[key] for key in place.beside if key in near and key not in shown)
        beside = [line for line in unseen if line.id == place.id or not tells_again(line.text, lines)]
        passage = read_around(place, own, beside, _ROOM)
        texts[one.id] = passage.text
        shown |= passage.ids
        if document.id != place.id and place.kind == "turn":
            in_part.add(place.id)
        lines.update(words for line in passage.text.splitlines() for words in ways_to_tell(line))
    return Shown(texts, exits)


def cost(*texts: str | None) -> int:
    """Return the tokens that the texts of one hit take."""
    return estimate_tokens(" ".join(filter(None, texts)))
