"""From the facts of an answer to the journal: what was missed is added, what is no news is left out."""

from collections.abc import Sequence

from engram.base.text import fingerprint
from engram.heartbeat.extraction.batches import Batch
from engram.heartbeat.extraction.echo_filter import leave_out_recalled
from engram.heartbeat.extraction.facts_to_commands import count_outcomes
from engram.heartbeat.extraction.facts_to_commands import draft_commands
from engram.heartbeat.extraction.missed.changes import find_missed_changes
from engram.heartbeat.extraction.missed.corrections import find_missed
from engram.heartbeat.extraction.missed.kept_promises import find_kept_promises
from engram.language.names.mentions import Known
from engram.language.names.mentions import NameIndex
from engram.model.fact import Fact
from engram.model.handoff import HandoffFact
from engram.model.vocabulary import BY_HOOK
from engram.model.vocabulary import Category
from engram.ports.database import FactFilter
from engram.ports.database import SliceKeys
from engram.rules.domain import find_proposals
from engram.workspace import Workspace


def record_facts(
    workspace: Workspace, batch: Batch, facts: Sequence[HandoffFact], known: Sequence[Known]
) -> tuple[dict[str, int], list[str]]:
    """Record the facts of a batch, and that it was read, as one record; return what became of them, and alerts.

    `known` are the entities that there are.
    """
    index = NameIndex(known)
    facts = [fact for fact in facts if not find_proposals(fact.quote)]  # a domain's proposal is not decided yet
    before = _said_before(workspace, batch)
    with workspace.reading() as database:
        facts = find_missed(batch, facts, before, database.load_slice)
        facts = find_missed_changes(batch, facts, database.load_slice)
        facts = find_kept_promises(batch, facts, database.list_facts(FactFilter(category=Category.COMMITMENT.value)))
    news = leave_out_recalled(facts, batch, index, workspace.answers.recalled())
    left_out = {"recalled": len(facts) - len(news)} if len(news) < len(facts) else {}
    news = _without_written(workspace, news, batch)
    drafted = draft_commands(news, batch, index, workspace.now(), workspace.settings.zone)
    with workspace.writing("heartbeat") as recorder:
        # Only --force asks for what was decided before; its old results are no news.
        ids = {one.id: {one.id, drafted.former_ids.get(one.id, one.id)} for one in drafted.envelopes}
        decided = recorder.database.known_ids("command", sorted(set[str]().union(*ids.values())))
        fresh = [one for one in drafted.envelopes if decided.isdisjoint(ids[one.id])]
        results = recorder.record_together(fresh, batch.marks)
    counts, refused = count_outcomes(results)
    return {**left_out, **counts}, [*drafted.alerts, *refused]


def _said_before(workspace: Workspace, batch: Batch) -> list[Fact]:
    """Return the facts that come from the sessions and notes of a batch, oldest first: it may take them back."""
    names = {note.session for note in batch.notes if note.session} | {turn.session for turn in batch.turns}
    if not names:
        return []
    with workspace.reading() as database:
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
