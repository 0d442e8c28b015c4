"""`engram feedback`: whether what was recalled helped, and how well confidence foretold that."""

from typing import Any

import click

from engram.cli.facts.change import run_change
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.options import table
from engram.cli.invocation.shell_words import complete_fact
from engram.cli.invocation.silo import asked_by
from engram.cli.invocation.silo import find_asker
from engram.errors import RefusedError
from engram.errors import UsageError
from engram.rules.life.calibration import calibration
from engram.services.facts.listing import get_fact
from engram.services.visibility import decides_for_others
from engram.services.visibility import require_owner


@click.command(cls=EngramCommand)
@click.argument("fact_id", metavar="[ID]", required=False, shell_complete=complete_fact)
@click.argument("verdict", metavar="[useful|wrong]", type=click.Choice(["useful", "wrong"]), required=False)
@click.option("--actor", type=click.Choice(["user", "agent"]), default="user", show_default=True, help="Who says it.")
@click.option("--dry-run", is_flag=True, help="Print the plan and change nothing.")
@asked_by
def feedback(
    *,
    fact_id: str | None,
    verdict: str | None,
    actor: str,
    session: str | None,
    agent: str | None,
    dry_run: bool,
) -> int:
    """Say whether a fact that you were given was useful or wrong; without ID, show how well confidence foretold that.

    It is counted, moves the fact's confidence and its place among hits, and retires nothing: `engram correct` and
    `engram retract` do. `engram undo` takes it back.

    \b
    Example:
      engram feedback people/anna-002 useful
      engram feedback
    """
    asked = invocation()
    caller = find_asker(asked, session, agent)
    if fact_id is None:
        require_owner(caller, "the calibration")
        with asked.workspace().reading() as database:
            shown = calibration(database.rated_facts())
        asked.emit(shown, lambda: _text(shown))
        return 0
    if verdict is None:
        raise UsageError("it takes a verdict: useful or wrong", hint=f"engram feedback {fact_id} useful")
    check_words(id=fact_id)
    with asked.workspace().reading() as database:
        fact = get_fact(database, fact_id, caller)
    if caller is not None and decides_for_others(caller, [fact.scope]):
        raise RefusedError("this session is kept apart: it changes nothing that others see", hint="engram show ID")
    return run_change("feedback", {"id": fact.id, "verdict": verdict}, dry_run=dry_run, actor=actor)


def _text(shown: dict[str, Any]) -> str:
    if not shown["ratings"]:
        return "nothing was rated yet: engram feedback ID useful, or wrong"
    rows = [
        (
            f"{band['from']:g} to {band['to']:g}",
            f"{band['ratings']}",
            f"{band['confidence']:.2f}",
            f"{band['useful']:.2f}",
        )
        for band in shown["bands"]
    ]
    head = ("confidence", "ratings", "mean", "useful")
    score = f"Brier score {shown['brier']:.3f} over {shown['ratings']} ratings (0 is perfect, 0.25 a coin)"
    return f"{score}\n{table([head, *rows])}"
