"""The command that notes what was noticed: `observe`."""

from typing import Annotated

from pydantic import Field

from engram.base.text import MAX_FACT_CHARS
from engram.base.text import RECALLED_OPENING
from engram.base.text import clean_statement
from engram.base.text import parse_entity_path
from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.errors import UnknownEntityError
from engram.language.screen.injection import find_injection
from engram.language.screen.intent import find_steering
from engram.language.screen.secrets import marked_kinds
from engram.language.screen.secrets import redact
from engram.model.changes.change import Change
from engram.model.changes.change import ObservationOpened
from engram.model.changes.change import ObservationReopened
from engram.model.changes.change import ObservationSeen
from engram.model.changes.state import State
from engram.model.commands.command import CommandResult
from engram.model.commands.command import Envelope
from engram.model.commands.command import Outcome
from engram.model.fact import SHARED
from engram.model.fact import Fact
from engram.model.fact import Trust
from engram.model.observation import TAKEN_BACK
from engram.model.observation import Observation
from engram.model.observation import ObservationCategory
from engram.model.observation import ObservationStatus
from engram.model.observation import Suggestion
from engram.model.value import Value
from engram.model.vocabulary import CAN_BE_UNDONE
from engram.ports.database import SliceKeys
from engram.rules.trust.authority import PERSONS
from engram.rules.trust.authority import own_trust
from engram.rules.writes.derivation import least_trusted
from engram.rules.writes.derivation import narrowest_scope
from engram.services.commands.decider import Context
from engram.services.commands.decider import Decided
from engram.services.commands.decider import find_entity
from engram.services.commands.decider import get_fact
from engram.services.commands.decider import read_args
from engram.services.commands.observation_match import ObservationKey
from engram.services.commands.observation_match import find_known
from engram.services.commands.observation_match import read_noticed
from engram.services.visibility import scope_in

MAX_EVIDENCE = 200  # facts that one observation names at once


class ObserveArgs(Value):
    """What `observe` takes."""

    text: Annotated[str, Field(max_length=MAX_FACT_CHARS)]
    category: ObservationCategory = ObservationCategory.FRICTION
    entity: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    facts: Annotated[tuple[str, ...], Field(max_length=MAX_EVIDENCE)] = ()
    session: Annotated[str, Field(max_length=200)] | None = None
    suggestion: Suggestion | None = None
    undoable: bool = False  # by hand: `undo` can take it back


class Observe:
    """`observe`: something was noticed; counted when it was noticed before."""

    def __init__(self, envelope: Envelope, context: Context) -> None:
        """Read, clean, redact and screen the sentence; raise BadValueError or RefusedError."""
        self._envelope = envelope
        self._now = context.now
        args = read_args(ObserveArgs, envelope)
        text = redact(clean_statement(args.text)).text
        if not text:
            raise BadValueError("the observation is empty", hint="say one sentence")
        if RECALLED_OPENING in text:
            raise RefusedError("that is text which Engram itself recalled", hint="say what you noticed")
        facts = tuple(dict.fromkeys(one.strip().casefold() for one in args.facts))
        suggestion = _clean_suggestion(args.suggestion)
        self._args = args.model_copy(update={"text": text, "facts": facts, "suggestion": suggestion})
        said = [text, suggestion.text if suggestion else ""]
        self._gives_orders = any(find_injection(one, context.patterns) is not None for one in said) or (
            envelope.actor not in PERSONS and any(find_steering(one) is not None for one in said)
        )

    def keys(self) -> SliceKeys:
        """See Decider."""
        args = self._args
        new = read_noticed(args.text, None)
        names = {args.entity, args.suggestion.entity if args.suggestion else None} - {None}
        return SliceKeys(
            names=frozenset(name for name in names if name),
            fact_ids=frozenset(args.facts),
            sessions=frozenset(filter(None, [args.session])),
            noticed=((new.fingerprint, new.words),),
        )

    def decide(self, state: State) -> Decided:
        """See Decider."""
        args = self._args
        own = scope_in(state.sessions.get(args.session or ""))
        evidence = [fact for one in args.facts if _stands_in(own, fact := get_fact(state, one))]
        new = read_noticed(args.text, _path_of(state, args.entity), args.suggestion)
        known = find_known(new, (one for one in state.observations.values() if _is_known_in(own, one)))
        if known is not None:
            return self._again(known, evidence)
        observation = self._observation(state, new, evidence, own)
        status = Outcome.QUARANTINED if observation.trust == Trust.QUARANTINED else Outcome.CREATED
        reason = "it tries to give orders" if self._gives_orders else ""
        return self._decided(status, observation.id, reason, (ObservationOpened(observation=observation),))

    def _again(self, known: Observation, evidence: list[Fact]) -> Decided:
        suggestion = self._args.suggestion
        if known.status != ObservationStatus.OPEN or suggestion == known.suggestion or self._gives_orders:
            suggestion = None
        visible = tuple(fact.id for fact in evidence if fact.scope in {SHARED, known.scope})
        seen = ObservationSeen(
            id=known.id, at=self._now, session=self._args.session, facts=visible, suggestion=suggestion
        )
        if known.resolution == TAKEN_BACK:
            said = f"noticed before as {known.id}, which was taken back; it waits again"
            return self._decided(
                Outcome.CONFIRMED, known.id, said, (ObservationReopened(id=known.id, at=self._now), seen)
            )
        return self._decided(Outcome.CONFIRMED, known.id, _said_before(known), (seen,))

    def _observation(self, state: State, new: ObservationKey, evidence: list[Fact], scope: str) -> Observation:
        args = self._args
        own = own_trust(self._envelope.actor)
        trust = Trust.QUARANTINED if self._gives_orders else least_trusted(own, evidence)
        return Observation(
            id=f"observation-{state.observation_count + 1:04d}",
            text=new.text,
            category=args.category,
            entity=new.entity,
            facts=tuple(fact.id for fact in evidence),
            sessions=(args.session,) if args.session else (),
            scope=narrowest_scope(scope, evidence),
            trust=trust,
            fingerprint=new.fingerprint,
            words=new.words,
            suggestion=args.suggestion,
            opened_at=self._now,
            seen_at=self._now,
        )

    def _decided(self, status: Outcome, about: str, reason: str, changes: tuple[Change, ...]) -> Decided:
        removed = marked_kinds(self._args.text)
        secrets = f"taken out: {', '.join(removed)}" if removed else ""
        result = CommandResult(
            command_id=self._envelope.id,
            kind=self._envelope.kind,
            status=status,
            id=about,
            reason="; ".join(part for part in (reason, secrets) if part) or None,
            exit_code=4 if status == Outcome.QUARANTINED else 0,
            details={CAN_BE_UNDONE: True} if self._args.undoable else {},
        )
        return Decided(result, changes)


def _is_known_in(own: str, known: Observation) -> bool:
    """Tell whether what was noticed is known where the scope is `own`: a silo that is kept apart keeps its own."""
    return known.scope == own or not known.scope.startswith("session:")


def _stands_in(own: str, fact: Fact) -> bool:
    """Tell whether a fact can be shown beside what was noticed: in a silo that is kept apart, not one of another."""
    return own == SHARED or fact.scope in {SHARED, own}


def _clean_suggestion(suggestion: Suggestion | None) -> Suggestion | None:
    if suggestion is None:
        return None
    text = redact(clean_statement(suggestion.text)).text
    if not text:
        raise BadValueError("the suggestion is empty", hint="say the sentence that it should become")
    return suggestion.model_copy(update={"text": text})


def _path_of(state: State, name: str | None) -> str | None:
    """Return the path of an entity, which may be one that nobody made yet; raise UnknownEntityError for a mere name."""
    if name is None:
        return None
    entity = find_entity(state, name)
    if entity is not None:
        return entity.path
    parsed = parse_entity_path(name)
    if parsed is None:
        raise UnknownEntityError(f"no entity is called {name!r}", name=name)
    return "/".join(parsed)


def _said_before(known: Observation) -> str:
    match known.status:
        case ObservationStatus.PROMOTED:
            return f"noticed before as {known.id}, which became {known.promoted_to}"
        case ObservationStatus.DISMISSED:
            return f"noticed before as {known.id}, which was dismissed; engram review undo {known.id} opens it again"
        case ObservationStatus.MERGED:
            return f"noticed before as {known.id}, which is part of {known.merged_into}"
        case _:
            return f"noticed before as {known.id}; seen {known.seen + 1} times"
