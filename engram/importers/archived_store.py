"""What an archive says, as items: for a store that has a history of its own, or when it cannot be believed as it is."""

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence

from engram.base.speaker_names import NAMELESS
from engram.base.speaker_names import is_own_speech
from engram.importers.export.pool import written_by
from engram.importers.import_report import ImportReport
from engram.importers.import_run import Beside
from engram.importers.import_run import import_items
from engram.importers.memories.items import Effect
from engram.importers.memories.items import EntityItem
from engram.importers.memories.items import FactItem
from engram.importers.memories.items import Item
from engram.importers.memories.items import Remark
from engram.model.changes.record import Record
from engram.model.changes.state import State
from engram.model.conversation import Turn
from engram.model.fact import EXPERIENCE
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.rules.fold.facts import fact_number
from engram.rules.fold.fold import fold_record
from engram.rules.origin import Origin
from engram.rules.origin import origin_of
from engram.rules.temporal import was_believed
from engram.services.imports import ledger
from engram.services.imports.ledger import KeptFile
from engram.workspace import Workspace

_FORMAT = "jsonl"
_PAST = frozenset({Status.SUPERSEDED, Status.RETRACTED})


def merge_store(
    workspace: Workspace,
    source: str,
    records: Iterable[Record],
    *,
    files: Sequence[KeptFile],
    why: str,
    as_own: bool,
    dry_run: bool,
) -> ImportReport:
    """Write what the records of another store come to, and remember the files that came with them.

    `why` says why the records are not taken over as they are; `as_own`: the person who imports them made them.
    """
    state = State()
    for record in records:
        fold_record(state, record)
    items = [Remark(source, "", f"merged, with new ids: {why}", Effect.CHANGED), *_items(state, source, as_own=as_own)]
    taken = _doubted if as_own else _of_another
    turns = [taken(turn) for turn in sorted(state.turns.values(), key=lambda turn: (turn.session, turn.ordinal))]
    beside = Beside(sorted(state.sessions.values(), key=lambda session: session.name), turns, files)
    return import_items(workspace, _FORMAT, source, items, beside, dry_run=dry_run)


def _doubted(turn: Turn) -> Turn:
    """Return the turn, trusted by nobody: what is trusted is not screened, and anybody may have made the archive."""
    return turn.model_copy(update={"trust": Trust.UNVERIFIED}) if turn.trust == Trust.TRUSTED else turn


def _of_another(turn: Turn) -> Turn:
    """Return the turn as somebody else's: the user of another memory is not the owner of this one."""
    doubted = _doubted(turn)
    return doubted.model_copy(update={"speaker": NAMELESS}) if is_own_speech(turn.speaker) else doubted


def _items(state: State, source: str, *, as_own: bool) -> Iterator[Item]:
    for entity in sorted(state.entities.values(), key=lambda entity: entity.path):
        yield EntityItem(source, entity.path, entity.path, entity.title, entity.aliases)
    for fact in sorted(state.facts.values(), key=lambda fact: (fact.entity, fact_number(fact.id), fact.id)):
        yield _fact(state, fact, source, as_own=as_own)
    made_anew = {
        "tensions": len(state.tensions),
        "observations": len(state.observations),
        "decisions of reviews": len(state.settlements),
        "sent handoffs": len(state.handoffs),
        "note entries that extraction has read": len(state.notes),
        "watermarks": sum(consumer != ledger.CONSUMER for consumer, _ in state.watermarks),
    }
    for what, count in made_anew.items():
        if count:
            yield Remark(source, "", f"{count} {what}: this store makes its own", Effect.LEFT_OUT)


def _fact(state: State, fact: Fact, source: str, *, as_own: bool) -> FactItem:
    usage = state.usages.get(fact.id)
    session = state.sessions.get(fact.source.session or "")
    is_persons = as_own and origin_of(fact, usage, session) == Origin.PERSON
    return FactItem(
        source,
        fact.id,
        fact.entity,
        fact.text,
        category=fact.category.value,
        confidence=fact.confidence,
        abstraction=fact.abstraction.value,
        tags=fact.tags,
        related=fact.related,
        attribute=fact.attribute,
        value=fact.value,
        scope=fact.scope,
        written_by=written_by(fact) if fact.scope == EXPERIENCE else "",
        trust=Trust.QUARANTINED.value if fact.trust == Trust.QUARANTINED else "",
        is_persons=is_persons,
        waits=fact.trust != Trust.QUARANTINED and not was_believed(fact),
        at=fact.recorded_at,
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
        precisions=(fact.valid_from_precision.value, fact.valid_to_precision.value),
        key=fact.id,
        is_past=fact.status in _PAST,
        why_past=f"taken back in the source: {fact.reason}" if fact.status == Status.RETRACTED else "",
        follower=fact.superseded_by or "",
        uses=usage.access_count if usage else 0,
        used_at=usage.last_accessed_at if usage else None,
        is_pinned=bool(usage and usage.pinned),
    )
