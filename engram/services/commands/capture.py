"""The commands that keep raw text: capture (turns) and note-read (note entries). Exactly once by id."""

from collections.abc import Sequence
from typing import Any
from typing import Final
from typing import Literal

from engram.base.speaker_names import is_own_speech
from engram.language.screen.injection import find_injection
from engram.language.screen.secrets import marked_kinds
from engram.model.changes.change import Change
from engram.model.changes.change import NoteRecorded
from engram.model.changes.change import TurnCaptured
from engram.model.changes.session_changes import SessionAdded
from engram.model.changes.session_changes import SessionUpdated
from engram.model.changes.state import State
from engram.model.commands.command import Envelope
from engram.model.conversation import NoteEntry
from engram.model.conversation import Session
from engram.model.conversation import Turn
from engram.model.fact import SHARED
from engram.model.fact import Actor
from engram.model.fact import Trust
from engram.model.value import Value
from engram.ports.database import SliceKeys
from engram.rules.trust.authority import less_trusted
from engram.rules.trust.authority import own_trust
from engram.services.commands.decider import Context
from engram.services.commands.decider import Decided
from engram.services.commands.decider import done
from engram.services.commands.decider import read_all
from engram.services.commands.decider import read_args
from engram.services.commands.entities.entity import check_session_name
from engram.services.commands.entities.session_project import harmless_project
from engram.services.visibility import scope_in

_PROGRAMS: Final = frozenset({Actor.AGENT, Actor.TOOL})


class CaptureArgs(Value):
    """What `capture` takes: turns of one session, without their places."""

    session: str
    turns: tuple[dict[str, Any], ...]
    kind: Literal["personal", "group"] | None = None  # of a session that is made with it
    project: str | None = None  # what the session is held about: projects/NAME
    project_title: str | None = None  # as its folder is written


class Capture:
    """`capture`: turns of one session; an unknown session is made, a known turn is skipped."""

    def __init__(self, envelope: Envelope, context: Context) -> None:
        """Read the turns and take their secrets out; raise BadValueError."""
        self._envelope = envelope
        self._context = context
        args = read_args(CaptureArgs, envelope)
        check_session_name(args.session)
        self._session = args.session
        self._kind = args.kind
        self._project = harmless_project(args.project, args.project_title, context.patterns)
        fields = [{**turn, "session": args.session, "ordinal": 0} for turn in args.turns]
        turns = (_as_told_by(envelope.actor, turn) for turn in read_all(Turn, fields))
        self._turns = [screened_turn(turn, context.patterns) for turn in turns]

    def keys(self) -> SliceKeys:
        """See Decider."""
        return SliceKeys(sessions=frozenset({self._session}), turn_ids=frozenset(turn.id for turn in self._turns))

    def decide(self, state: State) -> Decided:
        """See Decider."""
        changes: list[Change] = []
        news = False
        session = state.sessions.get(self._session)
        if session is None:
            session = Session(name=self._session, created_at=self._context.now, kind=self._kind, **self._project)
            changes.append(SessionAdded(session=session))
        elif session.project is None and self._project:
            changes.append(SessionUpdated(name=self._session, **self._project))
            news = True
        fresh = {turn.id: turn for turn in self._turns if turn.id not in state.turns}
        begin = state.turn_counts.get(self._session, 0)
        scope = scope_in(session)
        placed = (_placed(turn, begin + place, scope) for place, turn in enumerate(fresh.values()))
        changes.extend(TurnCaptured(turn=turn) for turn in placed)
        counted = {"captured": len(fresh), "known": len(self._turns) - len(fresh)}
        return Decided(done(self._envelope, id=self._session, details=counted), tuple(changes if fresh or news else ()))


def _as_told_by(actor: Actor, turn: Turn) -> Turn:
    """Return the turn, believed no further than who brings it: nobody else vouches for what a person typed.

    What an agent or a tool tells in the person's place is its own words. An import brings conversations as they were.
    """
    update: dict[str, Any] = {"trust": less_trusted(turn.trust, own_trust(actor))}
    if actor in _PROGRAMS and is_own_speech(turn.speaker):
        update["speaker"] = actor.value
    return turn if update == {"trust": turn.trust} else turn.model_copy(update=update)


def _placed(turn: Turn, ordinal: int, scope: str) -> Turn:
    """Return the turn at its place; what is said in a session that is kept apart is private to it."""
    return turn.model_copy(update={"ordinal": ordinal, "scope": scope if turn.scope == SHARED else turn.scope})


class NoteReadArgs(Value):
    """What `note-read` takes: the entries that extraction has read."""

    entries: tuple[NoteEntry, ...]


class NoteRead:
    """`note-read`: note entries that extraction is done with; a known entry is skipped unless its note moved."""

    def __init__(self, envelope: Envelope, context: Context) -> None:
        """Read the entries; raise BadValueError."""
        del context  # entries carry their own day
        self._envelope = envelope
        self._entries = read_args(NoteReadArgs, envelope).entries

    def keys(self) -> SliceKeys:
        """See Decider."""
        return SliceKeys(note_ids=frozenset(entry.id for entry in self._entries))

    def decide(self, state: State) -> Decided:
        """See Decider."""
        news = {entry.id: entry for entry in self._entries if _is_news(entry, state.notes.get(entry.id))}
        changes = tuple(NoteRecorded(entry=entry) for entry in news.values())
        counted = {"read": len(news), "known": len(self._entries) - len(news)}
        return Decided(done(self._envelope, details=counted), changes)


def _is_news(entry: NoteEntry, stored: NoteEntry | None) -> bool:
    return stored is None or stored.path != entry.path


def screened_turn(turn: Turn, patterns: Sequence[str] = ()) -> Turn:
    """Return the turn with the kinds of secrets that its marks name, quarantined when it tries to give orders.

    So may the name of its speaker, whom a chat lets choose it. `patterns` are the settings' own signs of an order.
    """
    update: dict[str, Any] = {}
    kinds = marked_kinds(turn.text)
    if kinds != turn.redactions:
        update["redactions"] = kinds
    said = (turn.text, turn.speaker or "")
    if turn.trust != Trust.TRUSTED and any(find_injection(one, patterns) is not None for one in said):
        update["trust"] = Trust.QUARANTINED
    return turn.model_copy(update=update) if update else turn
