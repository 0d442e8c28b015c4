"""What maintenance remembers from one run to the next, in `.engram/maintenance.json`.

Nothing here is part of the memory: when the file is lost, everything is looked at once more, and that is all. It is no
watermark in the journal because a record there would make an idle day an active one, and move the activity clock.
"""

import datetime as dt
from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic import ValidationError

from engram.base.disk.files import write_atomically
from engram.base.disk.own_files import read_own
from engram.model.value import Value


class MaintenanceState(Value):
    """What was looked at, and what was found that only a longer look can tell again."""

    v: Literal[1] = 1  # format version
    look: str = ""  # digest of everything after a run that left nothing undone; see `looking.workspace_fingerprint`
    asked: str = ""  # digest of the findings that the model of `heartbeat.agent` was asked about last
    put_off: str = ""  # id of the run that left the longer looks to the next one
    checked_on: dt.date | None = None  # day of the last run of all checks
    checks: tuple[str, ...] = ()  # sentences that these checks found
    patterns: str = ""  # of secrets that were looked for, hashed
    scanned: int = 0  # journal position up to which secrets were looked for
    changed_ns: int = 0  # time of the last change of the newest file that was looked through
    stored: tuple[str, ...] = ()  # sentences about secrets in the journal
    files: dict[str, str] = Field(default_factory=dict)  # path -> sentence about a secret in that file of ours
    notes: tuple[str, ...] = ()  # paths of people's own files with a secret: good to know, and no alert


def load_state(path: Path) -> MaintenanceState:
    """Return what was saved last; the empty state when there is nothing or it does not read."""
    try:
        return MaintenanceState.model_validate_json(read_own(path))
    except (OSError, ValidationError):
        return MaintenanceState()


def save_state(path: Path, state: MaintenanceState) -> None:
    """Replace what was saved."""
    write_atomically(path, state.model_dump_json(indent=1).encode() + b"\n", mode=0o600)
