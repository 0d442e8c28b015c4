"""Retrieval cards: added, asked, removed, and what doctor says of them."""

from collections.abc import Callable
from collections.abc import Sequence
from typing import Any
from typing import Final
from typing import NamedTuple

from engram import __version__
from engram.base.clock import local_day
from engram.errors import BadValueError
from engram.errors import NotFoundError
from engram.errors import RefusedError
from engram.language.screen.secrets import redact
from engram.model.card import Card
from engram.model.card import CardRun
from engram.model.card import Cards
from engram.model.finding import Finding
from engram.model.finding import Level
from engram.operations.answers.ask import make_query
from engram.operations.answers.ask import recalling
from engram.rules.recall.cards import ASKED
from engram.rules.recall.cards import free_id
from engram.rules.recall.cards import is_found
from engram.rules.recall.cards import place_of
from engram.rules.recall.cards import trend
from engram.rules.recall.cards import with_run
from engram.services.facts.listing import chain_of
from engram.services.facts.listing import get_fact
from engram.workspace import Workspace
from engram.workspace.card_file import read_cards
from engram.workspace.card_file import write_cards

MOST: Final = 5  # cards of a workspace: doctor asks each of them
_MOST_CHARS: Final = 500  # of a question, and of what it expects
_ID_DIGITS: Final = 3  # of an id's number, at least


class Asked(NamedTuple):
    """A card with the run that was made of it now."""

    card: Card
    run: CardRun

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the command line."""
        return {**card_json(self.card), "place": self.run.place, "found": is_found(self.run.place)}


def card_json(card: Card) -> dict[str, Any]:
    """Return a card as it is printed, with its trend."""
    return {**card.model_dump(mode="json"), "trend": trend(card)}


def list_cards(workspace: Workspace) -> tuple[Card, ...]:
    """Return the cards of a workspace."""
    return read_cards(workspace.paths).cards


def add_card(workspace: Workspace, question: str, expected: str, *, dry_run: bool = False) -> Asked:
    """Freeze a question, and ask it once; `expected` is the id of a fact, or words that a hit has to hold.

    Raises:
        BadValueError: one of them is empty, or too long.
        UnknownFactError, AmbiguousNameError: `expected` has the form of an id, and no fact has it.
        RefusedError: there are five cards already.
    """
    words = [_cleaned(name, text) for name, text in (("the question", question), ("--expect", expected))]
    name = _free_id(list_cards(workspace))
    fact = _fact_named(workspace, words[1])
    named = {"fact": fact} if fact else {"words": words[1]}
    card = Card(id=name, question=words[0], added=local_day(workspace.now(), workspace.settings.zone), **named)
    (asked,) = _ask(workspace, [card])
    if dry_run:
        return asked

    def added(cards: Sequence[Card]) -> Sequence[Card]:
        """Return the cards with this one; another process may have taken its id, or the last place, meanwhile."""
        return (*cards, asked.card.model_copy(update={"id": _free_id(cards)}))

    kept = _change(workspace, added)
    return asked._replace(card=kept[-1])


def remove_card(workspace: Workspace, card_id: str, *, dry_run: bool = False) -> Card:
    """Remove a card with its runs, and return it. Raises NotFoundError."""
    found = next((card for card in list_cards(workspace) if card.id == card_id.casefold()), None)
    if found is None:
        raise NotFoundError(f"no card has the id {card_id!r}", hint="engram card list")
    if not dry_run:
        _change(workspace, lambda cards: [card for card in cards if card.id != found.id])
    return found


def run_cards(workspace: Workspace, *, dry_run: bool = False) -> list[Asked]:
    """Ask the question of each card, and note where its answer stands, unless it is a dry run."""
    asked = _ask(workspace, list_cards(workspace))
    runs = {one.card.id: (one.card.question, one.run) for one in asked}

    def noted(cards: Sequence[Card]) -> list[Card]:
        """Return the cards as they stand now, each with its run, unless another one took its place meanwhile."""
        return [
            with_run(card, runs[card.id][1]) if card.id in runs and runs[card.id][0] == card.question else card
            for card in cards
        ]

    if asked and not dry_run:
        _change(workspace, noted)
    return asked


def card_findings(workspace: Workspace) -> list[Finding]:
    """Ask the cards as doctor does, and return a finding for each whose answer is not among the first hits any more."""
    cards = list_cards(workspace)
    if not cards:
        return []
    workspace.progress("asking the retrieval cards")
    return [
        Finding(
            code="card-missed",
            level=Level.WARNING,
            path=workspace.paths.relative(workspace.paths.cards),
            message=f"{one.card.id} expects {one.card.expected}: {_missed(one.run)}",
            command="engram card list",
        )
        for one in run_cards(workspace)
        if not is_found(one.run.place)
    ]


def _missed(run: CardRun) -> str:
    return f"it is only at place {run.place} of the hits" if run.place else "it is not among the hits"


def _ask(workspace: Workspace, cards: Sequence[Card]) -> list[Asked]:
    if not cards:
        return []
    day = local_day(workspace.now(), workspace.settings.zone)
    asked = []
    for card in cards:
        versions = _versions(workspace, card)
        query = make_query(workspace, {"query": card.question, "k": ASKED})
        with recalling(workspace, card.question) as memory:
            hits = memory.answer(query).hits
        run = CardRun(day=day, place=place_of(card, hits, versions), version=__version__)
        asked.append(Asked(with_run(card, run), run))
    return asked


def _versions(workspace: Workspace, card: Card) -> set[str]:
    """Return the ids of the fact that a card expects, in all its versions."""
    if card.fact is None:
        return set()
    with workspace.reading() as database:
        try:
            return {one.id for one in chain_of(database, get_fact(database, card.fact, None))}
        except NotFoundError:
            return {card.fact}


def _fact_named(workspace: Workspace, expected: str) -> str | None:
    """Return the id of the fact that is meant, None for words: "utf-8" and the end of a date have too few digits."""
    head, _, number = expected.rpartition("-")
    if not head or not number.isdigit() or " " in expected or ("/" not in head and len(number) < _ID_DIGITS):
        return None
    with workspace.reading() as database:
        return get_fact(database, expected, None).id


def _cleaned(name: str, text: str) -> str:
    cleaned = redact(" ".join(text.split())).text
    if not cleaned:
        raise BadValueError(f"{name} is empty", hint="engram card add --help")
    if len(cleaned) > _MOST_CHARS:
        raise BadValueError(f"{name} has {len(cleaned)} characters; {_MOST_CHARS} is the most", hint="say it shorter")
    return cleaned


def _free_id(cards: Sequence[Card]) -> str:
    name = free_id(cards, MOST)
    if name is None:
        raise RefusedError(f"there are {MOST} cards already", hint="engram card remove card-1")
    return name


def _change(workspace: Workspace, change: Callable[[Sequence[Card]], Sequence[Card]]) -> tuple[Card, ...]:
    with workspace.locks.named("store", "card").hold(wait_s=workspace.settings.store.wait_s):
        cards = tuple(change(read_cards(workspace.paths).cards))
        write_cards(workspace.paths, Cards(cards=cards))
    return cards
