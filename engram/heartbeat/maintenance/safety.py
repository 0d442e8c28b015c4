"""What maintenance does against loss and forgery: it signs the head of the journal, and backs up when that is due."""

from typing import Any
from typing import NamedTuple

from engram.errors import EngramError
from engram.heartbeat.report.fingerprint import is_backup_due
from engram.operations.backups.backup import back_up
from engram.services.backup.state import backup_folder_of
from engram.services.backup.state import load_backup_state
from engram.workspace import Workspace
from engram.workspace.signed_history import sign_history


class SafetyReport(NamedTuple):
    """What was done."""

    stats: dict[str, Any]  # of a backup; empty: none was due
    alerts: list[str]


def keep_safe(workspace: Workspace) -> SafetyReport:
    """Sign the head, then back up if the settings say so and it is time; what fails is an alert, and comes again."""
    try:
        history = sign_history(workspace.paths, workspace.journal, workspace.now())
    except EngramError as problem:
        return SafetyReport({}, [f"signing the journal: {problem.message} ({problem.hint})"])
    alerts = [f"{history.problem} (engram verify)"] if history.problem else []
    if not is_backup_due(workspace):
        return SafetyReport({}, alerts)
    folder = backup_folder_of(workspace.settings.backup.folder)
    if str(folder) in load_backup_state(workspace.paths.backup_state).folders and not folder.is_dir():
        said = f"no backup into {folder}: it is not there any more (engram backup {folder})"
        return SafetyReport({}, [*alerts, said])
    try:
        report = back_up(workspace, folder)
    except EngramError as problem:
        return SafetyReport({}, [*alerts, f"no backup into {folder}: {problem.message} ({problem.hint})"])
    except OSError as problem:  # a disk that is full or not there
        why = problem.strerror or str(problem)
        return SafetyReport({}, [*alerts, f"no backup into {folder}: {why} (engram backup {folder})"])
    told = {name: value for name, value in report.as_json().items() if name in {"backup", "position", "new"}}
    return SafetyReport(told, [*alerts, *(f"backup: {warning}" for warning in report.warnings)])
