"""What mends the findings of doctor, in the order in which one needs the other. Nothing acknowledged is lost by it."""

import json
from collections.abc import Callable
from collections.abc import Iterable
from contextlib import suppress
from typing import Any
from typing import NamedTuple
from typing import Protocol

from engram.base.clock import to_iso
from engram.base.disk.files import make_folder
from engram.base.disk.files import write_atomically
from engram.errors import UnreadableJournalError
from engram.model.finding import Finding
from engram.ports.progress import Progress
from engram.ports.progress import tell_nobody
from engram.services.doctor.check import Checkup
from engram.services.doctor.checks import examine
from engram.services.doctor.checks import read_object
from engram.services.doctor.modes import close_to_others
from engram.services.doctor.store_checks import check_database
from engram.services.doctor.store_checks import check_journal

_PASSES = 2  # mending the folders lets the next look see what lies in them


class Repairs(Protocol):
    """What mends the store."""

    def repair_journal(self) -> dict[str, int]:
        """Put the journal together again; UnreadableJournalError when that would not only add."""
        ...

    def renew_format(self) -> None:
        """Write the store's format anew, of a journal that this version reads to its end."""
        ...

    def rebuild(self, what: str) -> dict[str, Any]:
        """Make a projection anew from the journal."""
        ...

    def refresh_mirror(self) -> dict[str, Any]:
        """Bring life/ up to the journal, and take no edits in."""
        ...


def mend(
    checkup: Checkup, repairs: Repairs, findings: list[Finding], progress: Progress = tell_nobody
) -> list[Finding]:
    """Mend what can be mended without losing a fact, look again, and return all findings, marked when they are gone."""
    seen = {(finding.code, finding.path): finding for finding in findings}
    for _ in range(_PASSES):
        for remedy in REMEDIES:
            wanted = [finding for finding in findings if finding.code in remedy.codes]
            if wanted and (not remedy.needs_journal or _is_sound(checkup)):
                progress(remedy.does)
                remedy.apply(checkup, repairs, wanted)
        findings = examine(checkup, progress)
        seen |= {(finding.code, finding.path): finding for finding in findings}
    left = {(finding.code, finding.path) for finding in findings}
    gone = [finding.model_copy(update={"fixed": True}) for place, finding in seen.items() if place not in left]
    return [*findings, *gone]


class Remedy(NamedTuple):
    """What mends findings of some codes."""

    codes: frozenset[str]
    does: str  # in words, for who decides whether to mend
    apply: Callable[[Checkup, Repairs, list[Finding]], None]
    needs_journal: bool = False  # made from the journal: not while the database knows what the journal has lost


def _make_folders(checkup: Checkup, _repairs: Repairs, _findings: list[Finding]) -> None:
    for folder in checkup.paths.folders():
        make_folder(folder, root=checkup.paths.root)


def _close_to_others(checkup: Checkup, _repairs: Repairs, _findings: list[Finding]) -> None:
    close_to_others(checkup.paths)


def _remove_files(checkup: Checkup, _repairs: Repairs, findings: list[Finding]) -> None:
    for finding in findings:
        (checkup.paths.root / finding.path).unlink(missing_ok=True)


def _end_runs(checkup: Checkup, _repairs: Repairs, findings: list[Finding]) -> None:
    for finding in findings:
        path = checkup.paths.root / finding.path
        record = {**(read_object(path) or {}), "status": "failed", "finished_at": to_iso(checkup.now)}
        write_atomically(path, json.dumps(record, ensure_ascii=False, indent=1).encode(), mode=0o600)


def _repair_journal(_checkup: Checkup, repairs: Repairs, _findings: list[Finding]) -> None:
    with suppress(UnreadableJournalError):  # the finding names the way that is left
        repairs.repair_journal()


def _renew_format(_checkup: Checkup, repairs: Repairs, _findings: list[Finding]) -> None:
    repairs.renew_format()


def _rebuild_database(_checkup: Checkup, repairs: Repairs, _findings: list[Finding]) -> None:
    repairs.rebuild("database")


def _rebuild_index(checkup: Checkup, repairs: Repairs, _findings: list[Finding]) -> None:
    checkup.paths.index.mkdir(mode=0o700, exist_ok=True)
    repairs.rebuild("index")


def _set_mirror_state_aside(checkup: Checkup, repairs: Repairs, _findings: list[Finding]) -> None:
    checkup.mirror.set_state_aside()
    repairs.refresh_mirror()


def _refresh_mirror(_checkup: Checkup, repairs: Repairs, _findings: list[Finding]) -> None:
    repairs.refresh_mirror()


REMEDIES = (  # in this order: each needs what stands before it
    Remedy(frozenset({"folder-missing"}), "make the folders that are not there", _make_folders),
    Remedy(frozenset({"mode-open"}), "close files and folders to other users", _close_to_others),
    Remedy(frozenset({"leftover"}), "remove the temporary files of interrupted writes", _remove_files),
    Remedy(frozenset({"run-dead"}), "mark runs that died as failed", _end_runs),
    Remedy(
        frozenset({"journal-torn", "journal-damaged", "journal-short", "journal-differs"}),
        "put the journal together again from every whole line; what is damaged is kept beside it",
        _repair_journal,
    ),
    Remedy(frozenset({"format-damaged"}), "write the format of the store anew", _renew_format, needs_journal=True),
    Remedy(
        frozenset({"database-missing", "database-damaged", "database-differs", "database-behind"}),
        "make the database anew from the journal",
        _rebuild_database,
        needs_journal=True,
    ),
    Remedy(
        frozenset({"mirror-state-damaged"}),
        "set the state of life/ aside and write its files anew",
        _set_mirror_state_aside,
        needs_journal=True,
    ),
    Remedy(
        frozenset({"mirror-missing", "mirror-damaged", "mirror-behind"}),
        "write the files of life/ that are not as they should be; what people edited stays",
        _refresh_mirror,
        needs_journal=True,
    ),
    Remedy(
        frozenset({"index-missing", "index-damaged", "index-ahead"}),
        "make the index anew; vectors that are kept are not computed again",
        _rebuild_index,
        needs_journal=True,
    ),
)


class Mending(NamedTuple):
    """One thing that `mend` would do."""

    does: str  # in words
    findings: list[Finding]  # that it is done for


def plan_mending(findings: Iterable[Finding]) -> list[Mending]:
    """Return what `mend` would do about these findings, in its order; what it cannot mend is in none of them."""
    listed = [finding for finding in findings if not finding.fixed]
    planned = (Mending(one.does, [found for found in listed if found.code in one.codes]) for one in REMEDIES)
    return [one for one in planned if one.findings]


def _is_sound(checkup: Checkup) -> bool:
    """Tell whether the journal holds everything that is known."""
    with checkup.hold_store():
        found = [*check_journal(checkup), *check_database(checkup)]
    return not any(finding.code.startswith("journal-") for finding in found)
