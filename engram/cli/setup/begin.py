"""The command `setup`: everything for somebody new, shown on one screen, agreed to once, and taken back by `--undo`."""

import shutil
import sys
from pathlib import Path
from typing import Any

import click

from engram.cli.invocation.asked import Invocation
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.setup.begin_text import learnt_text
from engram.cli.setup.begin_text import model_words
from engram.cli.setup.begin_text import plan_text
from engram.cli.setup.begin_text import undo_text
from engram.cli.terminal.screen_lines import screen_width
from engram.errors import UsageError
from engram.hooks.hosts import NAMES
from engram.onboarding.execution import Step
from engram.onboarding.execution import carry_out
from engram.onboarding.plan import SetupPlan
from engram.onboarding.plan import Wishes
from engram.onboarding.plan import choose_root
from engram.onboarding.plan import make_plan
from engram.onboarding.undo import undo
from engram.workspace import Workspace

_OTHER_LINES = 18  # of a screen: the ten things, headings, and the prompt
_FEWEST_LINES = 6  # of the block that are shown on the smallest screen


@click.command(cls=EngramCommand)
@click.argument("folder", required=False, metavar="[DIR]")
@click.option(
    "--owner", metavar="NAME", help='Who "I" is: a name, people/anna, or nobody (default: git\'s name or the login).'
)
@click.option("--timezone", metavar="TZ", help="Zone of day boundaries (default: ENGRAM_TZ, TZ, the machine's).")
@click.option("--host", "hosts", multiple=True, type=click.Choice(NAMES), help="Connect only this one; repeatable.")
@click.option("--hooks/--no-hooks", default=True, help="Connect the agents on this machine.")
@click.option("--capture/--no-capture", default=True, help="Read the conversations that they left.")
@click.option("--schedule/--no-schedule", default=True, help="Let cron, systemd or launchd call it.")
@click.option("--model/--no-model", default=None, help="Fetch a model, or ask for none (default: ask on a terminal).")
@click.option("--instructions", is_flag=True, help="Also put a marked block into CLAUDE.md, AGENTS.md and the like.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Show what would be done and change nothing.")
@click.option("--undo", "undoes", is_flag=True, help="Take back what setup installed; the memories stay.")
@click.option("--remove", metavar="DIR", help="With --undo: also remove this workspace, memories and all.")
def setup(*, folder: str | None, undoes: bool, remove: str | None, yes: bool, dry_run: bool, **wanted: Any) -> None:
    """Set up everything on one screen: workspace, owner, agents, conversations, model, heartbeat.

    The workspace is DIR, else the one that stands here, else ~/engram. What is there already stays as it is. Ends with
    ten things that were learnt, and with what the next session begins with; what takes longer than a minute goes on in
    the next heartbeats.

    \b
    Example:
      engram setup --dry-run
    """
    asked = invocation()
    check_words(folder=folder, remove=remove, owner=wanted["owner"], timezone=wanted["timezone"])
    if remove is not None and not undoes:
        raise UsageError("--remove is for --undo", hint="engram setup --undo --remove DIR")
    root = choose_root(folder, asked.workspace_dir, Path.home())
    if undoes:
        _undo(asked, root, remove, yes=yes, dry_run=dry_run)
    else:
        _set_up(asked, root, wanted, yes=yes, dry_run=dry_run)


def _set_up(asked: Invocation, root: Path, wanted: dict[str, Any], *, yes: bool, dry_run: bool) -> None:
    settings = {name: wanted[name] for name in ("owner", "timezone") if wanted[name] is not None}
    chosen = {name: wanted[name] for name in ("hooks", "capture", "schedule", "instructions", "hosts")}
    plan = make_plan(root, Wishes(**chosen, settings=settings), now=asked.now, home=Path.home())
    if dry_run:
        asked.emit({**plan.as_json(), "dry_run": True}, lambda: plan_text(plan))
        return
    if not asked.as_json:
        click.echo(plan_text(plan, screen_width(sys.stderr)), err=True)
    plan = _with_model(plan, wanted["model"], may_ask=not yes)
    if not (yes or _agrees(asked)):
        asked.emit({**plan.as_json(), "steps": []}, "nothing was changed")
        return
    report = carry_out(plan, lambda path: _opened(asked, path), _tell, now=asked.now)
    asked.emit({**plan.as_json(), **report.as_json()}, lambda: learnt_text(report, _room(), screen_width(sys.stdout)))


def _with_model(plan: SetupPlan, wants: bool | None, *, may_ask: bool) -> SetupPlan:  # noqa: FBT001 - as it was said
    """Return the plan with the model that is to be fetched, when there is one and it is wanted."""
    if plan.model.offered is None or wants is False:
        return plan
    if wants is None:
        wants = may_ask and _is_terminal() and click.confirm(f"fetch {model_words(plan.model)}?", err=True)
    return plan._replace(model=plan.model._replace(fetch=bool(wants)))


def _undo(asked: Invocation, root: Path, remove: str | None, *, yes: bool, dry_run: bool) -> None:
    workspace = _opened(asked, root)
    folder = Path(remove) if remove is not None else None
    planned = undo(workspace, home=Path.home(), remove=folder, dry_run=True)
    if dry_run:
        asked.emit(planned.as_json(), lambda: undo_text(planned, root))
        return
    if not asked.as_json:
        click.echo(undo_text(planned, root), err=True)
    if not (yes or _agrees(asked)):
        asked.emit({"hosts": [], "schedule": [], "removed": []}, "nothing was changed")
        return
    done = undo(workspace, home=Path.home(), remove=folder, dry_run=False)
    asked.emit(done.as_json(), lambda: undo_text(done, root))


def _agrees(asked: Invocation) -> bool:
    """Ask once on a terminal; elsewhere --yes has to be said."""
    if _is_terminal() and not asked.as_json:
        return click.confirm("do all this?", default=True, err=True)
    raise UsageError("nothing was changed: there is nobody to ask", hint="say --yes, or look first with --dry-run")


def _room() -> int | None:
    """Return how many lines of the start block a person's screen has room for beside the rest; None: as many as any."""
    return max(_FEWEST_LINES, shutil.get_terminal_size().lines - _OTHER_LINES) if sys.stdout.isatty() else None


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _opened(asked: Invocation, root: Path) -> Workspace:
    asked.workspace_dir = str(root)
    return asked.workspace()


def _tell(step: Step) -> None:
    click.echo(f"  {step.words}" if step.status == "done" else f"  left out: {step.words}", err=True)
