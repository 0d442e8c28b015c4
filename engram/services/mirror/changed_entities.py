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
from engram.model.fact import Fact
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.ports.journal import Journal


def touched_entities(database: FactDatabase, journal: Journal, position: int) -> set[str]:
    """Return the paths of the entities that changed, or a fact of which did or was used, after a journal position."""
    paths: set[str] = set()
    ids: set[str] = set()
    fallen: set[str] = set()  # facts that another one may rest on
    for change in _changes_after(journal, position):
        match change:
            case EntityCreated(entity=entity):
                paths.add(entity.path)
            case EntityAliased(path=path) | EntityUnaliased(path=path):
                paths.add(path)
            case EntitiesRearranged(rearrangement=done):
                paths |= {step.path for step in done.entities}
                paths |= {place.entity for step in done.facts for place in (step.was, step.now)}
            case FactRecorded(fact=fact):
                paths.add(fact.entity)
            case FactRestored(fact=fact):
                paths.add(fact.entity)
                fallen.add(fact.id)
            case FactSuperseded() | FactRetracted():
                ids.add(change.id)
                fallen.add(change.id)
            case FactConfirmed() | FactAccessed() | FactPinned():
                ids.add(change.id)
    if ids:
        found = database.list_facts(FactFilter(ids=tuple(sorted(ids)), status="all"))
        paths |= {fact.entity for fact in found}
    return paths | {fact.entity for fact in _made_of(database, fallen)}


def _made_of(database: FactDatabase, ids: set[str]) -> list[Fact]:
    """Return the facts that were made of some others, and those that were made of these in turn."""
    found: dict[str, Fact] = {}
    wanted = ids
    while wanted:
        made = database.list_facts(FactFilter(status="all", made_of=tuple(sorted(wanted))))
        wanted = {fact.id for fact in made} - found.keys() - ids
        found |= {fact.id: fact for fact in made}
    return list(found.values())


def _changes_after(journal: Journal, position: int) -> Iterator[Change]:
    for record, _ in journal.read(position):
        for decision in record.decisions:
            yield from decision.changes
