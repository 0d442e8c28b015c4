"""An answer of a review as it was given, and the settlement that it becomes."""

from typing import Any

from engram.base.text import clean_statement
from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.language.screen.secrets import redact
from engram.model.changes.change import Change
from engram.model.changes.change import FactRecorded
from engram.model.changes.change import FactSuperseded
from engram.model.changes.change import ReviewSettled
from engram.model.changes.settlement import Settlement
from engram.model.changes.settlement import Verdict
from engram.model.changes.state import State
from engram.model.commands.command import Envelope
from engram.model.commands.command import Outcome
from engram.model.commands.write_command import WriteCommand
from engram.model.fact import Fact
from engram.model.fact import Source
from engram.model.fact import Trust
from engram.rules.trust.authority import authority_to_say
from engram.rules.writes.derivation import OBSERVATION
from engram.rules.writes.tension_outcome import closed_beside
from engram.rules.writes.tension_outcome import life_of
from engram.rules.writes.tension_outcome import lives_after
from engram.services.commands.answers.answer_words import AnswerArgs
from engram.services.commands.answers.answer_words import said_of
from engram.services.commands.decider import Context
from engram.services.commands.decider import Decided
from engram.services.commands.decider import done
from engram.services.commands.decider import read_args
from engram.services.commands.writes.write import Write

TENSION = "tension-"  # how the id of a tension begins


class GivenAnswer:
    """Who answered what, when, and in which words."""

    def __init__(self, envelope: Envelope, context: Context) -> None:
        """Read the arguments; raise BadValueError."""
        self._envelope = envelope
        self.context = context
        self.actor = envelope.actor
        self.now = context.now
        args = read_args(AnswerArgs, envelope)
        cleaned = {name: redact(clean_statement(getattr(args, name) or "")).text or None for name in ("text", "note")}
        ids = {"id": args.id.strip().casefold(), "keep": args.keep.strip().casefold() if args.keep else None}
        self.args = args.model_copy(update={**cleaned, **ids})

    def write(self, command: WriteCommand) -> Write:
        """Return the write that an answer comes to, in the name of whoever answers."""
        # The word is theirs who settles it, whatever it was made of.
        word = authority_to_say(Trust.TRUSTED, Source(actor=self.actor))
        return Write(self._envelope.model_copy(update={"args": command.as_args()}), self.context, word=word)

    @staticmethod
    def made_by(decided: Decided) -> str:
        """Return the id of the fact that a write makes; raise RefusedError when that would be quarantined."""
        result = decided.result
        if result.status == Outcome.QUARANTINED or result.id is None:
            raise RefusedError(f"that would be quarantined: {result.reason}", hint="say it in other words with --text")
        return result.id

    def check_verdict(self, what: str, verdicts: tuple[Verdict, ...]) -> None:
        """Raise BadValueError for an outcome that the thing cannot have."""
        if self.args.outcome not in verdicts:
            message = f"{self.args.outcome} is no outcome of {what}"
            raise BadValueError(message, hint=f"one of {', '.join(verdicts)}", field="outcome")

    def settled(
        self,
        state: State,
        changes: tuple[Change, ...],
        facts: list[Fact],
        *,
        keep: str | None = None,
        made: str | None = None,
    ) -> Decided:
        """Return the decision with its settlement: `facts` is what was decided about, before the changes."""
        touched = {change.id for change in changes if isinstance(change, FactSuperseded)}
        every = {fact.id: fact for fact in [*facts, *(state.facts[key] for key in sorted(touched))]}
        settlement = Settlement(
            id=f"settlement-{state.settlement_count + 1:04d}",
            subject=facts[0].id if self._is_fact(facts) else self.args.id,
            verdict=self.args.outcome,
            keep=keep,
            made=made,
            makes=any(isinstance(change, FactRecorded) and change.fact.id == made for change in changes),
            note=self.args.note,
            actor=self.actor,
            at=self.now,
            before=tuple(life_of(fact) for fact in every.values()),
            after=lives_after(list(every.values()), changes),
            closed=closed_beside(self.args.id, changes),
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
        return bool(facts) and not self.args.id.startswith((TENSION, OBSERVATION))
