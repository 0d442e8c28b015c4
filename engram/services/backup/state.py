"""Which folders hold backups of a workspace, in `.engram/backups.json`.

Nothing here is part of the memory: when the file is lost, the next scheduled backup comes early, and nobody can say any
more which backups may hold what was forgotten since.
"""

import datetime as dt
from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic import ValidationError

from engram.base.disk.files import write_atomically
from engram.base.disk.home import at_home
from engram.base.disk.own_files import read_own
from engram.model.value import Instant
from engram.model.value import Value


class BackupMark(Value):
    """The newest backup in one folder."""

    id: str  # of the backup
    at: Instant  # when it was made, or was found to be what a new one would be
    position: int  # last record of the journal that it holds


class BackupState(Value):
    """All folders that are known to hold backups."""

    v: Literal[1] = 1  # format version
    folders: dict[str, BackupMark] = Field(default_factory=dict)  # folder -> its newest backup


def backup_folder_of(name: str) -> Path:
    """Return the folder that a person means, with the home folder and links written out."""
    return at_home(name).resolve()


def load_backup_state(path: Path) -> BackupState:
    """Return what was saved last; the empty state when there is nothing or it does not read."""
    try:
        return BackupState.model_validate_json(read_own(path))
    except (OSError, ValidationError):
        return BackupState()


def note_backup(path: Path, folder: Path, mark: BackupMark) -> None:
    """Remember the newest backup of a folder."""
    state = load_backup_state(path)
    folders = {**state.folders, str(folder): mark}
    write_atomically(path, state.model_copy(update={"folders": folders}).model_dump_json(indent=1).encode(), mode=0o600)


def is_due(state: BackupState, folder: Path, every: dt.timedelta, now: dt.datetime) -> bool:
    """Tell whether the newest backup of a folder is as old as the time between two, or is of a time yet to come."""
    mark = state.folders.get(str(folder))
    return mark is None or not now - every < mark.at <= now
