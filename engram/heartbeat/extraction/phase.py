"""The extraction phase as the runner sees it: batches of unread text to the child, its facts into the journal."""

import time
from collections import Counter
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from engram.heartbeat.child.child_answer import ask_child
from engram.heartbeat.child.phase_result import SKIPPED
from engram.heartbeat.child.phase_result import SUCCEEDED
from engram.heartbeat.child.phase_result import WARNING
from engram.heartbeat.child.phase_result import PhaseFailedError
from engram.heartbeat.child.phase_result import PhaseResult
from engram.heartbeat.child.phase_result import PhaseTask
from engram.heartbeat.child.prompts import extraction_prompt
from engram.heartbeat.child.prompts import passage_room
from engram.heartbeat.child.prompts import row_bytes
from engram.heartbeat.extraction.batches import Batch
from engram.heartbeat.extraction.batches import built_in_chars
from engram.heartbeat.extraction.batches import split_batches
from engram.heartbeat.extraction.homes import Homes
from engram.heartbeat.extraction.kept_facts import record_facts
from engram.heartbeat.extraction.line_vectors import LineVectors
from engram.heartbeat.extraction.line_vectors import make_vectors
from engram.heartbeat.extraction.line_vectors import newest_first
from engram.heartbeat.extraction.line_vectors import seconds_for_judging
from engram.heartbeat.extraction.model_input import rows_worth_sending
from engram.heartbeat.extraction.passages import occasion_of
from engram.heartbeat.extraction.passages import passage_row
from engram.heartbeat.extraction.questions import Rows
from engram.heartbeat.extraction.questions import agent_question
from engram.heartbeat.extraction.questions import built_in_question
from engram.heartbeat.extraction.questions import find_whom
from engram.heartbeat.extraction.questions import passages_of
from engram.heartbeat.extraction.read_ahead import asking_ahead
from engram.heartbeat.extraction.subjects import entities_named
from engram.heartbeat.extraction.subjects import settle_subjects
from engram.heartbeat.extraction.too_little import too_little
from engram.heartbeat.extraction.unanswered import Unanswered
from engram.heartbeat.intake.observations import apply_observations
from engram.heartbeat.intake.second_look import TO_JUDGE_AGAIN
from engram.heartbeat.intake.second_look import second_look_marks
from engram.heartbeat.intake.second_look import waiting_for_second_look
from engram.heartbeat.intake.unread import Unread
from engram.heartbeat.intake.unread import collect_unread
from engram.heartbeat.intake.unread import makes_vectors
from engram.heartbeat.intake.watermark_keys import key_of
from engram.language.screen.secrets import redact
from engram.model.conversation import NoteEntry
from engram.model.conversation import Turn
from engram.model.handoff import Handoff
from engram.services.extract.lines.vectors import unpack_vectors

BUILT_IN_BATCH_CHARS = 400_000
"""Of one batch for the built-in child, see `built_in_chars`: 4,000 statements at most, of which seldom one makes more
than one fact, so that the facts of all fit into its answer."""

LONG_PAST = 2_000
"""Entries and turns from which on other processes do beside what the later phases will need: a few seconds of work."""

_CHILD_STATS = frozenset(["statements", "candidates", "about_nobody", "no_room"])  # what only the child can count
_TOLD = "reading what is new"
_WAITS = "too little is unread to ask an agent for today (heartbeat.agent_batch)"


class _Done(NamedTuple):
    """What became of a batch."""

    counts: dict[str, int]
    alerts: list[str]


_Count = Callable[[Batch, _Done], None]  # takes what became of a batch


def run_extraction(task: PhaseTask) -> PhaseResult:
    """Give everything unread to the child, batch by batch, and record its facts; each batch is one journal record.

    What there is no time for stays unread. So does a batch that fails, which ends the phase; but an agent is then asked
    about each note and session of it on its own, and about all that comes behind it: one note that it will not answer
    about keeps no other from being read.
    """
    unread = collect_unread(task.workspace, force=task.force, judging_run="" if task.agent_command else task.run_id)
    rows = len(unread.notes) + len(unread.turns)
    totals: Counter[str] = Counter(entries=0, turns=0)
    if unread.moves:
        totals["moved"] = len(unread.moves)
    alerts = [*unread.alerts]
    task.so_far.stats, task.so_far.alerts = totals, alerts

    def count(batch: Batch, done: _Done) -> None:
        totals.update(done.counts, entries=len(batch.notes), turns=len(batch.turns))
        alerts.extend(done.alerts)
        task.so_far.changed = _has_facts(totals)
        task.workspace.progress(_TOLD, totals["entries"] + totals["turns"], rows)

    if task.agent_command:
        waiting = 0 if task.force else too_little(task.workspace, unread)
        if waiting:
            return PhaseResult(task.phase.name, WARNING if alerts else SKIPPED, _WAITS, {"waiting": waiting}, alerts)
        _read_by_agent(task, unread, totals, count)
    else:
        _read_by_child(task, unread, count)
    return _result(task, unread, totals, alerts)


# --- the built-in child ------------------------------------------------------------------------------------------


def _read_by_child(task: PhaseTask, unread: Unread, count: _Count) -> None:
    """Let the built-in child read everything: the next batch while the facts of the one before are recorded."""
    workspace = task.workspace
    batches = [*split_batches(unread, BUILT_IN_BATCH_CHARS, measure=built_in_chars)]
    for batch in batches:
        if not batch.rows:
            count(batch, _recorded(task, batch, None))
    waiting = deque(batch for batch in batches if batch.rows)
    if not waiting:
        if unread.again:  # and it has gone
            _note_second_look(task, unread, LineVectors({}, set()))
        return
    made = _vectors(task, newest_first([*unread.notes, *unread.turns]))
    vectors = made.of_rows
    rows = len(unread.notes) + len(unread.turns)
    if rows >= LONG_PAST:
        task.beside.begin()
    workspace.progress(_TOLD, 0, rows)
    with asking_ahead(task) as ask:
        answer = ask(built_in_question(workspace, waiting[0], find_whom(workspace), vectors))
        while waiting:
            batch = waiting.popleft()
            handoff = answer.result()
            if waiting:
                whom = find_whom(workspace).after(handoff.facts)
                answer = ask(built_in_question(workspace, waiting[0], whom, vectors, batch.texts))
            count(batch, _recorded(task, batch, handoff))
    _note_second_look(task, unread, made)


def _note_second_look(task: PhaseTask, unread: Unread, made: LineVectors) -> None:
    """Note which sessions and notes are to be judged once more, when a model makes vectors at all."""
    if not makes_vectors(task.workspace):
        return
    with task.workspace.reading() as database:
        waiting = waiting_for_second_look(database)
    marks = second_look_marks([*unread.notes, *unread.turns], made.whole, waiting, unread.again, task.run_id)
    if marks:
        with task.workspace.writing("heartbeat") as recorder:
            recorder.record_together([], marks)
    left = {*waiting, *(mark.key for mark in marks if mark.value)} - {mark.key for mark in marks if not mark.value}
    if left:
        task.so_far.stats[TO_JUDGE_AGAIN] = len(left)


def _vectors(task: PhaseTask, rows: list[NoteEntry | Turn], *, without_secrets: bool = False) -> LineVectors:
    """Return the vectors of the lines of rows, of the first ones while there is time for them."""
    source = task.workspace.index.passage_vectors
    if source is None:
        return LineVectors({}, set())
    shown = passages_of(rows, Homes(task.workspace), without_secrets=without_secrets)
    begun = time.monotonic()
    budget_s = seconds_for_judging(task.workspace.settings.heartbeat.embedding_s, len(rows))
    made = make_vectors(source, shown, budget_s, task.workspace.progress)
    task.so_far.stats["judged_s"] = round(time.monotonic() - begun)
    return made


# --- an agent ----------------------------------------------------------------------------------------------------


def _read_by_agent(task: PhaseTask, unread: Unread, totals: Counter[str], count: _Count) -> None:
    """Let an agent read what there is time for, batch by batch."""
    deadline = time.monotonic() + task.timeout_s
    sent = _sent(task, unread) if task.preset else None
    waiting = deque(split_batches(unread, _room(task), by_worth=True, measure=_measure(task, sent)))
    unanswered = Unanswered()
    while waiting:
        batch = unanswered.left_of(waiting.popleft())
        if time.monotonic() >= deadline:
            totals["left_for_later"] += len(batch.texts)
            continue
        try:
            done = _ask_agent(task, batch, sent)
        except PhaseFailedError as problem:
            if problem.timed_out or problem.nobody_answers:
                raise
            waiting.extendleft(reversed(unanswered.note(batch, problem)))
            continue
        unanswered.in_a_row = 0
        count(batch, done)
    unanswered.tell()


def _sent(task: PhaseTask, unread: Unread) -> Rows:
    """Return by id the rows that are worth a preset's tokens, of everything unread."""
    homes = Homes(task.workspace)
    rows: list[NoteEntry | Turn] = [*unread.notes, *unread.turns]
    # What leaves for an agent, and perhaps for another machine, holds no secrets.
    passages = [
        {**passage_row(row, homes), "text": redact(row.text).text, "occasion": occasion_of(row)} for row in rows
    ]
    made = _vectors(task, newest_first(rows), without_secrets=True)
    packed = {text: vector for of_row in made.of_rows.values() for text, vector in of_row.items()}
    return rows_worth_sending(passages, unpack_vectors(packed))


def _room(task: PhaseTask) -> int:
    return passage_room(task.workspace.settings.heartbeat.agent_tokens)


def _measure(task: PhaseTask, sent: Rows | None) -> Callable[[NoteEntry | Turn], int]:
    """Return what tells how much of a prompt an entry or turn takes."""
    homes = Homes(task.workspace)

    def measure(row: NoteEntry | Turn) -> int:
        shown = passage_row(row, homes) if sent is None else sent.get(row.id)
        return row_bytes(shown) if shown else 0

    return measure


def _ask_agent(task: PhaseTask, batch: Batch, sent: Rows | None) -> _Done:
    """Ask the agent about one batch, and record its answer; what a preset need not see is only marked as read."""
    workspace = task.workspace
    if sent is None:
        passages = passages_of(batch.rows, Homes(workspace), without_secrets=True)
    else:
        passages = [sent[row.id] for row in batch.rows if row.id in sent]
    if not passages:
        return _recorded(task, batch, None)
    whom = find_whom(workspace)
    shown = whom if task.preset is None else whom._replace(known=entities_named(passages, whom.known, owner=whom.owner))
    question = agent_question(passages, shown)
    prompt = extraction_prompt(question, workspace.settings.heartbeat.agent_tokens)
    handoff = ask_child(task, question, prompt.text, prompt.given)
    if task.preset:
        settled = settle_subjects(handoff.facts, passages, whom.known, owner=whom.owner)
        handoff = handoff.model_copy(update={"facts": tuple(settled)})
    done = _recorded(task, batch, handoff)
    if prompt.shortened:
        why = f"{batch.where} is larger than a prompt: the agent was given its beginning"
        done.alerts.append(f"{task.phase.name}: {why}")
    return done


# --- either ------------------------------------------------------------------------------------------------------


def _recorded(task: PhaseTask, batch: Batch, handoff: Handoff | None) -> _Done:
    """Record what an answer says of a batch, None where nothing was asked, and that the batch was read."""
    name = task.phase.name
    if handoff is None:
        return _Done(*record_facts(task.workspace, batch, (), ()))
    learned = apply_observations(task.workspace, handoff.observations, phase=name)
    said = {key: count for key, count in handoff.stats.items() if key in _CHILD_STATS and type(count) is int}
    told = [*handoff.alerts, *learned.alerts]
    if no_room := said.get("no_room", 0):
        told.append(f"{batch.where} says more than one answer holds; its {no_room} least sure facts were left out")
    counts, alerts = record_facts(task.workspace, batch, handoff.facts, find_whom(task.workspace).known)
    return _Done({**said, **counts}, [*(f"{name}: {alert}" for alert in told), *alerts])


def _result(task: PhaseTask, unread: Unread, totals: Counter[str], alerts: list[str]) -> PhaseResult:
    if not unread.notes and not unread.turns:
        status = WARNING if alerts else SUCCEEDED if unread.moves else SKIPPED
        stats = {**totals, "facts_written": 0}
        summary = f"{len(unread.moves)} note entries stand elsewhere now" if unread.moves else "nothing new to read"
        return PhaseResult(task.phase.name, status, summary, stats, alerts)
    facts = sum(totals[name] for name in ("created", "superseded", "tension", "quarantined"))
    read = [(totals["entries"], "note entry", "note entries"), (totals["turns"], "turn", "turns")]
    sources = " and ".join(_counted(*one) for one in read if one[0]) or "nothing that there was time for"
    is_again = all(key_of(row) in unread.again for rows in (unread.notes, unread.turns) for row in rows)
    summary = f"{_counted(facts, 'fact', 'facts')} from {sources}{', read once more' * is_again}"
    status = WARNING if alerts else SUCCEEDED
    stats = {**totals, "facts_written": facts}
    return PhaseResult(task.phase.name, status, summary, stats, alerts, changed=_has_facts(totals))


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _has_facts(totals: Counter[str]) -> bool:
    return any(totals[name] for name in ("created", "confirmed", "superseded", "tension", "quarantined"))
