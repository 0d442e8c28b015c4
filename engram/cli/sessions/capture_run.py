"""How `capture` runs: once or again and again, over files that were named or found, with a bar and a question."""

import contextlib
import os
import sys
import time
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from engram.base.log import warn
from engram.cli.invocation.options import invocation
from engram.cli.invocation.options import table
from engram.errors import MalformedInputError
from engram.errors import StoreBusyError
from engram.errors import UsageError
from engram.importers.capture import capture_files
from engram.importers.transcripts.files import STDIN
from engram.importers.transcripts.files import Choices
from engram.importers.transcripts.formats import AUTO
from engram.importers.transcripts.places import Found
from engram.importers.transcripts.places import find_transcripts
from engram.importers.transcripts.places import holdings
from engram.importers.transcripts.report import CaptureReport
from engram.workspace import Workspace

_SHOWN = 3  # bad lines named in the error
_POLL_S = 1.0  # between two looks at the files that are watched
_UNITS = ("bytes", "kB", "MB", "GB", "TB")


def capture_named(workspace: Workspace, files: Sequence[str], choices: Choices, *, dry_run: bool, watch: bool) -> None:
    """Capture files that the user named, and go on while they are watched."""
    _check_watch(files, dry_run=dry_run, watch=watch)
    with _until_interrupted(watch):
        stamps = _stamps(files) if watch else {}
        report = capture_files(workspace, files, choices, dry_run=dry_run, progress=workspace.progress)
        _emit(report, {}, watch=watch)
        if watch:
            _follow(workspace, lambda: list(files), choices, stamps)


def capture_found(workspace: Workspace, choices: Choices, *, dry_run: bool, yes: bool, watch: bool) -> None:
    """Find transcripts, say what there is, ask, capture them, and go on while they are watched."""
    _check_watch((), dry_run=dry_run, watch=watch)
    if choices.session is not None:
        raise UsageError("--session would put every conversation into one", hint="leave it out, or name the files")
    found = _find(choices)
    held = {"found": [one.as_json() for one in holdings(found)]}
    click.echo(_as_table(found), err=True)
    if not (found or watch) or not (dry_run or yes or _agrees(held)):
        invocation().emit({**held, "captured": 0}, "nothing was captured")
        return
    with _until_interrupted(watch):
        stamps = _stamps([str(one.path) for one in found]) if watch else {}
        names = [str(one.path) for one in found]
        report = capture_files(workspace, names, choices, dry_run=dry_run, progress=workspace.progress)
        _emit(report, held, watch=watch)
        if watch:
            _follow(workspace, lambda: [str(one.path) for one in _find(choices)], choices, stamps)


def _find(choices: Choices) -> list[Found]:
    """Return what lies in the usual places, of the program whose format was chosen or of all."""
    found = find_transcripts(os.environ, Path.home())
    return [one for one in found if choices.file_format in {AUTO, one.tool}]


def _check_watch(files: Sequence[str], *, dry_run: bool, watch: bool) -> None:
    if watch and (dry_run or STDIN in files):
        what = "a dry run" if dry_run else "standard input"
        raise UsageError(f"{what} cannot be watched", hint="give files, and leave --dry-run out")


def _agrees(held: dict[str, Any]) -> bool:
    """Ask on a terminal; elsewhere refuse, because nobody is there to ask."""
    if sys.stdin.isatty() and sys.stderr.isatty():
        return click.confirm("capture them?", err=True)
    invocation().emit({**held, "captured": 0}, "")
    raise UsageError("nothing was captured: there is nobody to ask", hint="engram capture --discover --yes")


def _emit(report: CaptureReport, more: dict[str, Any], *, watch: bool) -> None:
    """Print the report; bad lines end the command, or are warnings while it goes on."""
    invocation().emit_line({**more, **report.as_json()}, report.as_text())
    if not report.has_bad_input:
        return
    words = f"not everything could be captured: {'; '.join(report.complaints()[:_SHOWN])}"
    if not watch:
        raise MalformedInputError(words, hint="the rest is captured; --json lists every bad line")
    warn(words)


def _follow(
    workspace: Workspace, names: Callable[[], list[str]], choices: Choices, stamps: dict[str, tuple[int, int]]
) -> None:
    """Capture what is added to the files, as long as nobody stops it; a look at an unchanged file is all it costs."""
    while True:
        time.sleep(_POLL_S)
        now = _stamps(names())
        changed = [name for name, stamp in now.items() if stamps.get(name) != stamp]
        if not changed:
            continue
        try:
            report = capture_files(workspace, changed, choices, dry_run=False)
        except (StoreBusyError, MalformedInputError) as problem:
            warn(f"{problem.message}; trying again")
            continue
        stamps.update((name, now[name]) for name in changed)
        if report.captured or report.has_bad_input:
            _emit(report, {}, watch=True)


def _stamps(names: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return size and time of the files that are there."""
    stamps = {}
    for name in names:
        with contextlib.suppress(OSError):
            status = Path(name).stat()
            stamps[name] = (status.st_size, status.st_mtime_ns)
    return stamps


@contextlib.contextmanager
def _until_interrupted(watch: bool) -> Iterator[None]:  # noqa: FBT001 - the one thing it is told
    """Let Ctrl-C end a watch in good order: every turn that was reported is stored."""
    try:
        yield
    except KeyboardInterrupt:
        if not watch:
            raise
        click.echo("stopped watching", err=True)


def _as_table(found: Sequence[Found]) -> str:
    if not found:
        return "no transcripts found"
    rows = [
        (
            one.tool,
            f"{one.files} file{'s' * (one.files > 1)}",
            in_units(one.size),
            f"{one.first.date()} to {one.last.date()}",
        )
        for one in holdings(found)
    ]
    return table(rows)


def in_units(size: int) -> str:
    """Return a number of bytes as people write it."""
    value, unit = float(size), 0
    while value >= 1000 and unit < len(_UNITS) - 1:
        value, unit = value / 1000, unit + 1
    return f"{value:.0f} {_UNITS[unit]}" if unit == 0 else f"{value:.1f} {_UNITS[unit]}"
