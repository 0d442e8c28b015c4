"""Which entities the latest records of the journal are about: what a summary says of them may have changed."""

from collections.abc import Iterator

from engram.model.changes.change import Change
from engram.model.changes.change import EntitiesRearranged
from engram.model.changes.change import EntityAliased
from engram.model.changes.change import EntityCreated
from engram.model.changes.change import EntityUnaliased
from engram.model.changes.change import FactAccessed
from engram.model.changes.change import FactConfirmed
from engram.model.changes.change import FactPinned
from engram.model.changes.change import FactRecorded
from engram.model.changes.change import FactRestored
from engram.model.changes.change import FactRetracted
from engram.model.changes.change import FactSuperseded
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.ports.journal import Journal


def touched_entities(database: FactDatabase, journal: Journal, position: int) -> set[str]:
    """Return the paths of the entities that changed, or a fact of which did or was used, after a journal position."""
    paths: set[str] = set()
    ids: set[str] = set()
    for change in _changes_after(journal, position):
        match change:
            case EntityCreated(entity=entity):
                paths.add(entity.path)
            case EntityAliased(path=path) | EntityUnaliased(path=path):
                paths.add(path)
            case EntitiesRearranged(rearrangement=done):
                paths |= {step.path for step in done.entities}
                paths |= {place.entity for step in done.facts for place in (step.was, step.now)}
            case FactRecorded(fact=fact) | FactRestored(fact=fact):
                paths.add(fact.entity)
            case FactSuperseded() | FactRetracted() | FactConfirmed() | FactAccessed() | FactPinned():
                ids.add(change.id)
    if ids:
        found = database.list_facts(FactFilter(ids=tuple(sorted(ids)), status="all"))
        paths |= {fact.entity for fact in found}
    return paths


def _changes_after(journal: Journal, position: int) -> Iterator[Change]:
    for record, _ in journal.read(position):
        for decision in record.decisions:
            yield from decision.changes
