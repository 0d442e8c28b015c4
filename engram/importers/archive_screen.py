"""What of an archive is let in: anybody may have made it, and what it says is believed with it.

What would be quarantined today, and whether the records could be a store's: what is taken over byte for byte passes no
door that would refuse it, and no later command takes it out again.
"""

from collections.abc import Iterator

from engram.base.text import has_control
from engram.base.text import parse_entity_path
from engram.config.paths import SELF_FILE
from engram.errors import BadValueError
from engram.errors import MalformedInputError
from engram.importers.archive_lines import PART_BYTES
from engram.importers.archive_lines import ArchiveFile
from engram.importers.archive_lines import ArchiveLine
from engram.importers.archive_lines import FilePart
from engram.language.screen.fence import lines_that_order
from engram.language.screen.injection import find_injection
from engram.language.screen.intent import find_steering
from engram.model.changes.change import Change
from engram.model.changes.change import EntitiesRearranged
from engram.model.changes.change import EntityAliased
from engram.model.changes.change import EntityCreated
from engram.model.changes.change import FactRecorded
from engram.model.changes.change import FactRestored
from engram.model.changes.change import TurnCaptured
from engram.model.changes.record import Record
from engram.model.changes.session_changes import SessionAdded
from engram.model.changes.session_changes import SessionUpdated
from engram.model.changes.state import State
from engram.model.conversation import Turn
from engram.model.entity import Entity
from engram.model.fact import Fact
from engram.model.fact import Trust
from engram.rules.fold.fold import fold_record
from engram.services.commands.entities.entity import check_session_name
from engram.services.context.standing_instructions import may_stand

_MOST_DIGITS = 9  # of the number in a fact's id


class SelfFile:
    """The MEMORY.md of an archive, as far as it is looked at."""

    def __init__(self) -> None:
        """Begin before the first line."""
        self._is_open = False
        self._data = b""

    def take(self, line: ArchiveLine) -> None:
        """Take a line of the archive that is no record."""
        if isinstance(line, ArchiveFile):
            self._is_open = line.path == SELF_FILE
        elif isinstance(line, FilePart) and self._is_open and len(self._data) < PART_BYTES:
            self._data += line.data

    def orders(self, patterns: tuple[str, ...]) -> str:
        """Return the name of the file when lines of it try to give orders, or ""."""
        text = self._data.decode("utf-8", errors="replace")
        return SELF_FILE if lines_that_order(text, patterns, is_persons=False) else ""


def orders_in(record: Record, patterns: tuple[str, ...]) -> str:
    """Return the id of a text of the record that is believed and tries to give orders, or "".

    The settings' own patterns are for what others say: no turn is held against its owner because of them.
    """
    for decision in record.decisions:
        for change in decision.changes:
            for name, title in _named(change):
                if find_injection(title, patterns) is not None:
                    return name
            told = _told(change)
            if told is None or told.trust == Trust.QUARANTINED:
                continue
            own = () if isinstance(told, Turn) and told.trust == Trust.TRUSTED else patterns
            if find_injection(told.text, own) is not None or _steers(told):
                return told.id
    return ""


def _steers(told: Fact | Turn) -> bool:
    """Tell whether a fact that would stand among the instructions steers the agent that reads it."""
    return isinstance(told, Fact) and may_stand(told, "") and find_steering(told.text) is not None


def _told(change: Change) -> Fact | Turn | None:
    match change:
        case FactRecorded() | FactRestored():
            return change.fact
        case TurnCaptured():
            return change.turn
        case _:
            return None


def _named(change: Change) -> Iterator[tuple[str, str]]:
    """Yield what a change names, and each name that would stand in indexes and on pages."""
    match change:
        case SessionAdded(session=session):
            yield f"session {session.name}", session.project_title or ""
        case SessionUpdated():
            yield f"session {change.name}", change.project_title or ""
        case EntityCreated(entity=entity):
            yield from ((f"entity {entity.path}", name) for name in (entity.title, *entity.aliases))
        case EntityAliased():
            yield f"entity {change.path}", change.alias
        case EntitiesRearranged(rearrangement=done):
            made = [step.now.entity for step in done.entities if step.now.entity is not None]
            yield from ((f"entity {one.path}", name) for one in made for name in (one.title, *one.aliases))
        case _:
            return


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
