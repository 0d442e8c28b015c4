"""The longer looks of maintenance: the checks of doctor, once a day, and secrets in what came since the last look.

What such a look found is told by every run until a later look does not find it any more. Nothing is mended here: a
finding names the command that does.
"""

from collections.abc import Iterable

from engram.base.clock import local_day
from engram.config.paths import Paths
from engram.errors import UnreadableJournalError
from engram.heartbeat.maintenance.state import MaintenanceState
from engram.model.finding import Finding
from engram.model.finding import Level
from engram.operations.examine import checkup_of
from engram.ports.journal import Journal
from engram.services.doctor import secret_scan
from engram.services.doctor.check import Checkup
from engram.services.doctor.checks import DAILY_CHECKS
from engram.services.doctor.checks import SHORT_CHECKS
from engram.workspace import Workspace

_MOST_SENTENCES = 50  # of one look; more of them say nothing more


def check_shortly(workspace: Workspace) -> list[Finding]:
    """Return what the checks find that cost next to nothing."""
    checkup = checkup_of(workspace, "heartbeat")
    return [finding for check in SHORT_CHECKS for finding in _serious(check(checkup))]


def check_daily(workspace: Workspace, state: MaintenanceState) -> MaintenanceState:
    """Run the other checks unless that was done today, and return the state with what they found."""
    today = local_day(workspace.now(), workspace.settings.zone)
    if state.checked_on == today:
        return state
    found = _run_checks(checkup_of(workspace, "heartbeat"))
    sentences = tuple(sentence_of(finding) for finding in found[:_MOST_SENTENCES])
    return state.model_copy(update={"checked_on": today, "checks": sentences})


def rescan(workspace: Workspace, state: MaintenanceState) -> MaintenanceState:
    """Look for secrets in what came since the last look, or in everything when other patterns are known now."""
    patterns, changed_ns = secret_scan.patterns_digest(), secret_scan.newest_change(workspace.paths)
    if patterns != state.patterns:
        state = state.model_copy(update={"scanned": 0, "changed_ns": 0, "stored": (), "files": {}, "notes": ()})
    files = {path: said for path, said in state.files.items() if not _was_changed(workspace.paths, path, state)}
    notes = {path for path in state.notes if not _was_changed(workspace.paths, path, state)}
    for finding in secret_scan.find_in_files(workspace.paths, state.changed_ns):
        if finding.level == Level.INFO:  # what people write into their own notes is theirs
            notes.add(finding.path)
        else:
            files.setdefault(finding.path, sentence_of(finding))
    update = {"patterns": patterns, "changed_ns": changed_ns, "files": files, "notes": tuple(sorted(notes))}
    return _rescan_journal(workspace.journal, state).model_copy(update=update)


def sentences_of(state: MaintenanceState) -> list[str]:
    """Return everything that the longer looks found."""
    return [*state.checks, *state.stored, *list(state.files.values())[:_MOST_SENTENCES]]


def sentence_of(finding: Finding) -> str:
    """Return a finding as an alert: what is wrong where, and the command that mends it."""
    return f"{finding.path}: {finding.message} ({finding.command})"


def _run_checks(checkup: Checkup) -> list[Finding]:
    found: list[Finding] = []
    if checkup.paths.locks.is_dir():  # without it nothing can be held; the short checks say so
        for check in DAILY_CHECKS:  # one by one, so that no writer waits for all of them
            with checkup.hold_store():
                found += _serious(check(checkup))
    return found


def _serious(findings: Iterable[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.level != Level.INFO]


def _was_changed(paths: Paths, path: str, state: MaintenanceState) -> bool:
    try:
        return (paths.root / path).lstat().st_ctime_ns >= state.changed_ns
    except OSError:
        return True  # it is gone


def _rescan_journal(journal: Journal, state: MaintenanceState) -> MaintenanceState:
    position = journal.head()[0]
    if position == state.scanned:
        return state
    # What was found may have been corrected since: then everything is read once more.
    after = 0 if state.stored else state.scanned
    try:
        found = _serious(secret_scan.find_in_journal(journal, after))
    except UnreadableJournalError:
        return state  # the journal check's finding
    sentences = tuple(sentence_of(finding) for finding in found[:_MOST_SENTENCES])
    return state.model_copy(update={"scanned": position, "stored": sentences})
