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
from engram.model.entity import Entity
from engram.model.handoff import HandoffFact

AGENT_BATCH_CHARS = 60_000  # about 15,000 tokens: what a model reads with attention
BUILT_IN_BATCH_CHARS = 4_000_000
BACKGROUND_ENTRIES = 2000  # entries read before that count as evidence for new names


def run_extraction(task: PhaseTask) -> PhaseResult:
    """Give everything unread to the child, batch by batch, and record its facts; each batch is one journal record.

    A batch that fails stays unread and ends the phase; what came before it is kept.
    """
    workspace = task.workspace
    with workspace.reading() as database:
        unread = collect_unread(
            database, workspace.paths.root, workspace.paths.memory, agent=workspace.settings.agent, force=task.force
        )
        background = [note.text for note in database.list_notes()[-BACKGROUND_ENTRIES:]] if unread.notes else []
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
        return PhaseResult(task.phase.name, status, "nothing new to read", dict(totals), alerts)
    facts = sum(totals[name] for name in ("created", "superseded", "tension", "quarantined"))
    summary = f"{facts} facts from {len(unread.notes)} note entries and {len(unread.turns)} turns"
    status = WARNING if alerts else SUCCEEDED
    return PhaseResult(task.phase.name, status, summary, dict(totals), alerts, changed=_has_facts(totals))


def _has_facts(totals: Counter[str]) -> bool:
    return any(totals[name] for name in ("created", "confirmed", "superseded", "tension", "quarantined"))


def _run_batch(task: PhaseTask, batch: Batch, background: Sequence[str]) -> tuple[dict[str, int], list[str]]:
    workspace = task.workspace
    with workspace.reading() as database:
        entities = database.list_entities()
    index = NameIndex(Known(entity.path, (entity.title, *entity.aliases)) for entity in entities)
    facts: Sequence[HandoffFact] = ()
    alerts: list[str] = []
    if batch.texts:
        passages = _passages(batch)
        question = {
            "passages": passages,
            "entities": [{"path": entity.path, "names": [entity.title, *entity.aliases]} for entity in entities],
            "owner": workspace.settings.owner,
            "min_mentions": workspace.settings.heartbeat.min_mentions,
            "background": list(background),
        }
        prompt = _prompt(task, entities, passages) if task.agent_command else ""
        handoff = ask_child(task, question, prompt, "\n".join(batch.texts))
        facts, alerts = handoff.facts, [f"{task.phase.name}: {alert}" for alert in handoff.alerts]
    drafted = draft_commands(facts, batch, index, workspace.now())
    with workspace.writing("heartbeat") as recorder:
        results = recorder.record_together(drafted.envelopes, batch.marks)
    counts, refused = count_outcomes(results)
    return counts, [*alerts, *drafted.alerts, *refused]


def _passages(batch: Batch) -> list[dict[str, Any]]:
    notes = [{"id": note.id, "text": note.text, "headings": list(note.heading)} for note in batch.notes]
    turns = [{"id": turn.id, "text": turn.text, "is_turn": True, "speaker": turn.speaker} for turn in batch.turns]
    return [*notes, *turns]


def _prompt(task: PhaseTask, entities: Sequence[Entity], passages: Sequence[dict[str, Any]]) -> str:
    slots = {
        "owner": task.workspace.settings.owner,
        "entities": "\n".join(f"{entity.path}: {', '.join([entity.title, *entity.aliases])}" for entity in entities),
        "entries": "\n".join(json.dumps(passage, ensure_ascii=False) for passage in passages),
    }
    return fill_template(task.phase.template, slots)
