"""The commands `handoff send` and `inbox ...`: what one agent leaves for another one, and what that one answers."""

from typing import Any

import click

from engram.cli.facts.change import run_change
from engram.cli.invocation.local_time import shown_day
from engram.cli.invocation.one_id import check_one_id
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import EngramSet
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.options import read_text
from engram.cli.invocation.plans import answer_plan
from engram.cli.invocation.results import answer_result
from engram.cli.invocation.silo import asked_by
from engram.cli.invocation.silo import find_asker
from engram.errors import UsageError
from engram.language.screen.fence import barred
from engram.language.screen.fence import fence
from engram.language.screen.fence import safe_lines
from engram.model.fact import Actor
from engram.operations.inbox import ANSWER
from engram.operations.inbox import SEND
from engram.operations.inbox import answering
from engram.operations.inbox import sending
from engram.operations.inbox import show_inbox
from engram.operations.inbox import told_of_stranger

_ACTOR = click.option(
    "--actor",
    type=click.Choice(["user", "agent"]),
    help="Whose words they are; with --agent or --session an agent's, else yours.",
)
_DRY_RUN = click.option("--dry-run", is_flag=True, help="Print the plan and change nothing.")


@click.command(cls=EngramCommand)
@click.argument("to", metavar="AGENT")
@click.argument("text")
@_ACTOR
@_DRY_RUN
@asked_by
def send(*, to: str, text: str, actor: str | None, session: str | None, agent: str | None, dry_run: bool) -> int:
    """Leave something for another agent, which is shown it at its start until it accepts or rejects.

    TEXT is - for standard input. `engram inbox` lists what waits. `engram undo` takes back what you sent last; with the
    command id that --json prints, also what an agent sent.

    \b
    Example:
      engram handoff send reviewer "The billing branch is ready; please read the migration" --agent builder
    """
    asked = invocation()
    said = read_text(text) if text == "-" else text
    check_words(to=to, text=said)
    caller = find_asker(asked, session, agent)
    workspace = asked.workspace()
    args = _given(sending(workspace, caller, to, said))
    who = Actor(actor or ("user" if caller is None else "agent"))
    if dry_run:
        planned, changes = workspace.plan(SEND, args, actor=who)
        return answer_plan(asked, planned.model_dump(mode="json"), changes)
    result = workspace.submit(SEND, args, actor=who).model_dump(mode="json")
    if result["status"] == "done":
        result = told_of_stranger(workspace, result, to)
    return answer_result(asked, result)


@click.group(cls=EngramSet, invoke_without_command=True)
@click.option("--all", "every", is_flag=True, help="Also older answers, and what was answered or taken back.")
@asked_by
@click.pass_context
def inbox(context: click.Context, *, every: bool, session: str | None, agent: str | None) -> int:
    """What waits for an agent, and what others answered it; without --agent, what waits for anybody.

    \b
    Example:
      engram inbox --agent reviewer
    """
    if context.invoked_subcommand is not None:
        return 0
    asked = invocation()
    caller = find_asker(asked, session, agent)
    shown = show_inbox(asked.workspace(), caller, every=every)
    asked.emit(shown, lambda: _text(shown))
    return 0


@inbox.command(cls=EngramCommand)
@click.argument("handoff_id", metavar="ID")
@click.option("--reason", metavar="R", help="A word to who sent it.")
@_ACTOR
@_DRY_RUN
@asked_by
def accept(*, handoff_id: str, reason: str | None, **said: Any) -> int:
    """Take on what was handed over; who sent it is told.

    `engram undo COMMAND_ID` takes the answer back, with the id that --json prints.

    \b
    Example:
      engram inbox accept handoff-0001 --agent reviewer
    """
    return _answer(handoff_id, "accept", reason, **said)


@inbox.command(cls=EngramCommand)
@click.argument("handoff_id", metavar="ID")
@click.argument("words", nargs=-1, metavar="[WHY]")
@click.option("--reason", metavar="R", help="Why, for who sent it, if not WHY.")
@_ACTOR
@_DRY_RUN
@asked_by
def reject(*, handoff_id: str, words: tuple[str, ...], reason: str | None, **said: Any) -> int:
    """Do not take on what was handed over, and say why; who sent it is told.

    `engram undo COMMAND_ID` takes the answer back, with the id that --json prints.

    \b
    Example:
      engram inbox reject handoff-0002 "the branch does not build" --agent reviewer
    """
    check_one_id("inbox reject", handoff_id, words or (reason or "",))
    if bool(words) == bool(reason):
        raise UsageError("why is it rejected?", hint=f'engram inbox reject {handoff_id} "the branch does not build"')
    return _answer(handoff_id, "reject", reason or " ".join(words), **said)


def _answer(
    handoff_id: str,
    answer: str,
    reason: str | None,
    *,
    actor: str | None,
    session: str | None,
    agent: str | None,
    dry_run: bool,
) -> int:
    asked = invocation()
    check_words(id=handoff_id, reason=reason)
    caller = find_asker(asked, session, agent)
    args = answering(asked.workspace(), caller, handoff_id, answer, reason)
    return run_change(ANSWER, args, dry_run=dry_run, actor=actor or ("user" if caller is None else "agent"))


def _given(args: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in args.items() if value is not None}


def _text(shown: dict[str, Any]) -> str:
    waiting = [line for one in shown["handoffs"] for line in _lines(one, f"{one['from']} to {one['to']}")]
    answers = [line for one in shown["answers"] for line in _lines(one, _answered(one))]
    others = [line for one in shown["others"] for line in _lines(one, f"{_answered(one)}; from {one['from']}")]
    whom = shown["agent"] or "anybody"
    parts = [fence(f"waiting for {whom}", waiting)] if waiting else [[f"nothing waits for {whom}"]]
    parts += [fence("answered", answers)] if answers else []
    parts += [fence("others", others)] if others else []
    hint = ["engram inbox accept ID, or reject ID --reason R"] if waiting else []
    return "\n".join(line for part in (*parts, hint) for line in part)


def _answered(one: dict[str, Any]) -> str:
    return f"{one['status']} by {one['answered_by']}" if one["answered_by"] else one["status"]


def _lines(one: dict[str, Any], about: str) -> list[str]:
    """Return a handoff as lines that give no orders, its text below who it is from."""
    is_persons = one["actor"] == Actor.USER
    said = [f"  {line}" for line in safe_lines(one["text"], is_persons=is_persons)]
    why = [f"  because: {line}" for line in safe_lines(one["reason"] or "", is_persons=False) if line.strip()]
    head = f"{one['id']}  {shown_day(one['sent_at'])}  {about}  {one['trust']}"
    return [barred(line) for line in (head, *said, *why)]
