"""The verbs of a memory that read files or run phases: they load most of Engram."""

from collections.abc import Sequence
from pathlib import Path

from engram.api.opened import require_one_of
from engram.heartbeat.child.phases import PHASES
from engram.heartbeat.run import runner
from engram.heartbeat.run.options import RunOptions
from engram.heartbeat.run.result import RunResult
from engram.importers import any_format
from engram.importers import export_run
from engram.importers import import_undo
from engram.importers.capture import capture_files
from engram.importers.export_run import ExportReport
from engram.importers.import_report import ImportReport
from engram.importers.import_undo import UndoReport
from engram.importers.transcripts.files import Choices
from engram.importers.transcripts.formats import FORMATS
from engram.importers.transcripts.report import CaptureReport
from engram.services.commands.entities.entity import check_session_name
from engram.workspace import Workspace


def capture(at: Workspace, files: list[str], form: str, session: str | None, *, dry_run: bool) -> CaptureReport:
    """Capture the turns of transcripts and notes; see `Memory.capture`."""
    require_one_of("format", form, FORMATS)
    if session is not None:
        check_session_name(session)
    choices = Choices(form, session, None, at.settings.zone, at.settings.agent)
    return capture_files(at, files, choices, dry_run=dry_run)


def import_memory(
    at: Workspace, form: str, path: Path, *, entity: str | None, as_own: bool, dry_run: bool
) -> ImportReport:
    """Import a file or folder of another memory; see `Memory.import_memory`."""
    require_one_of("format", form, any_format.FORMATS)
    return any_format.import_any(at, form, path, entity=entity, as_own=as_own, dry_run=dry_run)


def undo_import(at: Workspace, import_id: str, *, dry_run: bool) -> UndoReport:
    """Take back what an import made; see `Memory.undo_import`."""
    return import_undo.undo_import(at, import_id, dry_run=dry_run)


def export(at: Workspace, path: str, form: str, *, dry_run: bool) -> ExportReport:
    """Export the store; see `Memory.export`."""
    require_one_of("format", form, export_run.FORMATS)
    return export_run.export_store(at, path, form, dry_run=dry_run)


def heartbeat_run(at: Workspace, phases: Sequence[str], *, force: bool) -> RunResult:
    """Run the heartbeat once; see `Memory.heartbeat_run`."""
    for name in phases:
        require_one_of("phase", name, [one.name for one in PHASES])
    return runner.run_heartbeat(at, RunOptions(tuple(phases), force))
