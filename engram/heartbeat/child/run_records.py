"""The records of runs in .engram/runs/: one JSON file per run, written at its start and again at its end.

Invariant: a record with status running belongs to the process that holds the heartbeat's lease; any other is of a run
that died or stood still. A tick that finds nothing to do leaves no record.
"""

import datetime as dt
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engram.base.clock import to_iso
from engram.base.disk.files import make_folder
from engram.base.disk.files import write_atomically
from engram.base.disk.own_files import read_own_text
from engram.base.json_values import load_json
from engram.base.machine.processes import birth_of
from engram.base.machine.processes import is_alive
from engram.errors import NotFoundError
from engram.language.screen.redaction import redact_value
from engram.language.screen.secrets import redact

RUNNING, OK, WITH_WARNINGS, SKIPPED, FAILED = "running", "ok", "ok_with_warnings", "skipped", "failed"
_NUMBER = re.compile(r"[1-9]\d{0,5}")  # of a run, from the latest back
KEPT_RUNS = 200  # newest records that maintenance keeps


def is_running(record: Mapping[str, Any] | None) -> bool:
    """Tell whether a record is of a run whose process is alive: that one, not a later one with its id."""
    if record is None or record.get("status") != RUNNING:
        return False
    pid, born = record.get("pid"), record.get("born")
    if not isinstance(pid, int):
        return False
    return is_alive(pid) if born is None else born == birth_of(pid)


class RunRecords:
    """The folder of run records; names sort by time of birth."""

    def __init__(self, folder: Path) -> None:
        """Take the folder."""
        self._folder = folder

    def save(self, record: dict[str, Any]) -> None:
        """Write the record of one run without secrets, replacing an earlier state of it."""
        make_folder(self._folder)
        content = json.dumps(redact_value(record), ensure_ascii=False, indent=1).encode()
        write_atomically(self._folder / f"{record['run_id']}.json", content, mode=0o600)

    def discard(self, run_id: str) -> None:
        """Take the record of a run away that found nothing to do."""
        (self._folder / f"{run_id}.json").unlink(missing_ok=True)

    def keep_answer(self, run_id: str, phase: str, answer: str) -> Path:
        """Keep the answer of a phase that could not be read, raw but for secrets, and return its file."""
        file = self._folder / f"{run_id}-{phase}.txt"
        write_atomically(file, redact(answer).text.encode("utf-8", errors="replace"), mode=0o600)
        return file

    def ids(self) -> list[str]:
        """Return the ids of all runs, oldest first."""
        return sorted(file.stem for file in self._folder.glob("*.json") if not file.name.startswith("."))

    def find(self, run_id: str) -> dict[str, Any] | None:
        """Return one record; None when there is none or it cannot be read."""
        try:
            found = load_json(read_own_text(self._folder / f"{run_id}.json"))
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def get(self, run_id: str) -> dict[str, Any]:
        """Return one record by its id, the beginning of it, or its number from 1 for the latest; raise NotFoundError.

        An id begins with 0 until the year 10889, and no number does.
        """
        ids = self.ids()
        if _NUMBER.fullmatch(run_id) and int(run_id) <= len(ids):
            run_id = ids[-int(run_id)]
        fitting = [known for known in ids if known.startswith(run_id.casefold())]
        record = self.find(fitting[-1]) if fitting and run_id else None
        if record is None:
            raise NotFoundError(f"there is no run {run_id!r}", hint="engram heartbeat log lists them")
        return record

    def latest(self, limit: int) -> list[dict[str, Any]]:
        """Return the newest readable records, newest first."""
        found = (self.find(run_id) for run_id in reversed(self.ids()[-limit:]))
        return [record for record in found if record is not None]

    def mark_dead(self, now: dt.datetime) -> list[str]:
        """Mark every run that has no end as failed, and return their ids. Only for the holder of the lease."""
        dead = []
        for record in self.latest(KEPT_RUNS):
            if record.get("status") == RUNNING:
                died = f"the run of process {record.get('pid')} came to no end: killed, or stopped beyond its lease"
                self.save(
                    {
                        **record,
                        "status": FAILED,
                        "finished_at": to_iso(now),
                        "alerts": [*record.get("alerts", []), died],
                    }
                )
                dead.append(str(record["run_id"]))
        return dead

    def prune(self, kept: int = KEPT_RUNS) -> int:
        """Remove the records and answers of all but the newest runs, and return how many runs that were."""
        old = self.ids()[:-kept]
        for run_id in old:
            for file in self._folder.glob(f"{run_id}*"):
                file.unlink(missing_ok=True)
        return len(old)
