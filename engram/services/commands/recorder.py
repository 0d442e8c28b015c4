"""From envelopes to journal records: decide on the current state, append, bring the database forward.

Invariant: while a Recorder lives, its process holds the store lock and the database stands at the journal's head.
"""

import datetime as dt
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Any

from engram.base.clock import to_iso
from engram.base.log import warn
from engram.base.text import sha256_hex
from engram.config.settings import Settings
from engram.errors import BadValueError
from engram.errors import EngramError
from engram.language.screen.redaction import redact_value
from engram.model.changes.change import Change
from engram.model.changes.record import Decision
from engram.model.changes.record import Record
from engram.model.changes.state import State
from engram.model.commands.command import CommandResult
from engram.model.commands.command import Envelope
from engram.model.commands.command import Outcome
from engram.model.conversation import Watermark
from engram.ports.database import FactDatabase
from engram.ports.journal import Journal
from engram.rules.clock_step import went_back
from engram.rules.fold.fold import fold_decision
from engram.services.commands.decider import Context
from engram.services.commands.decider import Decided
from engram.services.commands.decider import Decider
from engram.services.commands.deciders import DECIDERS
from engram.services.commands.known_ids import asked_in
from engram.services.commands.known_ids import require_same
from engram.services.commands.near_entities import near_names
from engram.services.commands.needed_state import load_state
from engram.services.commands.renewal_index import RenewalIndex
from engram.services.commands.undo import takes_latest
from engram.services.visibility import Caller
from engram.services.visibility import identify
from engram.services.visibility import in_plain_sessions


class Recorder:
    """Decides and records commands; made by `Workspace.writing`."""

    def __init__(
        self,
        journal: Journal,
        database: FactDatabase,
        *,
        settings: Settings,
        now: Callable[[], dt.datetime],
        recalled: Callable[[str], str | None] | None = None,
    ) -> None:
        """Take the two ends, the workspace's settings and the clock.

        `recalled` tells as what recall gave a text out lately.
        """
        self._journal = journal
        self.database = database
        self._settings = settings
        self._now = now
        self._recalled = recalled

    def record(self, envelopes: Sequence[Envelope]) -> list[CommandResult]:
        """Decide each command in order and append one record each, all flushed together.

        Returns one result per envelope, in order; a command whose id is known has the result it had, and is refused
        where it is another one. Nothing is acknowledged before it is durable.
        """
        results: list[CommandResult] = []
        for stretch in _stretches(envelopes):
            state, found, decisions = self._decide(stretch)
            self._append([[decision] for decision in decisions], ())
            results += [self._with_fact(result, state) for result in found]
        return results

    def record_together(
        self, envelopes: Sequence[Envelope], watermarks: Sequence[Watermark] = (), *, unless_refused: bool = False
    ) -> list[CommandResult]:
        """Decide all commands and append them with the watermarks as one record: all of it holds, or none.

        With `unless_refused` the watermarks are left out when a command is refused. The results go without what became
        of each fact: of thousands together nobody shows them.
        """
        _, results, decisions = self._decide(envelopes)
        if unless_refused and any(result.status == Outcome.REFUSED for result in results):
            watermarks = ()
        if decisions or watermarks:
            self._append([decisions], watermarks)
        return results

    def _decide(self, envelopes: Sequence[Envelope]) -> tuple[State, list[CommandResult], list[Decision]]:
        envelopes = [_plain(envelope, self._settings.agent) for envelope in envelopes]
        renewals = RenewalIndex()
        deciders = [_read(envelope, self._context(envelope, renewals)) for envelope in envelopes]
        state = load_state(self.database, envelopes, deciders)
        results: list[CommandResult] = []
        decisions: list[Decision] = []
        for envelope, decider in zip(envelopes, deciders, strict=True):
            if (known := state.commands.get(envelope.id)) is not None:
                results.append(known_result(envelope, known))
                continue
            decided = _decided(decider, envelope, state)
            if decided.result.error == "UnknownEntity":
                decided = decided._replace(result=self._with_near(decided.result, envelope))
            decided = _marked(envelope, decided)
            results.append(decided.result)
            decisions.append(
                Decision(actor=envelope.actor, asked_at=envelope.at, result=decided.result, changes=decided.changes)
            )
            fold_decision(state, decisions[-1])
        return state, results, decisions

    def _context(self, envelope: Envelope, renewals: RenewalIndex) -> Context:
        settings = self._settings
        return Context(envelope.at, settings.zone, settings.screen.patterns, self._recalled, renewals)

    def _append(self, batches: list[list[Decision]], watermarks: Sequence[Watermark]) -> None:
        head, previous = self._journal.head()
        self._watch_clock()
        records: list[Record] = []
        for position, decisions in enumerate(batches, head + 1):
            if records:
                previous = sha256_hex(self._journal.encode(records[-1]))
            record = Record(
                position=position,
                previous=previous,
                at=self._now(),
                decisions=tuple(decisions),
                watermarks=tuple(watermarks),
            )
            records.append(record)
        lines = self._journal.append(records)
        self.database.apply(list(zip(records, lines, strict=True)))

    def _watch_clock(self) -> None:
        """Warn where the clock has gone back since the last record: what is dated by it may have wrong days."""
        last, now = self.database.last_recorded_at(), self._now()
        if last is not None and went_back(last, now):
            warn(
                f"the clock went back from {to_iso(last)} to {to_iso(now)}; the journal's order counts (engram doctor)"
            )

    def _with_near(self, result: CommandResult, envelope: Envelope) -> CommandResult:
        name = str(result.details.get("name", ""))
        near = near_names(self.database, name, self._caller_of(envelope))
        return result.model_copy(update={"details": {**result.details, "near": near}})

    def _caller_of(self, envelope: Envelope) -> Caller:
        """Return who is told what became of a command: whoever is in the session that it was said in."""
        source = envelope.args.get("source")
        session = envelope.args.get("session") or (source.get("session") if isinstance(source, dict) else None)
        return identify(self.database, self._settings.agent, session if isinstance(session, str) else None)

    def _with_fact(self, result: CommandResult, state: State) -> CommandResult:
        if result.id is None or result.id not in state.facts:
            return result
        return result.model_copy(update={"fact": state.facts[result.id].model_dump(mode="json")})


def plan_command(database: FactDatabase, envelope: Envelope, settings: Settings) -> tuple[CommandResult, list[Change]]:
    """Return what a command would do on the database as it stands; nothing is done."""
    envelope = _plain(envelope, settings.agent)
    decider = _read(envelope, Context(envelope.at, settings.zone, settings.screen.patterns))
    decided = _decided(decider, envelope, load_state(database, [envelope], [decider]))
    return decided.result, list(decided.changes)


def _read(envelope: Envelope, context: Context) -> Decider | EngramError:
    make = DECIDERS.get(envelope.kind)
    if make is None:
        return BadValueError(f"no command is called {envelope.kind!r}", hint="engram --help")
    try:
        return make(_without_secrets(envelope), context)
    except EngramError as refusal:
        return refusal


def _stretches(envelopes: Sequence[Envelope]) -> Iterator[list[Envelope]]:
    """Yield the commands in order, parted before each that is about the one before it, which has to be stored."""
    stretch: list[Envelope] = []
    for envelope in envelopes:
        if stretch and takes_latest(envelope):
            yield stretch
            stretch = []
        stretch.append(envelope)
    if stretch:
        yield stretch


def _plain(envelope: Envelope, own_agent: str) -> Envelope:
    """Return the command with its sessions under their plain names, whichever door spooled it."""
    return envelope.model_copy(update={"args": in_plain_sessions(envelope.kind, envelope.args, own_agent)})


def _without_secrets(envelope: Envelope) -> Envelope:
    """Return the command as it may be stored: what is not spooled first comes here as it was said."""
    return envelope.model_copy(update={"args": redact_value(envelope.args)})


def _decided(decider: Decider | EngramError, envelope: Envelope, state: State) -> Decided:
    if isinstance(decider, EngramError):
        return Decided(_refused(envelope, decider))
    try:
        return decider.decide(state)
    except EngramError as refusal:
        return Decided(_refused(envelope, refusal))


def known_result(envelope: Envelope, known: CommandResult) -> CommandResult:
    """Return what a command gets whose id is known: the result of that one, or a refusal where it is another one."""
    try:
        require_same(_without_secrets(envelope), known)
    except EngramError as refusal:
        return _refused(envelope, refusal)
    return known


def _marked(envelope: Envelope, decided: Decided) -> Decided:
    """Return a decision whose result tells the same command from another one of its id."""
    if not (asked := asked_in(_without_secrets(envelope))):
        return decided
    details = {**decided.result.details, **asked}
    return decided._replace(result=decided.result.model_copy(update={"details": details}))


def _refused(envelope: Envelope, why: EngramError) -> CommandResult:
    details: dict[str, Any] = {key: value for key, value in why.details.items() if value is not None}
    return CommandResult(
        command_id=envelope.id,
        kind=envelope.kind,
        status=Outcome.REFUSED,
        reason=why.message,
        error=why.code,
        exit_code=why.exit_code,
        hint=why.hint,
        details=details,
    )
