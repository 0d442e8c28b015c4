"""The maintenance phase as the runner sees it: projections brought up to date, long notes rotated, everything checked.

A run that finds everything as it left it is skipped: it asks no child and writes nothing. What could not be done leaves
no such mark, so the next run tries again.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any
from typing import NamedTuple

from engram.base.disk.safe_files import read_within
from engram.base.text import sha256_hex
from engram.config.kept_settings import keep_settings
from engram.errors import EngramError
from engram.errors import JournalAwayError
from engram.errors import NotFoundError
from engram.errors import RefusedError
from engram.heartbeat.child.child_answer import ask_child
from engram.heartbeat.child.phase_result import SKIPPED
from engram.heartbeat.child.phase_result import SUCCEEDED
from engram.heartbeat.child.phase_result import WARNING
from engram.heartbeat.child.phase_result import PhaseResult
from engram.heartbeat.child.phase_result import PhaseTask
from engram.heartbeat.child.prompts import maintenance_prompt
from engram.heartbeat.child.run_records import RunRecords
from engram.heartbeat.intake.observations import apply_observations
from engram.heartbeat.intake.unread import CONSUMER
from engram.heartbeat.intake.unread import iter_note_files
from engram.heartbeat.intake.used_facts import propose_used
from engram.heartbeat.intake.watermark_keys import NOTE_KEY
from engram.heartbeat.maintenance.daily_checks import check_daily
from engram.heartbeat.maintenance.daily_checks import check_shortly
from engram.heartbeat.maintenance.daily_checks import rescan
from engram.heartbeat.maintenance.daily_checks import sentence_of
from engram.heartbeat.maintenance.daily_checks import sentences_of
from engram.heartbeat.maintenance.safety import keep_safe
from engram.heartbeat.maintenance.state import MaintenanceState
from engram.heartbeat.maintenance.state import load_state
from engram.heartbeat.maintenance.state import save_state
from engram.heartbeat.report.alerts import SERVER_AWAY
from engram.heartbeat.report.fingerprint import workspace_fingerprint
from engram.operations.use_count import fold_accesses
from engram.ports.index import by_words_alone
from engram.rules.notes.rotation import rotated_from
from engram.services.mirror.report import mirror_warnings
from engram.services.silo.rotation import LONG_KB
from engram.services.silo.rotation import grows_for_ever
from engram.services.silo.rotation import rotate
from engram.workspace import Workspace

STALE_RESULT_S = 86_400.0  # a result that nobody fetched for a day has nobody who waits for it


class _Work(NamedTuple):
    """What was done before anybody was asked."""

    stats: dict[str, Any]
    alerts: list[str]
    left_undone: bool  # something failed and is to be tried again


def run_maintenance(task: PhaseTask) -> PhaseResult:
    """Bring all projections up to date, clear what is stale, rotate and check, and let the child say what matters."""
    workspace = task.workspace
    state = load_state(workspace.paths.maintenance_state)
    goes_on = bool(workspace.index.unembedded()) and not task.allowance.is_used_up
    if state.look and not task.force and not goes_on and state.look == workspace_fingerprint(workspace):
        return PhaseResult(task.phase.name, SKIPPED, "nothing has changed since the last maintenance", {}, [])
    keep_settings(workspace.paths)
    runs = RunRecords(workspace.paths.runs)
    work = _do_work(task, runs)
    task.so_far.stats, task.so_far.alerts = work.stats, [*work.alerts]
    puts_off = _puts_off(task, state, work)
    look = "" if work.left_undone or puts_off else workspace_fingerprint(workspace) or ""
    state = state.model_copy(update={"look": "", "put_off": task.run_id if puts_off else state.put_off})
    state = state if puts_off else rescan(workspace, check_daily(workspace, state))
    save_state(workspace.paths.maintenance_state, state)  # what was found stays found, whatever a child does
    question = _question(workspace, runs, state)
    handoff = ask_child(task.without_agent(), question, "", "")
    seen = [*work.alerts, *handoff.alerts]
    task.so_far.alerts = seen
    alerts = [*seen]
    mark = sha256_hex("\n".join(sorted(seen)))
    if not task.preset or state.asked != mark:  # it counts its tokens: nothing is asked twice
        alerts += _ask_agent(task, question, seen)
        state = state.model_copy(update={"asked": mark})
        save_state(workspace.paths.maintenance_state, state)
    if look and look == workspace_fingerprint(workspace):  # else somebody wrote meanwhile: the next run sees to it
        save_state(workspace.paths.maintenance_state, state.model_copy(update={"look": look}))
    stats = {**work.stats, **handoff.stats, "notes_with_secrets": len(state.notes)}
    summary = "; ".join([handoff.summary, *_left(stats), *_news(stats)])
    changed = bool(_news(stats))
    return PhaseResult(task.phase.name, WARNING if alerts else SUCCEEDED, summary, stats, alerts, changed=changed)


def _puts_off(task: PhaseTask, state: MaintenanceState, work: _Work) -> bool:
    """Tell whether the longer looks wait for the next run.

    They look through all that was recorded. The first run over a long past has just made it, and has not even time for
    all vectors; it is the only one that leaves the looks to another.
    """
    is_long = bool(work.stats.get("index", {}).get("unembedded"))
    return is_long and state.checked_on is None and state.put_off in {"", task.run_id}


def _do_work(task: PhaseTask, runs: RunRecords) -> _Work:
    workspace = task.workspace
    stats: dict[str, Any] = {
        "results_cleared": workspace.spool.clear_results(STALE_RESULT_S),
        "runs_pruned": runs.prune(),
    }
    alerts: list[str] = []
    heads = []
    left_undone = False
    for name, catch_up in _projections(task).items():
        try:
            stats[name] = catch_up()
            heads.append(workspace.journal.head())
            alerts += mirror_warnings(stats[name]) if name == "mirror" else []
        except JournalAwayError:  # of which one sentence is enough, however many parts wait for it
            left_undone = True
            alerts += [] if SERVER_AWAY in alerts else [SERVER_AWAY]
        except EngramError as problem:
            left_undone = True
            alerts.append(f"{name}: {problem.message} ({problem.hint})")
    stats["rotated"], unread = _rotate_long(workspace)
    alerts += unread
    kept = keep_safe(workspace)
    stats["backup"], left_undone = kept.stats, left_undone or bool(kept.alerts)
    alerts += kept.alerts
    left_undone |= len({*heads}) > 1  # what was recorded after the uses is not in all of them
    return _Work(stats, alerts, left_undone)


def _projections(task: PhaseTask) -> dict[str, Callable[[], dict[str, Any]]]:
    workspace = task.workspace

    def maintain_index() -> dict[str, Any]:
        task.beside.stop_words()
        return workspace.index.maintain(task.allowance)

    def count_uses() -> dict[str, Any]:
        counted_uses = fold_accesses(workspace)
        proposed = propose_used(workspace, phase=task.phase.name) if counted_uses["facts"] else 0
        return {**counted_uses, "proposed": proposed}

    # Uses are counted first: they decide what is hot in the mirror. Vectors take longest, and may go on next time.
    return {"accesses": count_uses, "mirror": workspace.store.refresh_mirror, "index": maintain_index}


def _rotate_long(workspace: Workspace) -> tuple[list[str], list[str]]:
    """Rotate the notes without a date that have grown too long; return their paths, and an alert for each unread one.

    One that extraction has not read to its end waits, and one that cannot be divided stays: the child names it.
    """
    limit = LONG_KB * 1024
    wanted = [path for path, size in _sizes(workspace).items() if size > limit and grows_for_ever(path)]
    if not wanted:
        return [], []
    with workspace.reading() as database:
        read = database.watermarks(CONSUMER)
    rotated, alerts = [], []
    for path in wanted:
        try:
            if read.get(NOTE_KEY + path) == sha256_hex(read_within(workspace.paths.root, path)):
                rotated.append(rotate(workspace.files, path, limit // 2).path)
        except (RefusedError, NotFoundError):
            continue
        except OSError as problem:
            alerts.append(f"{path} was not looked at: {problem.strerror or problem}")
    return rotated, alerts


def _sizes(workspace: Workspace) -> dict[str, int]:
    """Return the bytes of each note by its path; one that is gone meanwhile is none."""
    sizes = {}
    for file in iter_note_files(workspace.paths.memory):
        with suppress(OSError):
            sizes[workspace.paths.relative(file)] = file.lstat().st_size
    return sizes


def _question(workspace: Workspace, runs: RunRecords, state: MaintenanceState) -> dict[str, Any]:
    """Return what the child is given; see `answering.maintenance`."""
    sizes = {path: size for path, size in _sizes(workspace).items() if rotated_from(path) is None}
    limit = LONG_KB * 1024
    return {
        "waiting": len(workspace.spool.waiting()),
        "rejected": len(workspace.spool.rejected()),
        "runs": len(runs.ids()),
        "notes": len(sizes),
        "large_notes": [{"path": path, "bytes": size} for path, size in sizes.items() if size > limit],
        "limit_kb": LONG_KB,
        "findings": [sentence_of(finding) for finding in check_shortly(workspace)] + sentences_of(state),
    }


def _ask_agent(task: PhaseTask, question: dict[str, Any], seen: list[str]) -> list[str]:
    """Let the agent, where there is one, say what the findings have in common; record its observations."""
    if not task.agent_command or not seen:
        return []
    rows = [{"finding": sentence} for sentence in seen] + [
        {"note": one["path"], "bytes": one["bytes"]} for one in question["large_notes"]
    ]
    prompt = maintenance_prompt({"findings": rows}, task.workspace.settings.heartbeat.agent_tokens)
    handoff = ask_child(task, {}, prompt.text, prompt.given)
    learned = apply_observations(task.workspace, handoff.observations, phase=task.phase.name)
    return [f"{task.phase.name}: {alert}" for alert in (*handoff.alerts, *learned.alerts)]


def _left(stats: dict[str, Any]) -> list[str]:
    """Return what goes on next time."""
    left = stats.get("index", {}).get("unembedded", 0)
    return [by_words_alone(left)] if left else []


def _news(stats: dict[str, Any]) -> list[str]:
    """Return what a person may want to know although there is nothing to do."""
    demoted = stats.get("mirror", {}).get("demoted") or {}
    held = stats.get("mirror", {}).get("held_since")
    parts = []
    if demoted.get("left_hot") or demoted.get("left_warm"):
        parts.append(f"facts that left hot: {demoted['left_hot']}, warm: {demoted['left_warm']}")
        if held:
            parts.append(f"{demoted['left_summaries']} of them are held in the summaries")
    if proposed := stats.get("accesses", {}).get("proposed"):
        often = "fact that is often asked for waits" if proposed == 1 else "facts that are often asked for wait"
        parts.append(f"{proposed} {often} in the review for a line of MEMORY.md")
    if stats["rotated"]:
        parts.append(f"moved the oldest sections of {', '.join(stats['rotated'])} into archives")
    return parts
