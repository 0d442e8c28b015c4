"""`engram forget`: erase for good what a person names. `engram taint`: what depends on a source."""

import sys
from typing import Any

import click

from engram.base.counts import counted
from engram.cli.invocation.one_id import check_one_id
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.options import table
from engram.cli.invocation.shell_words import complete_entity
from engram.cli.invocation.shell_words import complete_fact
from engram.errors import BadValueError
from engram.model.fact import Status
from engram.operations.forget import Forgetting
from engram.operations.words.forget_text import already_lines
from engram.operations.words.forget_text import count_forgotten
from engram.operations.words.forget_text import forget_lines
from engram.operations.words.forget_text import listed_names
from engram.operations.words.forget_text import what_stays
from engram.services.erasure.plan import ForgetQuery
from engram.services.erasure.plan import depending_on
from engram.services.facts.listing import get_entity_path
from engram.warm.holder import stop


@click.command(cls=EngramCommand)
@click.argument("fact_id", metavar="[ID]", required=False, shell_complete=complete_fact)
@click.option("--source", metavar="S", help="All that comes from a session, a file, or a source as it was named.")
@click.option(
    "--entity", metavar="E", shell_complete=complete_entity, help="All that is said of an entity, and its name."
)
@click.option("--reason", metavar="R", default="a person asked for it", show_default=True, help="Why; this is kept.")
@click.option("--yes", is_flag=True, help="Erase without asking again.")
@click.option("--resume", is_flag=True, help="Go on with what was cut off.")
@click.option("--dry-run", is_flag=True, help="Print what would go and change nothing.")
def forget(*, reason: str, yes: bool, resume: bool, dry_run: bool, **named: str | None) -> int:
    """Erase something for good: from the journal, the database, the index, life/, notes, logs and caches.

    A fact goes with all facts of the same words, with what was derived from it, and with the sentence that it was read
    in. Its id stays, and says that something was forgotten. What says the same in other words is not found. Transcripts
    of other programs and backups are not Engram's to change: the receipt names them.

    \b
    Example:
      engram forget projects/billing-001 --reason "the customer asked for it" --yes
      engram forget --entity people/anna --dry-run
    """
    asked = invocation()
    check_one_id("forget", named["fact_id"] or "", (reason,))
    check_words(reason=reason, **{name: value for name, value in named.items() if value is not None})
    forgetting = Forgetting(asked.workspace())
    if resume:
        stop(asked.workspace().paths)
        receipt = forgetting.resume().as_json()
        asked.emit(receipt, lambda: _receipt_text(receipt))
        return 1 if receipt["left"] else 0
    plan = forgetting.plan(_query(asked, **named))
    told = plan.as_json()
    if dry_run:
        asked.emit({"dry_run": True, **told}, lambda: _plan_text(told))
        return 0
    if not yes and not plan.is_done:
        asked.tell(_plan_text(told))
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise BadValueError("nothing was erased: this cannot be undone", hint="add --yes to erase it")
        if not click.confirm("erase this for good?", err=True):
            return 0
    if not plan.is_done:
        stop(asked.workspace().paths)  # the warm process has read what is to go; the next prompt starts another
    receipt = forgetting.run(plan, reason).as_json()
    asked.emit(receipt, lambda: _receipt_text(receipt))
    return 1 if receipt["left"] else 0


@click.command(cls=EngramCommand)
@click.argument("source")
@click.option("--retract", is_flag=True, help="Take all of it back that is still believed or waits.")
@click.option("--dry-run", is_flag=True, help="With --retract: say what would be taken back and change nothing.")
def taint(*, source: str, retract: bool, dry_run: bool) -> int:
    """List what depends on a source that is not to be relied on: what comes from it, and what was made of that.

    SOURCE is a session, a file, or a source as it was named (--source of `engram write`).

    \b
    Example:
      engram taint https://example.org/billing --retract --dry-run
    """
    asked = invocation()
    check_words(source=source)
    workspace = asked.workspace()
    with workspace.reading() as database:
        own, derived = depending_on(database, source)
    live = [fact for fact in (*own, *derived) if fact.status not in {Status.SUPERSEDED, Status.RETRACTED}]
    retracted = []
    if retract and not dry_run:
        for fact in live:
            args = {"id": fact.id, "reason": f"it depends on {source}"}
            retracted.append(workspace.submit("retract", args).model_dump(mode="json"))
    refused = [one for one in retracted if one["exit_code"]]
    rows = [(fact.id, fact.status.value, "derived" if fact in derived else "", fact.text) for fact in (*own, *derived)]
    told = {
        "source": source,
        "facts": [{"id": row[0], "status": row[1], "derived": bool(row[2]), "text": row[3]} for row in rows],
        "retracted": [one["id"] for one in retracted if not one["exit_code"]],
        "dry_run": dry_run,
    }
    verb = "would be taken back" if dry_run else "taken back"
    last = f"{verb}: {counted(len(live) - len(refused), 'fact')}" if retract else "--retract takes them back"
    asked.emit(told, lambda: "\n".join([table(rows) if rows else "no fact comes from it", last]))
    return max((int(one["exit_code"]) for one in refused), default=0)


def _query(asked: Any, fact_id: str | None, source: str | None, entity: str | None) -> ForgetQuery:
    if sum(value is not None for value in (fact_id, source, entity)) != 1:
        raise BadValueError("name one thing to forget", hint="engram forget ID, or --source S, or --entity E")
    if entity is not None:
        with asked.workspace().reading() as database:
            entity = get_entity_path(database, entity)
    return ForgetQuery(fact_id, source, entity)


def _plan_text(told: dict[str, Any]) -> str:
    return "\n".join(forget_lines(told))


def _receipt_text(receipt: dict[str, Any]) -> str:
    removed, lines = receipt["removed"], already_lines(receipt)
    if removed["records"] or not lines:
        lines += [
            f"forgotten: {count_forgotten(removed)}",
            f"  {counted(removed['records'], 'record')} of the journal written anew",
        ]
        lines += [f"  {name}" for name in listed_names(removed["files"])]
        lines += ["vectors are made anew by the next heartbeats"]
    lines += [f"STILL THERE, in {name}" for name in receipt["left"]]
    lines += [
        f"may stand in a backup, delete that to drop it: {name}" for name in listed_names(receipt["kept_in_backups"])
    ]
    return "\n".join([*lines, *what_stays(receipt)])
