"""The commands `decision log` and `decision list`: what was settled, in the order in which it was."""

import click

from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import EngramSet
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.options import table
from engram.cli.invocation.shell_words import complete_session
from engram.cli.invocation.silo import find_silo
from engram.errors import BadValueError
from engram.services.silo.decision_log import DECISIONS
from engram.services.silo.decision_log import list_decisions
from engram.services.silo.decision_log import log_decision

_SAID = "engram facts --category decision"
_SESSION = click.option(
    "--session",
    metavar="S",
    help="Session whose log it is; else the agent's main one.",
    shell_complete=complete_session,
)


@click.group(cls=EngramSet)
def decision() -> None:
    """What was settled; only ever appended to.

    \b
    Example:
      engram decision log "We use DuckDB for billing" --tag billing
    """


@decision.command(cls=EngramCommand)
@click.argument("text")
@click.option("--tag", "tags", multiple=True, metavar="T", help="A word to find it by; may be given again.")
@click.option("--by", metavar="WHO", help="Agent or person who decided.")
@_SESSION
@click.option("--dry-run", is_flag=True, help="Print where it would go and write nothing.")
def log(text: str, tags: tuple[str, ...], by: str | None, session: str | None, *, dry_run: bool) -> None:
    """Append one decision.

    \b
    Example:
      engram decision log "We use DuckDB for billing" --tag billing --by reviewer
    """
    _require_name(by)
    check_words(text=text, by=by, **{f"tag {place}": tag for place, tag in enumerate(tags, 1)})
    workspace, folder = find_silo(invocation(), session)
    path = f"{folder}/{DECISIONS}"
    if dry_run:
        invocation().emit({"path": path, "dry_run": True}, f"nothing is changed; it would add a line to {path}: {text}")
        return
    now, zone = workspace.now(), workspace.settings.zone
    logged = log_decision(workspace.files, folder, text, tags, now=now, zone=zone, by=by or "")
    invocation().emit({"status": "done", "path": path, **logged._asdict()}, f"{path}\n{logged.text}")


@decision.command("list", cls=EngramCommand)
@click.option("--last", type=click.IntRange(1), metavar="N", help="Only the last ones.")
@click.option("--tag", metavar="T", help="Only those with this tag.")
@click.option("--by", metavar="WHO", help="Only those of this agent or person.")
@_SESSION
def list_(last: int | None, tag: str | None, by: str | None, session: str | None) -> None:
    """List decisions, oldest first.

    \b
    Example:
      engram decision list --last 5
    """
    _require_name(by)
    check_words(tag=tag, by=by)
    workspace, folder = find_silo(invocation(), session)
    found = list_decisions(workspace.files, folder, tag=tag or "", last=last, by=by or "")
    rows = [
        (
            f"{one.day} {one.time}".strip(),
            " ".join([one.text, *([f"(by {one.by})"] if one.by else []), *(f"#{tag}" for tag in one.tags)]),
        )
        for one in found
    ]
    shown = {"decisions": [one._asdict() for one in found]}
    columns = [("when", False), ("decision", True)]
    none = "no decision matches" if tag or by else f"no decision was logged yet; those that were said: {_SAID}"
    invocation().emit_table(shown, lambda: table(rows) or none, columns, rows)


def _require_name(by: str | None) -> None:
    """Refuse a name that was passed and is empty, as a variable that nobody set leaves one."""
    if by is not None and not by.strip():
        raise BadValueError("--by is empty", hint="name who decided, such as --by reviewer, or leave --by out")
