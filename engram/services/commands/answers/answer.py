"""The commands of a review: settle one thing that waits, and take a decision back."""

from typing import Any

from engram.base.text import clean_statement
from engram.config.paths import SELF_FILE
from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.errors import UnknownTensionError
from engram.language.screen.secrets import redact
from engram.model.changes.change import Change
from engram.model.changes.change import FactRecorded
from engram.model.changes.change import FactRestored
from engram.model.changes.change import FactSuperseded
from engram.model.changes.change import ObservationResolved
from engram.model.changes.change import ReviewSettled
from engram.model.changes.change import TensionResolved
from engram.model.changes.settlement import Settlement
from engram.model.changes.settlement import Verdict
from engram.model.changes.state import State
from engram.model.commands.command import Envelope
from engram.model.commands.command import Outcome
from engram.model.commands.write_command import WriteCommand
from engram.model.fact import SHARED
from engram.model.fact import Fact
from engram.model.fact import Source
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.model.observation import Observation
from engram.model.observation import ObservationStatus
from engram.model.tension import Tension
from engram.model.tension import TensionStatus
from engram.ports.database import SliceKeys
from engram.rules.entities.name_pair import read_pair
from engram.rules.trust.authority import authority_to_say
from engram.rules.trust.authority import require_person
from engram.rules.writes.derivation import OBSERVATION
from engram.rules.writes.retraction import end_of
from engram.rules.writes.retraction import plan_retract
from engram.rules.writes.retraction import settle
from engram.rules.writes.tension_outcome import TENSION_VERDICTS
from engram.rules.writes.tension_outcome import close
from engram.rules.writes.tension_outcome import closed_beside
from engram.rules.writes.tension_outcome import life_of
from engram.rules.writes.tension_outcome import lives_after
from engram.rules.writes.tension_outcome import plan_verdict
from engram.rules.writes.tension_outcome import refuse_verdict
from engram.services.commands.answers.answer_drafts import merged_write
from engram.services.commands.answers.answer_drafts import promoting_write
from engram.services.commands.answers.answer_drafts import refuse_above_sources
from engram.services.commands.answers.answer_drafts import refuse_twin
from engram.services.commands.answers.answer_words import AnswerArgs
from engram.services.commands.answers.answer_words import memory_text
from engram.services.commands.answers.answer_words import said_of
from engram.services.commands.answers.candidate import CANDIDATE_VERDICTS
from engram.services.commands.answers.candidate import belief_keys
from engram.services.commands.answers.candidate import plan_answer
from engram.services.commands.decider import Context
from engram.services.commands.decider import Decided
from engram.services.commands.decider import done
from engram.services.commands.decider import get_entity
from engram.services.commands.decider import get_fact
from engram.services.commands.decider import get_observation
from engram.services.commands.decider import read_args
from engram.services.commands.writes.write import Write

TENSION = "tension-"  # how the id of a tension begins
_REOPEN = "engram review undo"
_OBSERVATION_VERDICTS = (Verdict.PROMOTE, Verdict.DISMISS, Verdict.MERGE)
_QUARANTINE_VERDICTS = (Verdict.RELEASE, Verdict.DISMISS)


class Answer:
    """`review-answer`: settle one thing that waits."""

    def __init__(self, envelope: Envelope, context: Context) -> None:
        """Read the arguments; raise BadValueError."""
        self._envelope = envelope
        self._context = context
        args = read_args(AnswerArgs, envelope)
        cleaned = {name: redact(clean_statement(getattr(args, name) or "")).text or None for name in ("text", "note")}
        ids = {"id": args.id.strip().casefold(), "keep": args.keep.strip().casefold() if args.keep else None}
        self._args = args.model_copy(update={**cleaned, **ids})

    def keys(self) -> SliceKeys:
        """See Decider."""
        one = self._args.id
        if (pair := read_pair(one)) is not None:
            return SliceKeys(names=frozenset(pair))
        if one.startswith(TENSION):
            return SliceKeys(tension_ids=frozenset({one}))
        if one.startswith(OBSERVATION):
            return SliceKeys(observation_ids=frozenset({one, self._args.keep or one}))
        return SliceKeys(fact_ids=frozenset({one}))

    def further_keys(self, state: State) -> SliceKeys:
        """See Following."""
        one = self._args.id
        if (tension := state.tensions.get(one)) is not None:
            sides = frozenset({tension.fact1, tension.fact2})
            if not sides <= state.facts.keys() or self._args.outcome != Verdict.MERGE or not self._merged():
                return SliceKeys(fact_ids=sides)
            kept, other = self._sides(state, tension)
            return self._write(merged_write(tension, kept, other, str(self._merged()), self._envelope.actor)).keys()
        if (observation := state.observations.get(one)) is not None:
            wanted = SliceKeys(fact_ids=frozenset(observation.facts))
            promotes = self._args.outcome == Verdict.PROMOTE and self._target(observation) == "fact"
            if not promotes:
                return wanted
            keys = self._promotion(state, observation).keys()
            return keys._replace(fact_ids=keys.fact_ids | wanted.fact_ids)
        known = [state.facts[key] for key in sorted(state.facts) if one in {key, key.partition("/")[2]}]
        said = tuple((fact.entity, fact.fingerprint, fact.skeleton, "") for fact in known)
        sources = frozenset(key for fact in known for key in fact.derived_from)
        statements = (*said, *belief_keys(state, one).statements)
        return SliceKeys(fact_ids=sources, observation_ids=sources, statements=statements)

    def decide(self, state: State) -> Decided:
        """See Decider."""
        if self._args.id.startswith(TENSION):
            return self._settle_tension(state)
        if self._args.id.startswith(OBSERVATION):
            return self._settle_observation(state, get_observation(state, self._args.id))
        if (pair := read_pair(self._args.id)) is not None:
            return self._settle_names(state, pair)
        return self._settle_fact(state, get_fact(state, self._args.id))

    # -- tensions

    def _settle_tension(self, state: State) -> Decided:
        tension = state.tensions.get(self._args.id)
        if tension is None:
            raise UnknownTensionError(f"no tension has the id {self._args.id!r}", id=self._args.id)
        self._check_verdict("a tension", TENSION_VERDICTS)
        if tension.status != TensionStatus.OPEN:
            raise RefusedError(
                f"{tension.id} is settled: {tension.resolution}", hint=f"engram tension reopen {tension.id}"
            )
        kept, other = self._sides(state, tension)
        refuse_verdict(self._args.outcome, kept, other, self._envelope.actor)
        if self._args.outcome == Verdict.MERGE:
            return self._merge(state, tension, kept, other)
        if self._args.outcome in {Verdict.SUPERSEDE, Verdict.WRONG_SOURCE} and kept.status != Status.ACTIVE:
            raise RefusedError(f"{kept.id} is {kept.status} and cannot be kept", hint="keep the other one")
        opened = [one for one in state.tensions.values() if one.status == TensionStatus.OPEN]
        note = self._args.note or ""
        actor, now = self._envelope.actor, self._context.now
        verdict = self._args.outcome
        changes = plan_verdict(verdict, tension, kept, other, opened, note=note, actor=actor, now=now)
        return self._settled(state, changes, [kept, other], keep=kept.id)

    def _sides(self, state: State, tension: Tension) -> tuple[Fact, Fact]:
        """Return the fact that stays and the other one; the newer one stays unless somebody says otherwise."""
        older, newer = state.facts[tension.fact1], state.facts[tension.fact2]
        if self._args.keep is None:
            if self._args.outcome == Verdict.WRONG_SOURCE:
                raise BadValueError("wrong-source needs --keep", hint=f"--keep {older.id} or --keep {newer.id}")
            return newer, older
        for one, other in ((older, newer), (newer, older)):
            if self._args.keep in {one.id, one.id.partition("/")[2]}:
                return one, other
        raise BadValueError(f"{self._args.keep} is no side of {tension.id}", hint=f"--keep {older.id} or {newer.id}")

    def _merged(self) -> str | None:
        return self._args.text or self._args.note

    def _merge(self, state: State, tension: Tension, kept: Fact, other: Fact) -> Decided:
        if not self._merged():
            raise BadValueError("a merge needs the sentence that says both", hint="--text 'both in one sentence'")
        decided = self._write(merged_write(tension, kept, other, str(self._merged()), self._envelope.actor)).decide(
            state
        )
        made = self._made_by(decided)
        now, note = self._context.now, self._args.note or ""
        changes = [one for one in decided.changes if not (isinstance(one, TensionResolved) and one.id == tension.id)]
        if other.entity != kept.entity and other.status == Status.ACTIVE:
            reason = "merged with the other one"
            ends = end_of(other, now)
            changes.append(FactSuperseded(id=other.id, by=made, at=now, was_wrong=False, reason=reason, **ends))
            closed = {one.id for one in changes if isinstance(one, TensionResolved)} | {tension.id}
            beside = [one for one in state.tensions.values() if one.id not in closed]
            changes += settle(beside, {other.id}, "superseded", now)
        changes.append(close(Verdict.MERGE, tension, kept, other, note=note, now=now))
        return self._settled(state, tuple(changes), [kept, other], keep=made, made=made)

    # -- observations

    def _settle_observation(self, state: State, observation: Observation) -> Decided:
        self._check_verdict("an observation", _OBSERVATION_VERDICTS)
        if observation.status != ObservationStatus.OPEN:
            why = f"{observation.id} is {observation.status}: {observation.resolution}"
            raise RefusedError(why, hint=f"{_REOPEN} {observation.id}")
        if self._args.outcome == Verdict.PROMOTE:
            return self._promote(state, observation)
        if self._args.outcome == Verdict.MERGE:
            return self._merge_observation(state, observation)
        return self._close(state, observation, ObservationStatus.DISMISSED)

    def _merge_observation(self, state: State, observation: Observation) -> Decided:
        if not self._args.keep:
            raise BadValueError("a merge needs the observation that stays", hint="--keep observation-0001")
        kept = get_observation(state, self._args.keep)
        if kept.id == observation.id:
            raise BadValueError(f"{kept.id} cannot be merged with itself", hint="--keep another observation")
        if kept.status in {ObservationStatus.DISMISSED, ObservationStatus.MERGED}:
            raise RefusedError(f"{kept.id} is {kept.status}", hint=f"keep one that waits, or {_REOPEN} {kept.id}")
        return self._close(state, observation, ObservationStatus.MERGED, merged_into=kept.id)

    def _close(
        self,
        state: State,
        observation: Observation,
        status: ObservationStatus,
        *,
        more: tuple[Change, ...] = (),
        made: str | None = None,
        merged_into: str | None = None,
    ) -> Decided:
        resolved = ObservationResolved(
            id=observation.id,
            status=status,
            at=self._context.now,
            resolution=self._args.note or str(self._args.outcome),
            promoted_to=made,
            merged_into=merged_into,
        )
        return self._settled(state, (*more, resolved), [], keep=merged_into, made=made)

    def _promotion(self, state: State, observation: Observation) -> Write:
        wished = self._args.model_dump(include={"entity", "text", "create"})
        return self._write(promoting_write(observation, wished, self._envelope.actor, state))

    def _target(self, observation: Observation) -> str:
        return self._args.to or (observation.suggestion.target if observation.suggestion else "fact")

    def _promote(self, state: State, observation: Observation) -> Decided:
        if observation.trust == Trust.QUARANTINED:
            raise RefusedError(
                f"{observation.id} is quarantined", hint="dismiss it, and write what is right in your words"
            )
        if self._target(observation) == "memory":
            require_person(self._envelope.actor, "a line of MEMORY.md stands among the instructions")
            if observation.scope != SHARED:  # every session loads MEMORY.md
                raise RefusedError(f"{observation.id} is private to {observation.scope}", hint="--to fact keeps it so")
            decided = self._close(state, observation, ObservationStatus.PROMOTED, made=SELF_FILE)
            details = {**decided.result.details, "line": memory_text(observation, self._args.text)}
            return decided._replace(result=decided.result.model_copy(update={"details": details}))
        decided = self._promotion(state, observation).decide(state)
        made = self._made_by(decided)
        return self._close(state, observation, ObservationStatus.PROMOTED, more=decided.changes, made=made)

    # -- entities that may be one

    def _settle_names(self, state: State, pair: tuple[str, str]) -> Decided:
        """Decide that two entities are two; that they are one is the command `entity-merge` (see `merging_args`)."""
        self._check_verdict("two names", (Verdict.TWO,))
        for path in pair:
            get_entity(state, path)
        return self._settled(state, (), [])

    # -- candidates and quarantined facts

    def _settle_fact(self, state: State, fact: Fact) -> Decided:
        if fact.status == Status.CANDIDATE:
            self._check_verdict("a candidate", CANDIDATE_VERDICTS)
            require_person(self._envelope.actor, f"{fact.id} waits")
            is_kept, note = self._args.outcome == Verdict.KEEP, self._args.note
            changes = plan_answer(state, fact, self._envelope.actor, self._context, note=note, is_kept=is_kept)
            return self._settled(state, changes, [fact])
        self._check_verdict("a quarantined fact", _QUARANTINE_VERDICTS)
        if fact.status != Status.PENDING:
            raise RefusedError(f"{fact.id} is {fact.status}, it does not wait", hint=f"engram show {fact.id}")
        note, now, actor = self._args.note, self._context.now, self._envelope.actor
        require_person(actor, f"{fact.id} is quarantined")
        if self._args.outcome == Verdict.DISMISS:
            reason = note or "dismissed in review"
            opened = list(state.tensions.values())
            return self._settled(state, plan_retract(fact, opened, reason=reason, actor=actor, now=now), [fact])
        refuse_twin(state, fact)
        refuse_above_sources(state, fact)
        update = {"status": Status.ACTIVE, "trust": Trust.UNVERIFIED, "reason": None}
        return self._settled(state, (FactRestored(fact=fact.model_copy(update=update), at=now),), [fact])

    # -- what all share

    def _write(self, command: WriteCommand) -> Write:
        actor = self._envelope.actor
        word = authority_to_say(Trust.TRUSTED, Source(actor=actor))  # theirs who settles it, whatever it was made of
        return Write(self._envelope.model_copy(update={"args": command.as_args()}), self._context, word=word)

    @staticmethod
    def _made_by(decided: Decided) -> str:
        result = decided.result
        if result.status == Outcome.QUARANTINED or result.id is None:
            raise RefusedError(f"that would be quarantined: {result.reason}", hint="say it in other words with --text")
        return result.id

    def _check_verdict(self, what: str, verdicts: tuple[Verdict, ...]) -> None:
        if self._args.outcome not in verdicts:
            message = f"{self._args.outcome} is no outcome of {what}"
            raise BadValueError(message, hint=f"one of {', '.join(verdicts)}", field="outcome")

    def _settled(
        self,
        state: State,
        changes: tuple[Change, ...],
        facts: list[Fact],
        *,
        keep: str | None = None,
        made: str | None = None,
    ) -> Decided:
        touched = {change.id for change in changes if isinstance(change, FactSuperseded)}
        every = {fact.id: fact for fact in [*facts, *(state.facts[key] for key in sorted(touched))]}
        settlement = Settlement(
            id=f"settlement-{state.settlement_count + 1:04d}",
            subject=facts[0].id if self._is_fact(facts) else self._args.id,
            verdict=self._args.outcome,
            keep=keep,
            made=made,
            makes=any(isinstance(change, FactRecorded) and change.fact.id == made for change in changes),
            note=self._args.note,
            actor=self._envelope.actor,
            at=self._context.now,
            before=tuple(life_of(fact) for fact in every.values()),
            after=lives_after(list(every.values()), changes),
            closed=closed_beside(self._args.id, changes),
        )
        details: dict[str, Any] = {"settlement": settlement.id, "outcome": str(settlement.verdict), "made": made}
        opened = tuple(change.tension.id for change in changes if change.kind == "tension_opened")
        result = done(
            self._envelope,
            id=settlement.subject,
            superseded=tuple(sorted(touched)),
            tensions=opened,
            reason=said_of(settlement),
            details={name: value for name, value in details.items() if value},
        )
        return Decided(result, (*changes, ReviewSettled(settlement=settlement)))

    def _is_fact(self, facts: list[Fact]) -> bool:
        return bool(facts) and not self._args.id.startswith((TENSION, OBSERVATION))
