"""`engram review`: settle what waits, one at a time; with keys on a terminal, for agents with `next` and `answer`."""

import os
import sys
from typing import Any

import click

from engram.cli.facts.change import run_change
from engram.cli.invocation.local_time import workspace_zone
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import EngramSet
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.options import table
from engram.cli.invocation.plans import answer_plan
from engram.cli.invocation.results import answer_result
from engram.cli.invocation.shell_words import complete_entity
from engram.cli.invocation.shell_words import complete_settled
from engram.cli.invocation.shell_words import complete_waiting
from engram.cli.invocation.silo import asked_by
from engram.cli.invocation.silo import find_asker
from engram.cli.review.review_session import READS_KEYS
from engram.cli.review.review_session import ReviewSession
from engram.cli.review.review_text import item_text
from engram.cli.review.review_text import list_line
from engram.cli.review.review_text import shown
from engram.errors import NeedsWorkError
from engram.errors import UsageError
from engram.model.fact import Actor
from engram.operations.domains.domain_proposals import decide_proposal
from engram.operations.domains.domain_proposals import is_proposal
from engram.operations.pages.review_items import Wanted
from engram.operations.pages.review_items import review_items
from engram.operations.review import count_waiting
from engram.operations.review import plan_settling
from engram.operations.review import settle
from engram.operations.review import take_back
from engram.rules.review_queue import Waiting
from engram.rules.review_queue import crossed
from engram.services.review.labels import labels as read_labels
from engram.services.visibility import Caller

_OUTCOMES = ["supersede", "both-true", "merge", "wrong-source", "dissolve", "promote", "dismiss", "release"]
_OUTCOMES += ["keep", "reject"]  # of a candidate
_OUTCOMES += ["accept"]  # of a proposal, besides reject
_OUTCOMES += ["two"]  # of entities that may be one, besides merge
_KINDS = ["tension", "quarantined", "observation", "names", "candidate", "proposal"]
_DRY_RUN = click.option("--dry-run", is_flag=True, help="Print the plan and change nothing.")
_MORE = click.option(
    "--all", "unbounded", is_flag=True, help="More than the setting review.daily_limit allows for today."
)
_ENOUGH = "enough for today (setting review.daily_limit); --all goes on"
_HOW = "engram review next shows the first one; engram review answer ID OUTCOME settles it"


@click.group(cls=EngramSet, invoke_without_command=True)
@click.option("--all", "unbounded", is_flag=True, help="Ask more than the setting review.daily_limit allows for a day.")
@click.pass_context
def review(context: click.Context, *, unbounded: bool) -> int:
    """Settle what waits: tensions, quarantined facts, observations, names, candidates, proposals; here with keys.

    Every answer is durable at once; all but those to proposals can be undone. Without a terminal: `review next` and
    `review answer`.

    \b
    Example:
      engram review
      engram review next --json
    """
    if context.invoked_subcommand is not None:
        return 0
    asked = invocation()
    if asked.as_json or not (READS_KEYS and sys.stdin.isatty() and sys.stdout.isatty()):
        waiting = _waiting()
        counts = [f"tensions {waiting['tensions']}", f"quarantined facts {waiting['quarantined']}"]
        counts += [
            f"observations {waiting['observations']}",
            f"names {waiting['names']}",
            f"candidates {waiting['candidates']}",
        ]
        said = ", ".join([*counts, f"proposals {waiting['proposals']}"])
        asked.emit({"waiting": waiting, "hint": _HOW}, f"waiting: {said}\n{_HOW}")
        return 0
    return ReviewSession(asked.workspace(), unbounded=unbounded).run()


@review.command("next", cls=EngramCommand)
@click.option("--kind", type=click.Choice(_KINDS), help="Only of this kind.")
@_MORE
@asked_by
def next_item(kind: str | None, session: str | None, agent: str | None, *, unbounded: bool) -> None:
    """Show the first thing that waits, with both sentences, dates, sources, and the outcomes it can have.

    When as much was settled today as the setting review.daily_limit allows, nothing is shown.

    \b
    Example:
      engram review next --json
    """
    caller = find_asker(invocation(), session, agent)
    rows, more = _described(kind, caller, most=1, unbounded=unbounded)
    row = rows[0] if rows else None
    said = (lambda: _next_text(row)) if row or not more else (lambda: _ENOUGH)
    invocation().emit({"next": row, "waiting": _waiting(caller), "enough": row is None and more > 0}, said)


@review.command("list", cls=EngramCommand)
@click.option("--kind", type=click.Choice(_KINDS), help="Only of this kind.")
@click.option("--settled", is_flag=True, help="What was decided instead, latest last.")
@_MORE
@asked_by
def list_items(kind: str | None, session: str | None, agent: str | None, *, settled: bool, unbounded: bool) -> None:
    """List what is to be decided today, in the order in which it is to be looked at; or all that was decided.

    \b
    Example:
      engram review list
      engram review list --settled
    """
    caller = find_asker(invocation(), session, agent)
    if settled:
        if caller is not None:
            raise UsageError("--settled shows the decisions of all", hint="leave out --session and --agent")
        _emit_settled()
        return
    rows, more = _described(kind, caller, unbounded=unbounded)
    zone = workspace_zone()
    lines = [
        *filter(None, [table(list_line(row, zone) for row in rows)]),
        *([f"{more} more: {_ENOUGH}"] if more else []),
    ]
    invocation().emit({"items": rows, "waiting": _waiting(caller), "more": more}, "\n".join(lines) or "nothing waits")


@review.command(cls=EngramCommand)
@click.argument("item", metavar="ID", shell_complete=complete_waiting)
@click.argument("outcome", type=click.Choice(_OUTCOMES))
@click.option("--keep", metavar="ID", help="The fact, observation or entity that stays.")
@click.option("--text", metavar="T", help="What a merge or a promotion says.")
@click.option("--note", metavar="T", help="Why.")
@click.option(
    "--entity", metavar="E", help="With promote: whom or what the fact is about.", shell_complete=complete_entity
)
@click.option("--create/--no-create", default=False, help="With promote: make the entity when it is unknown.")
@click.option("--to", type=click.Choice(["fact", "memory"]), help="With promote: default is what is suggested.")
@click.option(
    "--actor", type=click.Choice(["user", "agent"]), help="Who decides. Default: user; of a release it has to be said."
)
@_DRY_RUN
def answer(*, item: str, actor: str | None, dry_run: bool, **options: Any) -> int:
    """Settle one thing that waits. `review next` says which outcomes it can have.

    \b
    Example:
      engram review answer observation-0001 dismiss --note "known, and soon mended"
    """
    asked = invocation()
    if options["outcome"] == "accept" or is_proposal(asked.workspace(), item):
        return _answer_proposal(item, options, dry_run=dry_run)
    check_words(**{name: value for name, value in options.items() if isinstance(value, str)})
    args = {"id": item, **{name: value for name, value in options.items() if value is not None}}
    decides = Actor(actor or ("agent" if options["outcome"] == "release" else "user"))
    if dry_run:
        planned, changes = plan_settling(asked.workspace(), args, actor=decides)
        return answer_plan(asked, planned.model_dump(mode="json"), changes)
    return answer_result(asked, settle(asked.workspace(), args, actor=decides).model_dump(mode="json"))


@review.command(cls=EngramCommand)
@click.argument("item", metavar="ID", required=False, shell_complete=complete_settled)
@_DRY_RUN
def undo(*, item: str | None, dry_run: bool) -> int:
    """Take back the latest decision, or the one about ID: everything is again as it was before it.

    \b
    Example:
      engram review undo
    """
    if dry_run:
        return run_change("review-undo", {"id": item}, dry_run=True)
    check_words(id=item)
    asked = invocation()
    return answer_result(asked, take_back(asked.workspace(), item).model_dump(mode="json"))


@review.command(cls=EngramCommand)
def check() -> None:
    """Say whether too much waits: exit code 10 when a threshold of the settings is reached.

    \b
    Example:
      engram review check
    """
    waiting = _waiting()
    weighed = Waiting(**{name: waiting[name] for name in Waiting._fields})
    reached = crossed(weighed)
    if reached:
        raise NeedsWorkError("; ".join(reached), hint=_HOW, waiting=waiting)
    invocation().emit({"waiting": waiting, "reached": []}, "below the thresholds")


@review.command(cls=EngramCommand)
@click.option("--jsonl", is_flag=True, help="JSON lines, also for people: what scripts/bench updates --labels reads.")
def labels(*, jsonl: bool) -> None:
    """Print what was decided as labelled examples: pairs of statements, and observations.

    \b
    Example:
      engram review labels --jsonl
    """
    asked = invocation()
    asked.as_json = asked.as_json or jsonl
    with asked.workspace().reading() as database:
        rows = list(read_labels(database))
    for row in rows:
        said = f"{row['old']} | {row['new']}" if "old" in row else row["text"]
        asked.emit_line(row, f"{row['label']}  {said}")


def _answer_proposal(item: str, options: dict[str, Any], *, dry_run: bool) -> int:
    asked = invocation()
    check_words(id=item, note=options["note"])
    role = os.environ.get("ENGRAM_ROLE") or None
    result = decide_proposal(
        asked.workspace(), item, options["outcome"], options["note"], role=role, dry_run=dry_run
    ).model_dump(mode="json")
    return answer_plan(asked, result, []) if dry_run else answer_result(asked, result)


def _waiting(caller: Caller | None = None) -> dict[str, Any]:
    return count_waiting(invocation().workspace(), caller)


def _described(
    kind: str | None, caller: Caller | None, *, most: int | None = None, unbounded: bool
) -> tuple[list[dict[str, Any]], int]:
    found = review_items(invocation().workspace(), caller, Wanted(kind, most, unbounded))
    return found.items, found.more


def _next_text(row: dict[str, Any] | None) -> str:
    if row is None:
        return "nothing waits"
    outcomes = table((f"  {name}", does) for name, does in row["outcomes"].items())
    return f"{shown(item_text(row, workspace_zone()))}\n\n{outcomes}\n\nengram review answer {row['id']} OUTCOME"


def _emit_settled() -> None:
    asked = invocation()
    with asked.workspace().reading() as database:
        found = database.list_settlements()
    lines = [
        (one.id, f"{one.at:%Y-%m-%d}", one.subject, str(one.verdict), "taken back" if one.undone_at else one.note or "")
        for one in found
    ]
    asked.emit({"settlements": [one.model_dump(mode="json") for one in found]}, table(lines) or "nothing was decided")
