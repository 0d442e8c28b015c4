"""The command `note rotate`: the oldest sections of a note that has grown too long, into the archives beside it."""

import click

from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.services.silo.rotation import LONG_KB
from engram.services.silo.rotation import Rotation
from engram.services.silo.rotation import rotate as rotate_file
from engram.services.silo.rotation import undo_rotation


@click.command(cls=EngramCommand)
@click.argument("file")
@click.option("--keep", "keep_bytes", type=click.IntRange(min=0), metavar="BYTES", help="Else 128 kilobytes.")
@click.option("--undo", is_flag=True, help="Put the latest archive of FILE back, with what was added since.")
@click.option("--dry-run", is_flag=True, help="Print what would move and change nothing.")
def rotate(file: str, *, keep_bytes: int | None, undo: bool, dry_run: bool) -> None:
    """Move a note whole into archives/ beside it; its title and its newest sections begin it anew.

    The heartbeat does this with notes without a date that are longer than 256 kilobytes. Sections are never cut.

    \b
    Example:
      engram note rotate memory/main/main/handoff.md --keep 20 --dry-run
    """
    check_words(file=file)
    workspace = invocation().workspace()
    keep = LONG_KB * 512 if keep_bytes is None else keep_bytes
    files = workspace.files
    done = undo_rotation(files, file, dry_run=dry_run) if undo else rotate_file(files, file, keep, dry_run=dry_run)
    body = {"status": "planned" if dry_run else "undone" if undo else "done", **done._asdict(), "dry_run": dry_run}
    invocation().emit(body, _text(done, undo=undo, dry_run=dry_run))


def _text(done: Rotation, *, undo: bool, dry_run: bool) -> str:
    would = "would be " if dry_run else ""
    sizes = f"{done.bytes_before} -> {done.bytes_after} bytes"
    if undo:
        return f"{done.archive} {would}put back into {done.path} ({sizes})"
    gone = "1 section is" if done.sections == 1 else f"{done.sections} sections are"
    return f"{done.path} {would}moved to {done.archive}; {gone} only there then ({sizes})"
