"""The synthesis phase as the runner sees it: roll-ups of weeks and months, candidates for wisdom, notes moved away.

Weeks are written before months are looked at, so that a late note reaches both in one run. Each batch of roll-ups is
one journal record, and so are the candidates with the position up to which facts were looked at. A phase that has
nothing to do asks no child and writes nothing. When an agent command is set, the built-in child drafts and the agent
words; what it says is screened, bounded, and kept between the marker and the sources that the runner adds.
"""

import dataclasses
import datetime as dt
import functools
from collections import Counter
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Any
from typing import Final

from engram.base.clock import local_day
from engram.heartbeat.child.child_answer import ask_child
from engram.heartbeat.child.phase_result import SKIPPED
from engram.heartbeat.child.phase_result import SUCCEEDED
from engram.heartbeat.child.phase_result import WARNING
from engram.heartbeat.child.phase_result import PhaseFailedError
from engram.heartbeat.child.phase_result import PhaseResult
from engram.heartbeat.child.phase_result import PhaseTask
from engram.heartbeat.child.work_ahead import MARK
from engram.heartbeat.intake.observations import apply_observations
from engram.heartbeat.intake.observations import apply_suggestions
from engram.heartbeat.intake.unread import shown_path
from engram.heartbeat.synthesis.agent_text import word_proposals
from engram.heartbeat.synthesis.agent_text import word_rollups
from engram.heartbeat.synthesis.evidence import Gathered
from engram.heartbeat.synthesis.evidence import gather
from engram.heartbeat.synthesis.note_archive import find_archivable
from engram.heartbeat.synthesis.note_archive import move_notes
from engram.heartbeat.synthesis.note_archive import place_marks
from engram.heartbeat.synthesis.note_archive import without_restored
from engram.heartbeat.synthesis.rollup_sources import why_not
from engram.heartbeat.synthesis.rollups import CONSUMER
from engram.heartbeat.synthesis.rollups import Mark
from engram.heartbeat.synthesis.rollups import Rollup
from engram.heartbeat.synthesis.rollups import Survey
from engram.heartbeat.synthesis.rollups import mark_of
from engram.heartbeat.synthesis.rollups import read_marks
from engram.heartbeat.synthesis.rollups import render
from engram.heartbeat.synthesis.rollups import still_due
from engram.heartbeat.synthesis.rollups import survey_months
from engram.heartbeat.synthesis.rollups import survey_weeks
from engram.heartbeat.synthesis.rollups import to_watermark
from engram.heartbeat.synthesis.rollups import write_rollup
from engram.language.screen.secrets import redact
from engram.model.conversation import Watermark
from engram.model.handoff import Handoff
from engram.model.handoff import HandoffProposal
from engram.rules.life.promotion import TOLD
from engram.rules.notes.rollup import WEEKLY
from engram.rules.notes.rollup import items_of
from engram.rules.notes.rollup import month_of
from engram.services.synthesis.patterns import pattern_key

BATCH_CHARS: Final = 4_000_000  # of the notes of one question
ROLLUP_LINES: Final = 60  # that a roll-up has at most
AGENT_ROLLUPS: Final = 4  # of one batch when an agent words them: what it said is kept when a later one fails
FIRST_WEEKS: Final = 12  # that a run writes which has a long past to read besides; the next run writes the others
WEEKS_LEFT: Final = "weeks_left"  # of the figures of a run: weeks that wait for the next one
MOST_TOLD: Final = 500  # candidates that one look tells of; the next look tells of others
_SAID: Final = {
    "weekly": ("week rolled up", "weeks rolled up"),
    "monthly": ("month rolled up", "months rolled up"),
    "proposed": ("candidate for wisdom", "candidates for wisdom"),
    "applied": ("of them applied", "of them applied"),
    "archived": ("daily note moved to archives", "daily notes moved to archives"),
}


def run_synthesis(task: PhaseTask) -> PhaseResult:
    """Write the roll-ups that are due, tell what comes again and again, and move away what is held for good."""
    workspace = task.workspace
    totals: Counter[str] = Counter()
    alerts: list[str] = []
    task.so_far.stats, task.so_far.alerts = totals, alerts
    with workspace.reading() as database:
        known = database.watermarks(CONSUMER)
        gathered = gather(workspace, database, known, force=task.force)
    alerts += gathered.alerts
    marks = read_marks(known)
    weeks = _survey(task, survey_weeks, marks, alerts)
    now = _of_this_run(task, weeks)
    waiting = [one for one in weeks if one not in now]
    if waiting:
        totals[WEEKS_LEFT] = len(waiting)
    _roll_up(task, now, totals, alerts)
    unfinished = {_month_file(one) for one in waiting}  # months are made of the weeks that stand there
    months = _survey(task, survey_months, marks, alerts)
    _roll_up(task, [one for one in months if one.path not in unfinished], totals, alerts)
    _tell(task, gathered, known, totals, alerts)
    totals["archived"] = _archive(task, known, alerts)
    return _result(task, totals, alerts)


def ask_ahead(task: PhaseTask) -> None:
    """Have the weeks drafted that are due now, beside what else the run does; the phase asks what it lacks then.

    A draft is of the notes as they stand: when they change meanwhile, the question is another one.
    """
    workspace = task.workspace
    alone = dataclasses.replace(task, run_id=task.run_id + MARK, adopts_orphans=False)
    with workspace.reading() as database:
        marks = read_marks(database.watermarks(CONSUMER))
    found = survey_weeks(workspace.paths, marks, local_day(workspace.now(), workspace.settings.zone))
    for batch in _batches(_of_this_run(task, found.due), is_agent=bool(task.agent_command)):
        question = _question(task, batch)
        task.beside.ask(question, functools.partial(_asked, alone, question, batch))


def _result(task: PhaseTask, totals: Counter[str], alerts: list[str]) -> PhaseResult:
    done = [
        f"{totals[name]} {one if totals[name] == 1 else many}" for name, (one, many) in _SAID.items() if totals[name]
    ]
    status = WARNING if alerts else SUCCEEDED if done or totals["looked_at"] else SKIPPED
    if left := totals[WEEKS_LEFT]:
        done.append(f"{left} older {'week waits' if left == 1 else 'weeks wait'} for the next run")
    summary = ", ".join(done) or "nothing new"
    return PhaseResult(task.phase.name, status, summary, dict(totals), alerts, changed=_has_changed(totals))


def _has_changed(totals: Counter[str]) -> bool:
    return any(totals[name] for name in _SAID)


# --- roll-ups ----------------------------------------------------------------------------------------------------


def _survey(
    task: PhaseTask,
    survey: Callable[[Any, dict[str, Mark], dt.date], Survey],
    marks: dict[str, Mark],
    alerts: list[str],
) -> list[Rollup]:
    """Return the roll-ups that are due; what a person wrote by hand is noted and told."""
    workspace = task.workspace
    found = survey(workspace.paths, marks, local_day(workspace.now(), workspace.settings.zone))
    alerts += found.alerts
    if found.marks:
        with workspace.writing("heartbeat") as recorder:
            recorder.record_together([], found.marks)
    return found.due


def _of_this_run(task: PhaseTask, due: list[Rollup]) -> list[Rollup]:
    """Return the weeks that this run rolls up: the newest, where it has a long past to read besides."""
    if not task.beside.has_begun:
        return due
    if task.beside.weeks is None:
        newest = sorted(due, key=lambda one: (one.period.last, one.path), reverse=True)[:FIRST_WEEKS]
        task.beside.weeks = frozenset(one.path for one in newest)
    chosen = task.beside.weeks
    return [one for one in due if one.path in chosen]


def _month_file(week: Rollup) -> str:
    """Return the file of the month that a week belongs to."""
    silo = week.path.removesuffix(week.period.file)
    return silo + month_of(week.period).file


def _roll_up(task: PhaseTask, due: Sequence[Rollup], totals: Counter[str], alerts: list[str]) -> None:
    for batch in _batches(due, is_agent=bool(task.agent_command)):
        _write(task, batch, _bodies(task, batch), totals, alerts)


def _batches(due: Sequence[Rollup], *, is_agent: bool) -> Iterator[list[Rollup]]:
    batch: list[Rollup] = []
    size = 0
    for rollup in due:
        chars = sum(map(len, rollup.texts))
        if batch and (size + chars > BATCH_CHARS or (is_agent and len(batch) >= AGENT_ROLLUPS)):
            yield batch
            batch, size = [], 0
        batch.append(rollup)
        size += chars
    if batch:
        yield batch


def _bodies(task: PhaseTask, batch: Sequence[Rollup]) -> dict[str, str]:
    """Return file -> body as the child wrote it."""
    question = _question(task, batch)
    handoff = task.beside.answer_to(question) or _asked(task, question, batch)
    bodies = {one.name: one.text for one in handoff.summary_content}
    if set(bodies) != {one.path for one in batch}:
        raise PhaseFailedError("the answer is not about the roll-ups that were asked for")
    if task.agent_command:
        bodies |= word_rollups(task, question["rollups"], bodies)
    return {name: redact(text).text for name, text in bodies.items()}


def _question(task: PhaseTask, batch: Sequence[Rollup]) -> dict[str, Any]:
    settings = task.workspace.settings
    rollups = [_as_question(one, ROLLUP_LINES) for one in batch]
    return {"rollups": rollups, "patterns": list(settings.screen.patterns)}


def _asked(
    task: PhaseTask, question: dict[str, Any], batch: Sequence[Rollup], check: Callable[[], None] | None = None
) -> Handoff:
    return ask_child(task.without_agent(), question, "", "", names=[one.path for one in batch], check=check)


def _as_question(rollup: Rollup, limit: int) -> dict[str, Any]:
    """Return what the child is asked for one roll-up; see `answering.synthesis` for the keys."""
    is_week = rollup.period.kind == WEEKLY
    notes = zip(rollup.days, rollup.links, rollup.texts, strict=True)
    return {
        "file": rollup.path,
        "kind": rollup.period.kind,
        "title": rollup.period.title,
        "limit": limit,
        "carried": [list(item) for item in rollup.carried],
        "notes": [{"day": str(day), "link": link, "text": text} for day, link, text in notes] if is_week else [],
        "weeks": [] if is_week else [[list(item) for item in items_of(text)] for text in rollup.texts],
    }


def _write(
    task: PhaseTask, batch: Sequence[Rollup], bodies: dict[str, str], totals: Counter[str], alerts: list[str]
) -> None:
    paths = task.workspace.paths
    with task.workspace.writing("heartbeat") as recorder:
        known = read_marks(recorder.database.watermarks(CONSUMER))
        due = still_due(paths, batch, known, alerts)
        contents = [(one, render(one, bodies[one.path]) if bodies[one.path].strip() else None) for one in due]
        # First what is about to be written: a file that is neither this nor what stood there is a person's.
        marks = {one.path: mark_of(paths, one, content) for one, content in contents}
        news = [to_watermark(path, mark) for path, mark in marks.items() if mark != known.get(path)]
        recorder.record_together([], news)
        for one, content in contents:
            if content is not None and write_rollup(task.workspace.files, one, content, alerts):
                totals[one.period.kind] += 1
                task.so_far.changed = True


# --- wisdom ------------------------------------------------------------------------------------------------------


def _tell(task: PhaseTask, gathered: Gathered, known: dict[str, str], totals: Counter[str], alerts: list[str]) -> None:
    if gathered.question is None:
        return
    totals["looked_at"] = sum(len(entity["facts"]) for entity in gathered.question["entities"])
    told = {key.removeprefix(TOLD): int(value) for key, value in known.items() if key.startswith(TOLD)}
    handoff = ask_child(task.without_agent(), {**gathered.question, "told": told, "most": MOST_TOLD}, "", "")
    news = list(handoff.proposals)
    totals["left_for_later"] = int(handoff.stats.get("left", 0))
    if news and task.agent_command:
        news = word_proposals(task, news, gathered.texts)
    marks = [
        Watermark(
            consumer=CONSUMER,
            key=TOLD + pattern_key(one.target, one.abstraction, one.sources),
            value=str(_occasions(one, gathered)),
        )
        for one in news
    ]
    marks += [] if totals["left_for_later"] else [gathered.mark]
    learned = apply_observations(task.workspace, proposals=news, phase=task.phase.name, watermarks=marks)
    totals["proposed"] = learned.opened
    alerts += [f"a candidate was {why}" for why in learned.alerts]
    if task.workspace.settings.synthesis.wisdom == "apply":
        totals["applied"], refused = apply_suggestions(task.workspace)
        alerts += refused


def _occasions(one: HandoffProposal, gathered: Gathered) -> int:
    return len(frozenset().union(*(gathered.occasions.get(source, frozenset()) for source in one.sources)))


# --- notes moved away --------------------------------------------------------------------------------------------


def _archive(task: PhaseTask, known: dict[str, str], alerts: list[str]) -> int:
    workspace = task.workspace
    days = workspace.settings.synthesis.archive_after_days
    if not days:
        return 0
    before = local_day(workspace.now(), workspace.settings.zone) - dt.timedelta(days=days)
    moves = find_archivable(workspace.paths, before, known)
    if not moves:
        return 0
    with workspace.writing("heartbeat") as recorder:
        moves = without_restored(workspace.paths, moves, recorder.database.watermarks(CONSUMER))
        recorder.record_together([], place_marks(workspace.paths, moves, recorder.database))
        problems = move_notes(workspace.files, moves)
    alerts += [
        f"{shown_path(workspace.paths.relative(move.before))} is not moved to archives/: {why_not(problem)}"
        for move, problem in problems
    ]
    return len(moves) - len(problems)
