"""The extraction phase as the runner sees it: batches of unread text to the child, its facts into the journal."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from engram.heartbeat.applying import count_outcomes
from engram.heartbeat.applying import draft_commands
from engram.heartbeat.collecting import Batch
from engram.heartbeat.collecting import Unread
from engram.heartbeat.collecting import collect_unread
from engram.heartbeat.collecting import split_batches
from engram.heartbeat.guarding import leave_out_recalled
from engram.heartbeat.results import SKIPPED
from engram.heartbeat.results import SUCCEEDED
from engram.heartbeat.results import WARNING
from engram.heartbeat.results import PhaseFailedError
from engram.heartbeat.results import PhaseResult
from engram.heartbeat.results import PhaseTask
from engram.heartbeat.results import ask_child
from engram.heartbeat.results import failed
from engram.heartbeat.templates import fill_template
from engram.language.mentions import Known
from engram.language.mentions import NameIndex
from engram.language.secrets import redact
from engram.model.entity import Entity
from engram.model.handoff import HandoffFact
from engram.workspace import Workspace

AGENT_BATCH_CHARS = 60_000  # about 15,000 tokens: what a model reads with attention
BUILT_IN_BATCH_CHARS = 4_000_000
_CHILD_STATS = frozenset(["statements", "about_nobody_known"])  # what only the child can count
BACKGROUND_ENTRIES = 2000  # entries read before that count as evidence for new names


def run_extraction(task: PhaseTask) -> PhaseResult:
    """Give everything unread to the child, batch by batch, and record its facts; each batch is one journal record.

    A batch that fails stays unread and ends the phase; what came before it is kept.
    """
    workspace = task.workspace
    unread = collect_unread(workspace, force=task.force)
    background = _background(workspace) if unread.notes else []
    totals: Counter[str] = Counter(entries=len(unread.notes), turns=len(unread.turns))
    alerts = list(unread.alerts)
    try:
        for batch in split_batches(unread, AGENT_BATCH_CHARS if task.agent_command else BUILT_IN_BATCH_CHARS):
            counts, refused = _run_batch(task, batch, background)
            totals.update(counts)
            alerts += refused
    except PhaseFailedError as problem:
        result = failed(task.phase, problem.message, timed_out=problem.timed_out)
        return result._replace(stats=dict(totals), alerts=[*alerts, *result.alerts], changed=_has_facts(totals))
    return _result(task, unread, totals, alerts)


def _result(task: PhaseTask, unread: Unread, totals: Counter[str], alerts: list[str]) -> PhaseResult:
    if not unread.notes and not unread.turns:
        status = WARNING if alerts else SKIPPED
        stats = {**totals, "facts_written": 0}
        return PhaseResult(task.phase.name, status, "nothing new to read", stats, alerts)
    facts = sum(totals[name] for name in ("created", "superseded", "tension", "quarantined"))
    summary = f"{facts} facts from {len(unread.notes)} note entries and {len(unread.turns)} turns"
    status = WARNING if alerts else SUCCEEDED
    stats = {**totals, "facts_written": facts}
    return PhaseResult(task.phase.name, status, summary, stats, alerts, changed=_has_facts(totals))


def _has_facts(totals: Counter[str]) -> bool:
    return any(totals[name] for name in ("created", "confirmed", "superseded", "tension", "quarantined"))


def _run_batch(task: PhaseTask, batch: Batch, background: Sequence[str]) -> tuple[dict[str, int], list[str]]:
    workspace = task.workspace
    with workspace.reading() as database:
        entities = database.list_entities()
    index = NameIndex(Known(entity.path, (entity.title, *entity.aliases)) for entity in entities)
    facts: Sequence[HandoffFact] = ()
    said: dict[str, int] = {}
    alerts: list[str] = []
    if batch.texts:
        # What leaves for an agent, and perhaps for another machine, holds no secrets.
        passages = _passages(batch, without_secrets=bool(task.agent_command))
        question = {
            "passages": passages,
            "entities": [{"path": entity.path, "names": [entity.title, *entity.aliases]} for entity in entities],
            "owner": workspace.settings.owner,
            "min_mentions": workspace.settings.heartbeat.min_mentions,
            "background": list(background),
        }
        prompt = _prompt(task, entities, passages) if task.agent_command else ""
        handoff = ask_child(task, question, prompt, "\n".join(str(passage["text"]) for passage in passages))
        facts, alerts = handoff.facts, [f"{task.phase.name}: {alert}" for alert in handoff.alerts]
        said = {name: count for name, count in handoff.stats.items() if name in _CHILD_STATS and type(count) is int}
    news = leave_out_recalled(facts, batch, index, workspace.recalled())
    if len(news) < len(facts):
        said["recalled"] = len(facts) - len(news)
    drafted = draft_commands(news, batch, index, workspace.now(), workspace.settings.zone)
    with workspace.writing("heartbeat") as recorder:
        # Only --force asks for what was decided before; its old results are no news.
        fresh = [one for one in drafted.envelopes if recorder.database.command_result(one.id) is None]
        results = recorder.record_together(fresh, batch.marks)
    counts, refused = count_outcomes(results)
    return {**said, **counts}, [*alerts, *drafted.alerts, *refused]


def _background(workspace: Workspace) -> list[str]:
    with workspace.reading() as database:
        return [note.text for note in database.list_notes()[-BACKGROUND_ENTRIES:]]


def _passages(batch: Batch, *, without_secrets: bool) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [
        {"id": note.id, "text": note.text, "headings": list(note.heading)} for note in batch.notes
    ]
    rows += [{"id": turn.id, "text": turn.text, "is_turn": True, "speaker": turn.speaker} for turn in batch.turns]
    return [{**row, "text": redact(row["text"]).text} for row in rows] if without_secrets else rows


def _prompt(task: PhaseTask, entities: Sequence[Entity], passages: Sequence[dict[str, Any]]) -> str:
    slots = {
        "owner": task.workspace.settings.owner,
        "entities": "\n".join(f"{entity.path}: {', '.join([entity.title, *entity.aliases])}" for entity in entities),
        "entries": "\n".join(json.dumps(passage, ensure_ascii=False) for passage in passages),
    }
    return fill_template(task.phase.template, slots)
