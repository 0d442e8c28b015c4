"""The extraction phase as the runner sees it: batches of unread text to the child, its facts into the journal."""

import time
from collections import Counter
from collections import deque
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

from engram.base.text import fingerprint
from engram.heartbeat.applying import count_outcomes
from engram.heartbeat.applying import draft_commands
from engram.heartbeat.batching import Batch
from engram.heartbeat.batching import built_in_chars
from engram.heartbeat.batching import split_batches
from engram.heartbeat.batching import split_sources
from engram.heartbeat.collecting import NOTE_KEY
from engram.heartbeat.collecting import SESSION_KEY
from engram.heartbeat.collecting import Unread
from engram.heartbeat.collecting import collect_unread
from engram.heartbeat.extraction.corrections import find_missed
from engram.heartbeat.extraction.passages import occasion_of
from engram.heartbeat.extraction.passages import passage_row
from engram.heartbeat.extraction.sending import rows_worth_sending
from engram.heartbeat.extraction.subjects import entities_named
from engram.heartbeat.extraction.subjects import settle_subjects
from engram.heartbeat.guarding import leave_out_recalled
from engram.heartbeat.homes import Homes
from engram.heartbeat.learning import apply_observations
from engram.heartbeat.prompting import Prompt
from engram.heartbeat.prompting import extraction_prompt
from engram.heartbeat.prompting import passage_room
from engram.heartbeat.prompting import row_bytes
from engram.heartbeat.results import SKIPPED
from engram.heartbeat.results import SUCCEEDED
from engram.heartbeat.results import WARNING
from engram.heartbeat.results import PhaseFailedError
from engram.heartbeat.results import PhaseResult
from engram.heartbeat.results import PhaseTask
from engram.heartbeat.results import ask_child
from engram.language.candidates import find_beginnings
from engram.language.mentions import Known
from engram.language.mentions import NameIndex
from engram.language.secrets import redact
from engram.model.conversation import NoteEntry
from engram.model.conversation import Turn
from engram.model.fact import Fact
from engram.model.handoff import HandoffFact
from engram.model.vocabulary import BY_HOOK
from engram.ports.database import FactFilter
from engram.ports.database import SliceKeys
from engram.rules.domain import find_proposals
from engram.services.extract.extract import lines_to_embed
from engram.services.extract.passage import read_passages
from engram.services.extract.vectors import pack_vectors
from engram.services.extract.vectors import texts_to_embed
from engram.services.extract.vectors import unpack_vectors
from engram.services.visibility import where_now
from engram.workspace import Workspace

Rows = Mapping[str, dict[str, Any]]  # by the id of an entry or turn: as a question shows it
BUILT_IN_BATCH_CHARS = 400_000
"""Of one batch for the built-in child, see `built_in_chars`: 4,000 statements at most, of which seldom one makes more
than one fact, so that the facts of all fit into its answer."""

JUDGE_S = 20  # seconds a run that vectors for the judge may take; a line without one is judged by its words
_MOST_UNANSWERED = 5  # batches in a row, after which it is the agent that does not work
_CHILD_STATS = frozenset(["statements", "candidates", "about_nobody", "no_room"])  # what only the child can count
_NAMES = 200  # of a batch that evidence is sought for, in entries that were read before
_ENTRIES_PER_NAME = 30  # the newest that count as evidence for one name


def run_extraction(task: PhaseTask) -> PhaseResult:
    """Give everything unread to the child, batch by batch, and record its facts; each batch is one journal record.

    What there is no time for stays unread. So does a batch that fails, which ends the phase; but an agent is then asked
    about each note and session of it on its own, and about all that comes behind it: one note that it will not answer
    about keeps no other from being read.
    """
    unread = collect_unread(task.workspace, force=task.force)
    totals: Counter[str] = Counter(entries=0, turns=0)
    if unread.moves:
        totals["moved"] = len(unread.moves)
    alerts = [*unread.alerts]
    task.so_far.stats, task.so_far.alerts = totals, alerts
    deadline = time.monotonic() + task.timeout_s
    has_agent = bool(task.agent_command)
    sent = _sent(task, unread) if task.preset else None
    waiting = deque(_batches(task, unread, sent))
    unanswered = _Unanswered()
    while waiting:
        batch = unanswered.left_of(waiting.popleft())
        if has_agent and time.monotonic() >= deadline:
            totals["left_for_later"] += len(batch.texts)
            continue
        try:
            counts, refused = _run_batch(task, batch, sent)
        except PhaseFailedError as problem:
            if not has_agent or problem.timed_out or problem.nobody_answers:
                raise
            waiting.extendleft(reversed(unanswered.note(batch, problem)))
            continue
        unanswered.in_a_row = 0
        totals.update(counts, entries=len(batch.notes), turns=len(batch.turns))
        alerts += refused
        task.so_far.changed = _has_facts(totals)
    unanswered.tell()
    return _result(task, unread, totals, alerts)


class _Unanswered:
    """What an agent gave no answer about that can be used."""

    def __init__(self) -> None:
        self.in_a_row = 0  # batches
        self._places: list[str] = []
        self._keys: set[str] = set()  # watermarks that stay where they are
        self._last: PhaseFailedError | None = None

    def note(self, batch: Batch, problem: PhaseFailedError) -> list[Batch]:
        """Take a batch that failed; return what to ask about instead. Raises the problem when it is the agent's own."""
        self.in_a_row += 1
        if self.in_a_row >= _MOST_UNANSWERED:
            raise problem
        parts = split_sources(batch)
        if len(parts) > 1:
            return parts
        self._last = problem
        self._places.append(batch.where)
        self._keys |= {NOTE_KEY + note.path for note in batch.notes} | {
            SESSION_KEY + one.session for one in batch.turns
        }
        return []

    def left_of(self, batch: Batch) -> Batch:
        """Return a batch without what must wait: turns are read in their order, and a note is done with its last entry.

        Entries of a note that failed elsewhere are kept by themselves, so only those that are missing are asked again.
        """
        turns = [turn for turn in batch.turns if SESSION_KEY + turn.session not in self._keys]
        marks = [mark for mark in batch.marks if mark.key not in self._keys]
        return batch._replace(turns=turns, marks=marks)

    def tell(self) -> None:
        """Raise what the last problem was, and with what, if there was one."""
        if self._last is not None:
            more = f" and {len(self._places) - 1} more" if len(self._places) > 1 else ""
            why = f"{self._places[-1]}{more}: {self._last.message}"
            raise PhaseFailedError(why, detail=self._last.detail) from self._last


def _sent(task: PhaseTask, unread: Unread) -> Rows:
    """Return by id the rows that are worth a preset's tokens, of everything unread."""
    homes = Homes(task.workspace)
    rows: list[NoteEntry | Turn] = [*unread.notes, *unread.turns]
    # What leaves for an agent, and perhaps for another machine, holds no secrets.
    passages = [
        {**passage_row(row, homes), "text": redact(row.text).text, "occasion": occasion_of(row)} for row in rows
    ]
    return rows_worth_sending(passages, unpack_vectors(_vectors(task, passages)))


def _batches(task: PhaseTask, unread: Unread, sent: Rows | None) -> Iterator[Batch]:
    """Yield what goes into one question after the other: for an agent, as much as its prompt has room for."""
    if not task.agent_command:
        return split_batches(unread, BUILT_IN_BATCH_CHARS, measure=built_in_chars)
    homes = Homes(task.workspace)
    room = passage_room(task.workspace.settings.heartbeat.agent_tokens)

    def measure(row: NoteEntry | Turn) -> int:
        shown = passage_row(row, homes) if sent is None else sent.get(row.id)
        return row_bytes(shown) if shown else 0

    return split_batches(unread, room, by_worth=True, measure=measure)


def _result(task: PhaseTask, unread: Unread, totals: Counter[str], alerts: list[str]) -> PhaseResult:
    if not unread.notes and not unread.turns:
        status = WARNING if alerts else SUCCEEDED if unread.moves else SKIPPED
        stats = {**totals, "facts_written": 0}
        summary = f"{len(unread.moves)} note entries stand elsewhere now" if unread.moves else "nothing new to read"
        return PhaseResult(task.phase.name, status, summary, stats, alerts)
    facts = sum(totals[name] for name in ("created", "superseded", "tension", "quarantined"))
    read = [(totals["entries"], "note entry", "note entries"), (totals["turns"], "turn", "turns")]
    sources = " and ".join(_counted(*one) for one in read if one[0]) or "nothing that there was time for"
    summary = f"{_counted(facts, 'fact', 'facts')} from {sources}"
    status = WARNING if alerts else SUCCEEDED
    stats = {**totals, "facts_written": facts}
    return PhaseResult(task.phase.name, status, summary, stats, alerts, changed=_has_facts(totals))


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _has_facts(totals: Counter[str]) -> bool:
    return any(totals[name] for name in ("created", "confirmed", "superseded", "tension", "quarantined"))


def _run_batch(task: PhaseTask, batch: Batch, sent: Rows | None) -> tuple[dict[str, int], list[str]]:
    workspace = task.workspace
    with workspace.reading() as database:
        entities = database.list_entities()
        owner = where_now(database, workspace.settings.owner)
    known = [Known(entity.path, (entity.title, *entity.aliases)) for entity in entities]
    index = NameIndex(known)
    facts: Sequence[HandoffFact] = ()
    said: dict[str, int] = {}
    alerts: list[str] = []
    if sent is None:
        passages = _passages(batch, Homes(workspace), without_secrets=bool(task.agent_command))
    else:
        ids = [*(note.id for note in batch.notes), *(turn.id for turn in batch.turns)]
        passages = [sent[one] for one in ids if one in sent]
    if passages:
        shown = entities_named(passages, known, owner=owner) if task.preset else known
        question = {
            "passages": passages,
            "entities": [{"path": one.path, "names": list(one.names)} for one in shown],
            "owner": owner,
            "min_mentions": workspace.settings.heartbeat.min_mentions,
            "background": [] if task.agent_command else _background(task, batch),
        }
        question |= {} if task.agent_command else {"vectors": _vectors(task, passages)}
        room = workspace.settings.heartbeat.agent_tokens
        prompt = extraction_prompt(question, room) if task.agent_command else Prompt("")
        handoff = ask_child(task, question, prompt.text, prompt.given)
        learned = apply_observations(workspace, handoff.observations, phase=task.phase.name)
        facts, alerts = handoff.facts, [f"{task.phase.name}: {alert}" for alert in (*handoff.alerts, *learned.alerts)]
        if task.preset:
            facts = settle_subjects(facts, passages, known, owner=owner)
        if prompt.shortened:
            alerts.append(
                f"{task.phase.name}: {batch.where} is larger than a prompt: the agent was given its beginning"
            )
        said = {name: count for name, count in handoff.stats.items() if name in _CHILD_STATS and type(count) is int}
        if no_room := said.get("no_room", 0):
            alerts.append(
                f"{task.phase.name}: {batch.where} says more than one answer holds; the {no_room} least sure "
                f"facts of it were left out"
            )
    facts = [fact for fact in facts if not find_proposals(fact.quote)]  # a domain's proposal is not decided yet
    facts = find_missed(batch, facts, _said_before(task, batch))
    news = leave_out_recalled(facts, batch, index, workspace.recalled())
    if len(news) < len(facts):
        said["recalled"] = len(facts) - len(news)
    news = _without_written(workspace, news, batch)
    drafted = draft_commands(news, batch, index, workspace.now(), workspace.settings.zone)
    with workspace.writing("heartbeat") as recorder:
        # Only --force asks for what was decided before; its old results are no news.
        fresh = [one for one in drafted.envelopes if recorder.database.command_result(one.id) is None]
        results = recorder.record_together(fresh, batch.marks)
    counts, refused = count_outcomes(results)
    return {**said, **counts}, [*alerts, *drafted.alerts, *refused]


def _said_before(task: PhaseTask, batch: Batch) -> list[Fact]:
    """Return the facts that come from the sessions and notes of a batch, oldest first: it may take them back."""
    names = {note.session for note in batch.notes if note.session} | {turn.session for turn in batch.turns}
    if not names:
        return []
    with task.workspace.reading() as database:
        state = database.load_slice(SliceKeys(said_in=frozenset(names)))
    return sorted(state.facts.values(), key=lambda fact: (fact.recorded_at, fact.id))


def _without_written(workspace: Workspace, facts: Sequence[HandoffFact], batch: Batch) -> list[HandoffFact]:
    """Return the facts without those that a hook wrote when the turn was said, perhaps of another entity."""
    sessions = {turn.id: turn.session for turn in batch.turns}
    about = {fact.entity for fact in facts if fact.entry in sessions} | {workspace.settings.owner}
    if not sessions or not about:
        return list(facts)
    with workspace.reading() as database:
        known = [fact for entity in sorted(about) for fact in database.list_facts(FactFilter(entity=entity))]
    written = {(fact.source.session, fact.fingerprint) for fact in known if fact.source.label == BY_HOOK}
    return [fact for fact in facts if (sessions.get(fact.entry or ""), fingerprint(fact.quote)) not in written]


def _background(task: PhaseTask, batch: Batch) -> list[str]:
    """Return what was read before of names that the batch may be evidence for: a name counts over all notes."""
    names = find_beginnings(batch.texts, most=_NAMES)
    if not names:
        return []
    with task.workspace.reading() as database:
        texts = database.notes_naming(names, _ENTRIES_PER_NAME)
    given = {note.id for note in batch.notes}
    return [text for entry_id, text in sorted(texts.items()) if entry_id not in given]


def _passages(batch: Batch, homes: Homes, *, without_secrets: bool) -> list[dict[str, Any]]:
    rows: list[NoteEntry | Turn] = [*batch.notes, *batch.turns]
    if without_secrets:  # what leaves for an agent, and perhaps for another machine
        return [{**passage_row(row, homes), "text": redact(row.text).text} for row in rows]
    return [{**passage_row(row, homes), "occasion": occasion_of(row)} for row in rows]


def _vectors(task: PhaseTask, passages: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the vectors of the lines that the built-in judge looks at, newest first while there is time, packed."""
    source = task.workspace.passage_vectors
    if source is None:
        return {}
    lines = lines_to_embed(read_passages(passages))
    texts = list(dict.fromkeys(text for line in lines for text in texts_to_embed(line)))[::-1]
    spent = task.so_far.stats.get("judged_s", 0)
    begun = time.monotonic()
    found = source.embed_within(texts, max(0, JUDGE_S - spent))
    task.so_far.stats["judged_s"] = spent + round(time.monotonic() - begun)
    return pack_vectors({text: vector for text, vector in zip(texts, found, strict=True) if vector is not None})
