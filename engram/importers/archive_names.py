"""Whether the records of an archive could be a store's: whoever makes one may write anything into it.

What is taken over byte for byte passes no door that would refuse it, and no later command takes it out again.
"""

from collections.abc import Iterator

from engram.base.text import has_control
from engram.base.text import parse_entity_path
from engram.errors import BadValueError
from engram.errors import MalformedInputError
from engram.model.changes.change import Change
from engram.model.changes.change import EntitiesRearranged
from engram.model.changes.change import EntityAliased
from engram.model.changes.change import EntityCreated
from engram.model.changes.change import FactRecorded
from engram.model.changes.change import FactRestored
from engram.model.changes.change import TurnCaptured
from engram.model.changes.record import Record
from engram.model.changes.session_changes import SessionAdded
from engram.model.changes.state import State
from engram.model.entity import Entity
from engram.model.fact import Fact
from engram.rules.fold.fold import fold_record
from engram.services.commands.entities.entity import check_session_name

_MOST_DIGITS = 9  # of the number in a fact's id


class ArchivedState:
    """What the records of an archive come to, as they are read."""

    def __init__(self) -> None:
        """Begin before the first record."""
        self._state = State()

    def take(self, record: Record) -> None:
        """Take the next record; raise MalformedInputError when it changes what was never made."""
        try:
            fold_record(self._state, record)
        except (KeyError, ValueError) as problem:
            message = f"record {record.position} changes what no record before it made: {problem}"
            raise MalformedInputError(message, hint="export it again; nothing was imported") from problem

    def unfit(self, record: Record) -> str:
        """Return a name or a text of the record that was just taken which no door would keep, or ""."""
        changes = [change for decision in record.decisions for change in decision.changes]
        return next((said for change in changes for said in self._unfit_of(change)), "")

    def _unfit_of(self, change: Change) -> Iterator[str]:
        match change:
            case FactRecorded(fact=fact) | FactRestored(fact=fact):
                yield from self._unfit_fact(fact)
            case SessionAdded(session=session):
                yield from _unfit_session(session.name)
            case TurnCaptured(turn=turn):
                yield from _unfit_session(turn.session)
            case _:
                yield from _unfit_entities(change)

    def _unfit_fact(self, fact: Fact) -> Iterator[str]:
        born, _, number = fact.id.rpartition("-")
        yield from _unfit_paths(born, fact.entity, *fact.related)
        if not (number.isascii() and number.isdigit() and len(number) <= _MOST_DIGITS):
            yield f"{fact.id!r} is no id of a fact"
        if self._state.resolve(fact.entity) is None:
            yield f"{fact.id} is about {fact.entity}, which is not there"
        yield from _unfit_texts(fact.id, fact.text)


def _unfit_entities(change: Change) -> Iterator[str]:
    match change:
        case EntityCreated(entity=entity):
            yield from _unfit_entity(entity)
        case EntityAliased():
            yield from _unfit_texts(f"a name of {change.path}", change.alias)
        case EntitiesRearranged(rearrangement=done):
            for step in done.entities:
                yield from _unfit_paths(step.path, step.now.to or step.path)
                if step.now.entity is not None:
                    yield from _unfit_entity(step.now.entity)
        case _:
            return


def _unfit_entity(entity: Entity) -> Iterator[str]:
    yield from _unfit_paths(entity.path)
    yield from _unfit_texts(f"a name of {entity.path}", entity.title, *entity.aliases)


def _unfit_paths(*paths: str) -> Iterator[str]:
    for path in paths:
        if parse_entity_path(path) != tuple(path.split("/")):
            yield f"{path!r} is not an entity path"


def _unfit_texts(what: str, *texts: str) -> Iterator[str]:
    if any(map(has_control, texts)):
        yield f"{what} holds a control character"


def _unfit_session(name: str) -> Iterator[str]:
    try:
        check_session_name(name)
    except BadValueError as problem:
        yield problem.message
