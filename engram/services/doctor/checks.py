"""Doctor: what every part of a workspace must be like, as a list of checks.

A check changes nothing. Those that look at the store run while it is held for reading, so that no writer is caught
half-way; those that look beside it run without.
"""

import shlex
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from engram.base.clock import to_iso
from engram.base.counts import counted
from engram.base.disk.own_files import read_own
from engram.base.disk.own_files import read_own_text
from engram.base.json_values import load_json
from engram.base.machine.processes import is_alive
from engram.config.kept_settings import was_cut
from engram.config.paths import Paths
from engram.config.retired_keys import iter_retired_values
from engram.config.settings import load_settings
from engram.config.shared_journal import last_contact
from engram.errors import DamagedDatabaseError
from engram.errors import NewerFormatError
from engram.errors import SettingsError
from engram.errors import UnreadableJournalError
from engram.model.finding import Finding
from engram.model.finding import Level
from engram.ports.progress import Progress
from engram.ports.progress import tell_nobody
from engram.services.doctor.check import HEARTBEAT
from engram.services.doctor.check import Check
from engram.services.doctor.check import Checkup
from engram.services.doctor.check import standing
from engram.services.doctor.clock import check_clock
from engram.services.doctor.duplicate_entities import find_twice
from engram.services.doctor.freshness import check_named_things
from engram.services.doctor.index_check import check_index
from engram.services.doctor.modes import check_folder_modes
from engram.services.doctor.modes import check_modes
from engram.services.doctor.promises import check_promises
from engram.services.doctor.quarantine import find_quarantined
from engram.services.doctor.relations import check_relations
from engram.services.doctor.secret_scan import find_in_files
from engram.services.doctor.secret_scan import find_in_journal
from engram.services.doctor.store_checks import check_database
from engram.services.doctor.store_checks import check_database_lightly
from engram.services.doctor.store_checks import check_decisions
from engram.services.doctor.store_checks import check_encryption
from engram.services.doctor.store_checks import check_forgetting
from engram.services.doctor.store_checks import check_format
from engram.services.doctor.store_checks import check_history
from engram.services.doctor.store_checks import check_journal
from engram.services.doctor.store_checks import check_mirror
from engram.services.doctor.store_checks import check_tensions

STALE_S = 60.0  # seconds after which a temporary file is left over, not in the making


def examine(checkup: Checkup, progress: Progress = tell_nobody) -> list[Finding]:
    """Run every check and return what was found, worst first. Raises StoreBusyError when a writer keeps the store."""
    told = _Told(progress, len(LIGHT_CHECKS) + len(STORE_CHECKS) + len(INDEX_CHECKS))
    found = [finding for check in LIGHT_CHECKS for finding in told.run(check)(checkup)]
    if checkup.paths.locks.is_dir():  # without it nothing can be held; the finding says so
        in_store = [finding for check in STORE_CHECKS for finding in _held(told.run(check), checkup)]
        found += {(finding.code, finding.path, finding.message): finding for finding in in_store}.values()
        found += [finding for check in INDEX_CHECKS for finding in told.run(check)(checkup)]
    return sorted(found, key=lambda finding: list(Level).index(finding.level))


class _Told:
    """Tells which check runs, and how many were run before it."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._total = total
        self._done = 0

    def run(self, check: Check) -> Check:
        """Tell that a check is run now, and return it."""
        self._progress(check.__name__.removeprefix("check_").replace("_", " "), self._done, self._total)
        self._done += 1
        return check


def _held(check: Check, checkup: Checkup) -> list[Finding]:
    """Run a check of the store while it is held; between two checks whoever waits to write may."""
    with checkup.hold_store():
        return list(_found_by(check, checkup))


def _found_by(check: Check, checkup: Checkup) -> Iterator[Finding]:
    """Yield what a check of the store finds; a database that cannot be asked to the end is a finding of its own."""
    try:
        yield from check(checkup)
    except DamagedDatabaseError as damage:
        yield checkup.finding("database-damaged", Level.ERROR, checkup.paths.database, damage.message)


def check_settings(paths: Paths) -> list[Finding]:
    """The settings read; nothing else can be looked at before they do."""
    try:
        load_settings(paths.settings)
    except SettingsError as problem:
        name, message = paths.settings.name, problem.message
        return [Finding(code="settings-invalid", level=Level.ERROR, path=name, message=message, command=problem.hint)]
    return []


def check_retired_keys(checkup: Checkup) -> Iterator[Finding]:
    """No key stands in the settings that was one once, and so does something else than it says."""
    path = checkup.paths.settings
    for retired, value, has_effect in iter_retired_values(tomllib.loads(read_own_text(path))):
        if has_effect:
            message = f"{retired.explanation}; its value still counts"
            command = f"engram config {retired.successor} {shlex.quote(str(value))}"
            yield checkup.finding("setting-renamed", Level.INFO, path, message, command)
        else:
            also = f", which stands there, too: {retired.key}" if retired.successor else "; the value there"
            message = f"{retired.explanation}{also} has no effect"
            yield checkup.finding(
                "setting-retired", Level.WARNING, path, message, f"take {retired.key} out of {path.name}"
            )


def check_kept_settings(checkup: Checkup) -> Iterator[Finding]:
    """engram.toml did not lose its end."""
    if was_cut(checkup.paths):
        copy = checkup.paths.relative(checkup.paths.kept_settings)
        message = f"it ends where {copy} goes on with settings; any engram config KEY VALUE says that this is meant"
        command = f"cp {copy} {checkup.paths.settings.name}"
        yield checkup.finding("settings-cut", Level.WARNING, checkup.paths.settings, message, command)


def check_folders(checkup: Checkup) -> Iterator[Finding]:
    """Every folder is there."""
    paths = checkup.paths
    for folder in paths.folders():  # below life/ the mirror makes them when it needs them; the index has its own check
        if not folder.is_dir() and folder != paths.index and folder.parent != paths.life:
            yield checkup.finding("folder-missing", Level.WARNING, folder, "the folder is not there")


def check_leftovers(checkup: Checkup) -> Iterator[Finding]:
    """No temporary file of an interrupted write lies about."""
    for root in (checkup.paths.state, checkup.paths.life):
        for path in sorted(root.rglob(".tmp-*")):
            if path.is_file() and checkup.now.timestamp() - path.stat().st_mtime > STALE_S:
                yield checkup.finding("leftover", Level.WARNING, path, "an interrupted write left its temporary file")


def check_spool(checkup: Checkup) -> Iterator[Finding]:
    """Nothing was set aside, and nothing waits."""
    spool = checkup.paths.spool
    for path in sorted((spool / "rejected").glob("*.json")):
        reason = path.with_suffix(".reason.txt")
        why = read_own_text(reason, errors="replace").splitlines()[:1] if reason.is_file() else []
        message = f"a file in the spool was no command: {''.join(why) or 'its reason is lost'}"
        yield checkup.finding("spool-rejected", Level.WARNING, path, message, f"cat {checkup.paths.relative(path)}")
    if newer := len(list((spool / "newer").glob("*.json"))):
        said = "a command was" if newer == 1 else f"{newer} commands were"
        message = f"{said} written by a newer Engram, and kept until that one applies it"
        yield checkup.finding("spool-newer", Level.WARNING, spool / "newer", message, NewerFormatError.default_hint)
    if waiting := len(list(spool.glob("[0-9]*.json"))):
        yield checkup.finding(
            "spool-waiting", Level.INFO, spool, f"{counted(waiting, 'command')} waiting to be applied", HEARTBEAT
        )


def check_shared_journal(checkup: Checkup) -> Iterator[Finding]:
    """Where the journal is shared, it is told where, when the server was last heard, and what waits for it."""
    journal = checkup.settings.journal
    if not journal.url:
        return
    heard = last_contact(checkup.paths)
    waiting = len(list(checkup.paths.spool.glob("[0-9]*.json")))
    said = [
        f"the journal is shared as {journal.workspace} at {journal.url}",
        f"last contact {to_iso(heard)}" if heard else "no contact with the server yet",
        f"{counted(waiting, 'command')} waiting for it" if waiting else "nothing waits for it",
    ]
    yield checkup.finding(
        "journal-shared", Level.INFO, checkup.paths.replica, "; ".join(said), "engram verify, which asks the server"
    )


def check_runs(checkup: Checkup) -> Iterator[Finding]:
    """A run that says it is running has a living process."""
    for path in sorted(checkup.paths.runs.glob("*.json")):
        record = read_object(path)
        if record is None:
            yield checkup.finding("run-damaged", Level.WARNING, path, "the record of a run does not read", HEARTBEAT)
        elif record.get("status") == "running" and not _has_live_process(record):
            message = f"the run says it is running, but its process {record.get('pid')} is gone"
            yield checkup.finding("run-dead", Level.WARNING, path, message)


def check_files_for_secrets(checkup: Checkup) -> Iterator[Finding]:
    """No file beside the journal holds a secret."""
    yield from find_in_files(checkup.paths)


def check_store_for_secrets(checkup: Checkup) -> Iterator[Finding]:
    """Nothing that was stored holds what is now known as a secret."""
    with suppress(UnreadableJournalError):  # the journal check's finding
        yield from find_in_journal(checkup.journal)


def check_for_orders(checkup: Checkup) -> Iterator[Finding]:
    """Nothing that was read tries to give orders to the agent."""
    with standing(checkup) as database:
        if database is not None:
            yield from find_quarantined(database, checkup.paths.root, checkup.settings.screen.patterns)


def check_names(checkup: Checkup) -> Iterator[Finding]:
    """Nobody is known under two names."""
    with standing(checkup) as database:
        if database is not None:
            yield from find_twice(database)


LIGHT_CHECKS: tuple[Check, ...] = (
    check_forgetting,
    check_retired_keys,
    check_kept_settings,
    check_history,
    check_folders,
    check_modes,
    check_format,
    check_encryption,
    check_leftovers,
    check_spool,
    check_shared_journal,
    check_runs,
    check_files_for_secrets,
)
STORE_CHECKS: tuple[Check, ...] = (
    check_journal,
    check_clock,
    check_database,
    check_mirror,
    check_tensions,
    check_decisions,
    check_store_for_secrets,
    check_for_orders,
    check_names,
    check_relations,
    check_promises,
    check_named_things,
)
# The heartbeat's: it looks at spool and index and for secrets by itself.
SHORT_CHECKS: tuple[Check, ...] = (check_kept_settings, check_folders, check_folder_modes, check_leftovers, check_runs)
DAILY_CHECKS: tuple[Check, ...] = (check_forgetting, check_journal, check_database_lightly, check_mirror)
INDEX_CHECKS: tuple[Check, ...] = (check_index,)  # never while the store is held: recall takes the two the other way


def read_object(path: Path) -> dict[str, Any] | None:
    """Return the JSON object that a file holds, or None when it does not read as one."""
    try:
        found = load_json(read_own(path))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _has_live_process(record: dict[str, Any]) -> bool:
    pid = record.get("pid")
    return isinstance(pid, int) and is_alive(pid)
