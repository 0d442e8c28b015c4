"""`engram card`: questions that are frozen, so that a change for the worse is seen."""

from typing import Any
from typing import Final

import click

from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import EngramSet
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.options import table
from engram.operations.answers.cards import Asked
from engram.operations.answers.cards import add_card
from engram.operations.answers.cards import card_json
from engram.operations.answers.cards import list_cards
from engram.operations.answers.cards import remove_card
from engram.operations.answers.cards import run_cards
from engram.rules.recall.cards import FIRST

_DRY_RUN = click.option("--dry-run", is_flag=True, help="Print what would be done and change nothing.")


@click.group(cls=EngramSet)
def card() -> None:
    """Five questions at most whose answers you know; `engram doctor` asks them, and says when one is found no more.

    \b
    Example:
      engram card list
    """


@card.command(cls=EngramCommand)
@click.argument("question")
@click.option("--expect", required=True, metavar="ID|WORDS", help="Fact that is to be found, or words of a hit.")
@_DRY_RUN
def add(*, question: str, expect: str, dry_run: bool) -> None:
    """Freeze a question, and ask it once.

    A fact is expected in whatever version; words may stand in any hit, in any order and form.

    \b
    Example:
      engram card add "what does Anna drink" --expect "Anna tea"
    """
    check_words(question=question, expect=expect)
    asked = add_card(invocation().workspace(), question, expect, dry_run=dry_run)
    begins = "nothing is changed; it would be " if dry_run else ""
    shown = {"status": "dry_run" if dry_run else "done", **asked.as_json()}
    invocation().emit(shown, f"{begins}{asked.card.id}: {_found(asked)}")


@card.command("list", cls=EngramCommand)
def list_() -> None:
    """List the cards, each with the places of its answer over time, the latest last; `-` is none of ten hits.

    \b
    Example:
      engram card list
    """
    cards = [card_json(one) for one in list_cards(invocation().workspace())]
    invocation().emit({"cards": cards}, lambda: _listing(cards))


@card.command(cls=EngramCommand)
@_DRY_RUN
def run(*, dry_run: bool) -> None:
    """Ask the cards now, and note where their answers stand.

    \b
    Example:
      engram card run
    """
    asked = run_cards(invocation().workspace(), dry_run=dry_run)
    shown = {"cards": [one.as_json() for one in asked], **({"dry_run": True} if dry_run else {})}
    lines = ["nothing is changed; asked now:"] if dry_run and asked else []
    lines += [f"{one.card.id}: {_found(one)}" for one in asked]
    invocation().emit(shown, "\n".join(lines) or _NONE)


@card.command(cls=EngramCommand)
@click.argument("card_id", metavar="ID")
@_DRY_RUN
def remove(*, card_id: str, dry_run: bool) -> None:
    """Remove a card with what is known of it.

    \b
    Example:
      engram card add "what does Anna drink" --expect "Anna tea"
      engram card remove card-1
    """
    check_words(id=card_id)
    removed = remove_card(invocation().workspace(), card_id, dry_run=dry_run)
    words = "nothing is changed; it would remove" if dry_run else "removed"
    shown = {"status": "dry_run" if dry_run else "done", **card_json(removed)}
    invocation().emit(shown, f"{words} {removed.id}: {removed.question}")


_NONE: Final = 'there are no cards yet: engram card add "what does Anna drink" --expect "Anna tea"'


def _found(asked: Asked) -> str:
    place = asked.run.place
    if place is None:
        return "what it expects is not among the hits"
    return f"found at place {place}" if place <= FIRST else f"only at place {place}, behind the first {FIRST}"


def _listing(cards: list[dict[str, Any]]) -> str:
    if not cards:
        return _NONE
    rows = [(one["id"], one["question"], one["fact"] or one["words"], one["trend"], _last(one)) for one in cards]
    return table([("card", "question", "expects", "places", "last"), *rows])


def _last(shown: dict[str, Any]) -> str:
    runs = shown["runs"]
    return f"{runs[-1]['day']}, {runs[-1]['version']}" if runs else "never asked"
