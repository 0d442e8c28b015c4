"""The verbs about facts: what is said, what is known, and what becomes of it."""

import datetime as dt
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from typing import Any
from typing import Unpack
from typing import get_args

from engram.api.opened import Opened
from engram.api.opened import envelope_of
from engram.api.opened import require_list
from engram.api.opened import require_one_of
from engram.api.opened import require_text
from engram.api.values import CategoryName
from engram.api.values import FactView
from engram.api.values import Moment
from engram.api.values import ShownFact
from engram.api.values import StatusName
from engram.api.values import TierName
from engram.api.values import VerdictName
from engram.api.values import WriteFields
from engram.errors import BadValueError
from engram.language.signal.detector import SignalResult
from engram.language.signal.detector import detect
from engram.model.commands.command import CommandResult
from engram.model.commands.command import Envelope
from engram.model.commands.write_command import LIST_FIELDS
from engram.model.commands.write_command import WriteCommand
from engram.model.commands.write_command import WriteSource
from engram.model.fact import Fact
from engram.model.vocabulary import CAN_BE_UNDONE
from engram.operations.answers.kept_promises import without_kept
from engram.operations.answers.packed_views import packed_views
from engram.ports.database import FactDatabase
from engram.services.facts import listing
from engram.services.facts.contradictions import find_contradictions
from engram.services.facts.parts import MADE_OF
from engram.services.facts.parts import parts_of
from engram.services.facts.parts import view_with_parts
from engram.services.facts.sources.provenance import explain_fact
from engram.workspace import Workspace

_FIELDS = WriteFields.__annotations__.keys()
_MOMENTS = ("valid_from", "valid_to")
_BATCH = 64  # facts flushed to the disk together


class Facts(Opened):
    """Facts and their history."""

    def signal(self, text: str) -> SignalResult:
        """Classify a message of a user: is there something worth keeping in it, and where. Writes nothing."""
        return detect(text)

    def write(
        self,
        entity: str,
        fact: str,
        *,
        wait: float | None = None,
        command_id: str | None = None,
        dry_run: bool = False,
        **fields: Unpack[WriteFields],
    ) -> CommandResult:
        """Record a fact.

        Args:
            entity: whom or what it is about: path, title or alias.
            fact: one statement, 1 to 2,000 characters.
            wait: seconds to wait for the result; 0 returns `accepted` as soon as it is durable; None: store.wait_s.
            command_id: the same id twice is one effect.
            dry_run: return what would become of it, and change nothing.
            fields: see `WriteFields`.

        Returns:
            What became of it: created, confirmed (known already), superseded, tension, quarantined or accepted.

        Raises:
            UnknownEntityError: when there is no such entity and not `create`.
            BadValueError, RefusedError and the like: when it was refused; nothing was changed.
        """
        args = self._write_command({**fields, "entity": entity, "fact": fact}).as_args()
        return self._change("write", args, wait=wait, command_id=command_id, dry_run=dry_run)

    def write_many(self, facts: Iterable[Mapping[str, Any]]) -> list[CommandResult]:
        """Record many facts, each an object with the names of `write` and perhaps a `command_id`.

        Returns one result for each, in order. What is refused raises nothing here: its result says why, and the others
        are recorded. Raises BadValueError for what is no fact at all, before anything is recorded.
        """
        with self._turn:
            at = self._workspace
            read = [self._envelope(dict(one)) for one in facts]
            results: list[CommandResult] = []
            for begin in range(0, len(read), _BATCH):
                with at.writing("write_many") as recorder:
                    results += recorder.record(read[begin : begin + _BATCH])
                    if begin + _BATCH >= len(read):
                        at.life.refresh_quietly(recorder)
            return results

    def facts(  # noqa: PLR0913 - the options of `engram facts`
        self,
        *,
        entity: str | None = None,
        category: CategoryName | None = None,
        tag: str | None = None,
        status: StatusName = "active",
        tier: TierName | None = None,
        since: Moment | None = None,
        as_of: Moment | None = None,
        as_known: Moment | None = None,
        limit: int | None = None,
    ) -> list[FactView]:
        """Return all facts that fit, by entity and number; `since` is when they were recorded, `limit` the newest.

        What waits to be said again or confirmed is listed with `status="candidate"`, and only so.

        Raises UnknownEntityError, AmbiguousNameError, BadValueError.
        """
        words = {"entity": entity, "category": category, "tag": tag, "status": status, "tier": tier}
        times = {"since": since, "as_of": as_of, "as_known": as_known}
        with self._reading() as (at, database):
            query = self._facts_query(words, times, limit)
            views = listing.list_facts(database, query, _asked(at))
            now = views if query.is_of_past else without_kept(database, views, _asked(at))
        return [FactView.model_validate(view) for view in now]

    def iter_facts(  # noqa: PLR0913 - the options of `engram facts`
        self,
        *,
        entity: str | None = None,
        category: CategoryName | None = None,
        tag: str | None = None,
        status: StatusName = "active",
        tier: TierName | None = None,
        since: Moment | None = None,
        as_of: Moment | None = None,
        as_known: Moment | None = None,
        limit: int | None = None,
    ) -> Iterator[FactView]:
        """Return an iterator over what `facts` returns, as it is now: what was not asked for yet is held compressed.

        Raises like `facts`, at once.
        """
        words = {"entity": entity, "category": category, "tag": tag, "status": status, "tier": tier}
        times = {"since": since, "as_of": as_of, "as_known": as_known}
        with self._reading() as (at, database):
            views = packed_views(database, self._facts_query(words, times, limit), _asked(at))
        return map(FactView.model_validate, views)

    def show(self, fact_id: str) -> ShownFact:
        """Return one fact by its id, full or short, and what it was made of.

        Each part in `made_of` is {"id", "kind", "text", "date", "status", "holds", "made_of"}. Raises UnknownFactError,
        AmbiguousNameError.
        """
        require_text(fact_id=fact_id)
        with self._reading() as (at, database):
            fact = listing.get_fact(database, fact_id)
            (view,) = without_kept(database, [view_with_parts(database, fact, _asked(at))], _asked(at))
        return ShownFact.model_validate(view)

    def history(self, fact_id: str) -> list[FactView]:
        """Return the chain of versions that a fact belongs to, oldest first; raises like `show`."""
        require_text(fact_id=fact_id)
        with self._reading() as (at, database):
            return _views(at, database, listing.chain_of(database, listing.get_fact(database, fact_id)))

    def why(self, fact_id: str) -> list[dict[str, Any]]:
        """Return why a fact is believed: each version, newest first, with the words it rests on; raises like `show`.

        See `engram.services.facts.sources.provenance.explain_fact` for the keys. The version that was asked for has
        `made_of` besides: the facts and observations that it was made of, as `parts_of` tells them.
        """
        require_text(fact_id=fact_id)
        with self._reading() as (at, database):
            fact = listing.get_fact(database, fact_id)
            parts = {MADE_OF: parts_of(database, fact, _asked(at))}
            steps = explain_fact(database, fact, at.files, _asked(at).now)
        return [{**step, **(parts if step["id"] == fact.id else {})} for step in steps]

    def contradictions(self, entity: str, fact: str, *, cross_entity: bool = False) -> list[dict[str, Any]]:
        """Return the active facts that cannot hold beside a statement, surest first; writes nothing.

        Each is {"id", "entity", "text", "kind", "attribute", "confidence", "why"}. Raises UnknownEntityError,
        AmbiguousNameError, BadValueError.
        """
        require_text(entity=entity, fact=fact)
        with self._reading() as (_, database):
            return find_contradictions(database, entity, fact, cross_entity=cross_entity)

    def correct(
        self,
        fact_id: str,
        fact: str,
        *,
        category: CategoryName | None = None,
        confidence: float | None = None,
        value: str | None = None,
        dry_run: bool = False,
    ) -> CommandResult:
        """Replace a fact by what is right, in one change; what is not said stays as before. Raises like `write`."""
        args = {"id": fact_id, "text": fact, "category": category, "confidence": confidence, "value": value}
        return self._change("correct", args | {CAN_BE_UNDONE: True}, dry_run=dry_run)

    def retract(self, fact_id: str, reason: str, *, dry_run: bool = False) -> CommandResult:
        """Take a fact back; it stays in the history, with the reason. Raises UnknownFactError, RefusedError."""
        return self._change("retract", {"id": fact_id, "reason": reason, CAN_BE_UNDONE: True}, dry_run=dry_run)

    def confirm(self, fact_id: str, *, dry_run: bool = False) -> CommandResult:
        """Say that a fact still holds: counted, and fresh again. Raises like `retract`."""
        return self._change("confirm", {"id": fact_id}, dry_run=dry_run)

    def pin(self, fact_id: str, *, dry_run: bool = False) -> CommandResult:
        """Keep a fact in the summary whatever its tier. Raises like `retract`."""
        return self._change("pin", {"id": fact_id}, dry_run=dry_run)

    def unpin(self, fact_id: str, *, dry_run: bool = False) -> CommandResult:
        """Let a pinned fact decay again. Raises like `retract`."""
        return self._change("unpin", {"id": fact_id}, dry_run=dry_run)

    def access(self, fact_id: str, *, dry_run: bool = False) -> CommandResult:
        """Count a use of a fact: it becomes hot again. Raises UnknownFactError."""
        return self._change("access", {"id": fact_id}, dry_run=dry_run)

    def feedback(self, fact_id: str, verdict: VerdictName, *, dry_run: bool = False) -> CommandResult:
        """Say whether a fact that recall gave was `useful` or `wrong`: it moves its confidence and retires nothing.

        Raises UnknownFactError, AmbiguousNameError, BadValueError.
        """
        require_one_of("verdict", verdict, get_args(VerdictName))
        return self._change("feedback", {"id": fact_id, "verdict": verdict}, dry_run=dry_run)

    # -- inside

    def _envelope(self, given: dict[str, Any]) -> Envelope:
        command_id = given.pop("command_id", None)
        args = self._write_command(given).as_args()
        return envelope_of(self._workspace, "write", args, actor=self._actor, command_id=command_id)

    def _write_command(self, given: Mapping[str, Any]) -> WriteCommand:
        """Return the command; raise BadValueError for what is no field, or missing, or no list."""
        known = {"entity", "fact", *_FIELDS}
        for name in given:
            require_one_of("field", name, sorted(known))
        said = {name: value for name, value in given.items() if value is not None}
        for name in ("entity", "fact"):
            if name not in said:
                raise BadValueError(f"{name} is missing", hint='such as write("people/anna", "Anna prefers tea")')
        require_list(**{name: said[name] for name in sorted(LIST_FIELDS & said.keys())})
        source = WriteSource(self._actor.value, session=said.pop("session", None), label=said.pop("source", None))
        said |= {name: list(said[name]) for name in LIST_FIELDS & said.keys()}
        said |= {name: _written(said[name]) for name in _MOMENTS if name in said}
        return WriteCommand(text=said.pop("fact"), source=source, **said)

    def _facts_query(
        self, words: Mapping[str, str | None], times: Mapping[str, Moment | None], limit: int | None
    ) -> listing.FactQuery:
        """Return what a listing asks for; raise BadValueError."""
        for name, known in (("status", StatusName), ("category", CategoryName), ("tier", TierName)):
            require_one_of(name, words[name], get_args(known))
        moments = {name: self._instant(name, given) for name, given in times.items()}
        said = {name: word or "" for name, word in words.items()}
        return listing.FactQuery(
            entity=said["entity"],
            category=said["category"],
            tag=said["tag"],
            status=said["status"],
            tier=said["tier"],
            since=moments["since"],
            as_of=moments["as_of"],
            as_known=moments["as_known"],
            limit=limit,
        )


def _written(moment: Moment) -> str:
    """Return a moment as the command reads it, in the time zone of the workspace when it has none."""
    return moment.isoformat() if isinstance(moment, dt.date) else moment


def _asked(at: Workspace) -> listing.Moment:
    return listing.Moment(now=at.now(), decay=at.settings.decay, zone=at.settings.zone, caller=None)


def _views(at: Workspace, database: FactDatabase, facts: Iterable[Fact]) -> list[FactView]:
    views = without_kept(database, listing.fact_views(database, facts, _asked(at)), _asked(at))
    return [FactView.model_validate(view) for view in views]
