"""The command `note team`: the file that all agents of the workspace share."""

import click

from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.silo import asked_by
from engram.cli.invocation.silo import find_asker
from engram.language.screen.fence import barred
from engram.language.screen.fence import fence
from engram.language.screen.fence import safe_lines
from engram.services.silo.cross_team import CROSS_TEAM
from engram.services.silo.cross_team import add_team_line
from engram.services.silo.cross_team import read_team_lines


@click.command(cls=EngramCommand)
@click.argument("text", required=False)
@asked_by
@click.option("--dry-run", is_flag=True, help="Print where the line would go and write nothing.")
def team(text: str | None, session: str | None, agent: str | None, *, dry_run: bool) -> None:
    """Write a line into CROSS-TEAM.md, which every agent reads; without TEXT, show the file.

    Each line says who wrote it: the agent of --agent or --session, else the owner.

    \b
    Example:
      engram note team "The schema is frozen until Friday" --agent builder
      engram note team
    """
    asked = invocation()
    check_words(text=text)
    caller = find_asker(asked, session, agent)
    workspace = asked.workspace()
    if text is None:
        found = read_team_lines(workspace.files, caller)
        lines = [barred(line) for line in safe_lines(found, is_persons=False)]
        shown = (
            "\n".join(fence("cross-team notes", lines)) if found.strip() else "no agent told the others anything yet"
        )
        asked.emit({"path": CROSS_TEAM, "text": found}, shown)
        return
    settings = workspace.settings
    done = add_team_line(
        workspace.files,
        text,
        caller,
        now=workspace.now(),
        zone=settings.zone,
        patterns=tuple(settings.screen.patterns),
        dry_run=dry_run,
    )
    if dry_run:
        what = f"nothing is changed; it would add a line to {CROSS_TEAM}: {done.line}"
        asked.emit({"path": CROSS_TEAM, "dry_run": True}, what)
        return
    asked.emit({"status": "done", **done._asdict()}, f"{done.path}\n{done.line}")
