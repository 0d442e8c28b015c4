"""Backups: `backup DIR`, `backup verify DIR` and `restore DIR`."""

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from zoneinfo import ZoneInfo

import click

from engram.base.counts import counted
from engram.base.dates import parse_bound
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.errors import BadValueError
from engram.errors import UsageError
from engram.operations.backups.backup import BackupReport
from engram.operations.backups.backup import back_up
from engram.operations.backups.backup import plan_backup
from engram.operations.backups.backup_check import BackupCheck
from engram.operations.backups.backup_check import verify_backups
from engram.operations.backups.restore import Point
from engram.operations.backups.restore import RestoreReport
from engram.operations.backups.restore import plan_restore
from engram.operations.backups.restore import restore as restore_backup
from engram.services.backup.history import head_text

_VERIFY = "verify"


@click.command(cls=EngramCommand)
@click.argument("words", nargs=-1, metavar="[verify] DIR")
@click.option("--dry-run", is_flag=True, help="Say what would be looked at and write nothing.")
def backup(words: tuple[str, ...], *, dry_run: bool) -> int:
    """Copy what cannot be made again into DIR, while others write, and prove it by restoring it beside.

    A backup holds the journal, the spool, settings, notes, domains, MEMORY.md, life/ and copies of edited files;
    database and index are made again from them. What DIR holds already is not copied again. `verify` reads every
    backup in DIR and restores the newest into a scratch folder; exit 6 when one is damaged.

    \b
    Example:
      engram backup ../backups
      engram backup verify ../backups
    """
    check_words(DIR=" ".join(words))
    asked = invocation()
    if len(words) == 2 and words[0] == _VERIFY:
        found = verify_backups(Path(words[1]))
        asked.emit({"ok": _is_sound(found), "backups": [one.as_json() for one in found]}, _checks_text(found))
        return 0 if _is_sound(found) else 6
    if len(words) != 1 or words[0] == _VERIFY:
        raise UsageError("engram backup needs one folder", hint="engram backup DIR, or engram backup verify DIR")
    if dry_run:
        plan = plan_backup(asked.workspace(), Path(words[0]))
        asked.emit(plan, f"would look at {counted(plan['files'], 'file')} and copy what {plan['folder']} does not hold")
        return 0
    report = back_up(asked.workspace(), Path(words[0]))
    asked.emit(report.as_json(), _report_text(report))
    return 0


@click.command(cls=EngramCommand)
@click.argument("folder", metavar="DIR")
@click.option("--to", "point", metavar="TIME|POSITION", help="Leave out what was recorded after this.")
@click.option("--into", metavar="DIR", help="Folder of the new workspace (default: where it was backed up).")
@click.option("--dry-run", is_flag=True, help="Say what would be restored and write nothing.")
def restore(*, folder: str, point: str | None, into: str | None, dry_run: bool) -> None:
    """Make a workspace of the newest backup in DIR, or as it was at an earlier time or position of the journal.

    It goes into an empty folder or a new one, never over another workspace. With --to the journal ends at that point;
    notes, settings and domains are those of the first backup after it.

    \b
    Example:
      engram restore ../backups --into ../restored
    """
    check_words(DIR=folder, to=point, into=into)
    asked = invocation()
    named = into or asked.workspace_dir
    root = Path(named) if named else None
    to = _read_point(point, asked.now())
    if dry_run:
        plan = plan_restore(Path(folder), root, to)
        words = f"would restore {plan['backup']} into {plan['workspace']}, up to position {plan['position']}"
        asked.emit(plan, words)
        return
    report = restore_backup(Path(folder), root, to, asked.now())
    asked.emit(report.as_json(), _restored_text(report))


def _read_point(text: str | None, now: dt.datetime) -> Point:
    if text is None:
        return Point()
    if text.isdecimal():
        if not int(text):
            raise BadValueError("--to 0 is before the first record", hint="positions begin at 1")
        return Point(position=int(text))
    # There is no workspace yet that would say in which zone its days are.
    return Point(at=parse_bound(text, zone=ZoneInfo("UTC"), now=now, name="--to", ends=True))


def _is_sound(found: Sequence[BackupCheck]) -> bool:
    return not any(one.problems for one in found)


def _checks_text(found: Sequence[BackupCheck]) -> str:
    lines = []
    for one in found:
        state = "damaged" if one.problems else "restores" if one.is_restored else "whole"
        signed = "signed" if one.is_signed else "not signed by a key that is here"
        lines.append(f"{state:9}{one.id}  head {one.head}  {signed}" if one.head else f"{state:9}{one.id}")
        lines += [f"         {problem}" for problem in one.problems]
    return "\n".join(lines)


def _report_text(report: BackupReport) -> str:
    made = report.manifest
    size = f"{counted(report.copied.pieces, 'new piece')} of {counted(report.copied.size, 'byte')}"
    if report.is_new:
        lines = [f"backup {made.id}: {counted(len(made.files), 'file')}, {size}; it was restored beside, and holds"]
    else:
        lines = [f"nothing is new since backup {made.id}"]
    lines.append(f"head {head_text(made.position, made.head)}")
    lines += [f"left out: {one}" for one in made.left_out]
    return "\n".join([*lines, *(f"warning: {one}" for one in report.warnings)])


def _restored_text(report: RestoreReport) -> str:
    made = report.manifest
    journal = f"journal up to position {report.position}, {counted(report.facts, 'fact')}"
    notes = f"notes and settings of {made.at:%Y-%m-%d %H:%M} UTC"
    lines = [f"restored {report.root} from backup {made.id}", f"  {journal}; {notes}"]
    if report.is_cut:
        left = counted(report.records_left_out, "record")
        commands = f" and {counted(report.commands_left_out, 'waiting command')}" if report.commands_left_out else ""
        lines.append(f"  left out, as later: {left}{commands}")
    lines += [f"  an edited file of life/ is now {path}" for path in report.edits_kept]
    lines += [] if report.is_signed else ["  nobody vouches for it: the backup bears no signature of yours"]
    return "\n".join(
        [*lines, f"head {head_text(report.position, report.head)}", "the next recall makes the index again"]
    )
