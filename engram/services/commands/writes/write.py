"""The command that puts a fact in: write."""

import datetime as dt
from collections.abc import Sequence
from functools import lru_cache
from functools import partial
from typing import Any

from engram.base.dates import parse_moment
from engram.base.text import KINDS
from engram.base.text import MAX_FACT_CHARS
from engram.base.text import RECALLED_OPENING
from engram.base.text import clean_statement
from engram.base.text import fingerprint
from engram.base.text import parse_entity_path
from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.errors import UnknownEntityError
from engram.language.compare.contradiction.compare import skeleton
from engram.language.compare.updates.renewal import sought_keys
from engram.language.screen.injection import Injection
from engram.language.screen.injection import find_injections
from engram.language.screen.intent import STEERS
from engram.language.screen.intent import find_steering
from engram.language.screen.secrets import marked_kinds
from engram.language.screen.secrets import redact
from engram.model.changes.change import Change
from engram.model.changes.change import EntityCreated
from engram.model.changes.change import FactAccessed
from engram.model.changes.state import State
from engram.model.commands.command import CommandResult
from engram.model.commands.command import Envelope
from engram.model.commands.command import Outcome
from engram.model.entity import Entity
from engram.model.fact import SHARED
from engram.model.fact import Abstraction
from engram.model.fact import Actor
from engram.model.fact import Draft
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.model.tension import TensionStatus
from engram.model.vocabulary import CAN_BE_UNDONE
from engram.ports.database import SliceKeys
from engram.rules.temporal import has_ended
from engram.rules.trust.authority import PERSONS
from engram.rules.trust.authority import PERSONS_WORD
from engram.rules.trust.authority import Authority
from engram.rules.trust.authority import in_own_name
from engram.rules.trust.authority import needs_a_person
from engram.rules.trust.authority import own_trust
from engram.rules.writes.derivation import least_trusted
from engram.rules.writes.derivation import narrowest_scope
from engram.rules.writes.derivation import split_ids
from engram.rules.writes.retraction import settle
from engram.rules.writes.write_plan import Analysis
from engram.rules.writes.write_plan import Plan
from engram.rules.writes.write_plan import Situation
from engram.rules.writes.write_plan import plan_write
from engram.rules.writes.write_undo import can_be_unwritten
from engram.services.commands.decider import Context
from engram.services.commands.decider import Decided
from engram.services.commands.decider import find_entity
from engram.services.commands.decider import get_fact
from engram.services.commands.decider import get_sources
from engram.services.commands.decider import read_fields
from engram.services.commands.entity_names import title_for
from engram.services.commands.writes.corrected_facts import correction_of
from engram.services.commands.writes.corrected_facts import find_put_right
from engram.services.commands.writes.corrected_facts import is_left_alone
from engram.services.commands.writes.corrected_facts import take_back
from engram.services.commands.writes.corrected_facts import with_doubted
from engram.services.commands.writes.in_whose_name import told_by
from engram.services.commands.writes.renewals import Renewal
from engram.services.commands.writes.renewals import find_renewal
from engram.services.commands.writes.slot_filling import compared
from engram.services.commands.writes.slot_filling import fill_slot
from engram.services.commands.writes.slot_filling import slot_history
from engram.services.commands.writes.slot_filling import slot_names
from engram.services.visibility import refuse_reach
from engram.services.visibility import scope_in

MAX_WORD_CHARS = 200  # of a tag, an attribute, a scope, a title, a session or an entity's name
MAX_LABEL_CHARS = 1000  # of a slot's value and of a source in words
MAX_LISTED = 100  # tags, relations or replaced facts of one fact
_PATHS = ", ".join(f"{kind}/NAME" for kind in KINDS)
_MOST_NAMED = 3  # orders of one text that its reason names
_TOLD = frozenset({Actor.AGENT, Actor.TOOL})  # who may repeat what recall said


class Write:
    """`write`: one statement about one entity."""

    def __init__(self, envelope: Envelope, context: Context, *, word: Authority | None = None) -> None:
        """Read, clean, redact and screen the draft; raise BadValueError or RefusedError.

        `word` is how far the word of somebody reaches who decided that this is written, where it is not their own.
        """
        self._envelope = envelope
        self._word = word
        self._context = context
        fields = dict(envelope.args)
        for name in ("valid_from", "valid_to"):
            if isinstance(said := fields.get(name), str):
                fields[name] = _moment(said, context.zone, context.now, name)
        fields.setdefault("source", {"actor": envelope.actor.value})
        self._wants_undo = fields.pop(CAN_BE_UNDONE, False) is True  # somebody wrote it by hand
        self._draft, self._removed = _clean(read_fields(Draft, fields), envelope.actor)
        if needs_a_person(self._draft):
            self._draft = self._draft.model_copy(update={"abstraction": Abstraction.PATTERN})
        self._analysis = analyse(self._draft, context.patterns)
        self._has_scope = "scope" in fields
        by_words = envelope.actor != Actor.IMPORT and self._analysis.trust != Trust.QUARANTINED
        self._correction = correction_of(self._draft) if by_words else None

    def keys(self) -> SliceKeys:
        """See Decider."""
        draft, analysis = self._draft, self._analysis
        slots = slot_names(draft)
        derived, noticed = split_ids(draft.derived_from)
        return SliceKeys(
            names=frozenset({draft.entity, *draft.related}),
            fact_ids=frozenset(fact_id.casefold() for fact_id in (*draft.supersedes, *draft.disputes)) | derived,
            with_plans=True,
            observation_ids=noticed,
            sessions=frozenset(filter(None, [draft.source.session])),
            statements=tuple((draft.entity, analysis.fingerprint, analysis.skeleton, slot) for slot in slots),
            said_in=frozenset(filter(None, [draft.source.session])) if self._correction else frozenset(),
            turn_ids=frozenset(filter(None, [draft.source.turn])),
            renewal_keys=sought_keys(draft.text),
            histories=frozenset((draft.entity, slot) for slot in slots if slot) if draft.valid_from else frozenset(),
        )

    def decide(self, state: State) -> Decided:
        """See Decider."""
        entity, made = self._entity(state)
        said, analysis = self._told(entity, state)
        replaced = [
            _replaceable(get_fact(state, fact_id), entity, said, self._context.now) for fact_id in said.supersedes
        ]
        said_in = state.sessions.get(said.source.session or "")
        placed = said if self._has_scope else said.model_copy(update={"scope": scope_in(said_in)})
        doubted: tuple[Fact, ...] = ()
        is_change = False
        if self._correction is not None:
            taken = take_back(state, placed, entity, self._correction, analysis, self._context)
            if not (taken.replaced or taken.doubted or taken.draft.corrects) and is_left_alone(
                placed, self._correction
            ):
                why = "it corrects something that is not known, and says nothing by itself"
                raise RefusedError(why, hint="say what it is about", rejected=entity.path)
            made = made if taken.entity is entity else ()
            placed, entity, replaced, doubted = taken.draft, taken.entity, [*taken.replaced], taken.doubted
            is_change = taken.is_change
            analysis = analyse(placed, self._context.patterns)
            if placed.text != said.text:  # it says again what they said
                analysis = analysis._replace(trust=least_trusted(analysis.trust, replaced))
        elif (wrong := find_put_right(state, placed, entity)) is not None:
            why = f"{wrong.id} said the same and was corrected by {wrong.superseded_by}"
            raise RefusedError(why, hint=f"engram show {wrong.superseded_by}", rejected=wrong.id)
        doubted += tuple(one for one in map(partial(get_fact, state), placed.disputes) if one.status == Status.ACTIVE)
        draft, analysis = fill_slot(*self._derived(_about_now(placed, state), analysis, state), entity)
        renewal = Renewal() if replaced or doubted else self._find_renewal(state, draft, entity, analysis)
        if _is_worth_it(renewal):
            draft = draft.model_copy(update={"candidate": False})
        if self._envelope.actor != Actor.IMPORT:  # which tells again what was decided
            refuse_reach(said_in, replaced, draft.scope)
        situation = Situation(
            entity=entity,
            known=with_doubted(compared(state, entity, draft, analysis, self._context.judge), doubted),
            tension_count=state.tension_count,
            now=self._context.now,
            zone=self._context.zone,
            replaced=replaced,
            renewed=replaced if is_change else renewal.replaced,
            outdated_by=renewal.outdated_by,
            no_conflict=frozenset(tension.pair for tension in state.tensions.values() if tension.pair),
            beside=[*slot_history(state, entity, draft, analysis), *state.facts_to_end()],
            usages=state.usages,
            in_tension=frozenset(one.sides for one in state.tensions.values() if one.status == TensionStatus.OPEN),
            word=self._word,
        )
        plan = plan_write(draft, analysis, situation)
        if plan.status == Outcome.REFUSED:
            raise RefusedError(plan.reason, hint=f"engram show {plan.fact_id}", rejected=plan.fact_id)
        if self._comes_back(plan, said):
            plan = as_use(plan, self._context.now)
        gone = set(plan.superseded)
        settled = settle(list(state.tensions.values()), gone, "superseded", self._context.now)
        changes = (*made, *plan.changes, *settled)
        result = _result(self._envelope, plan, self._removed)
        if self._wants_undo and can_be_unwritten(state, changes):
            result = result.model_copy(update={"details": {**result.details, CAN_BE_UNDONE: True}})
        return Decided(result, changes)

    def _told(self, entity: Entity, state: State) -> tuple[Draft, Analysis]:
        """Return the draft with who says it, and what is known of its text when they do."""
        told = told_by(self._draft, self._envelope.actor, entity, state)
        if told is self._draft:
            return told, self._analysis
        if needs_a_person(told):
            told = told.model_copy(update={"abstraction": Abstraction.PATTERN})
        return told, analyse(told, self._context.patterns)

    def _find_renewal(self, state: State, draft: Draft, entity: Entity, analysis: Analysis) -> Renewal:
        """Return what the draft brings up to date; an import tells again what was decided elsewhere."""
        if self._envelope.actor == Actor.IMPORT:
            return Renewal()
        return find_renewal(state, draft, entity, analysis, self._context)

    def _comes_back(self, plan: Plan, said: Draft) -> bool:
        """Tell whether an agent or a tool only repeats what recall told it: that confirms nothing."""
        if not plan.repeats or said.source.actor not in _TOLD or self._context.recalled is None:
            return False
        return self._context.recalled(said.text) is not None

    def _derived(self, draft: Draft, analysis: Analysis, state: State) -> tuple[Draft, Analysis]:
        """Return the draft with its sources by their whole ids, no wider than they are and no more trusted.

        Of what an agent noticed and a person decided to keep, only the facts that it stands on count.
        """
        if not draft.derived_from:
            return draft, analysis
        sources = get_sources(state, draft.derived_from)
        ids = tuple(source.id for source in sources)
        update = {"derived_from": ids, "scope": narrowest_scope(draft.scope, sources)}
        counting = sources
        if self._word == PERSONS_WORD:
            counting = [one for one in sources if isinstance(one, Fact) or one.trust == Trust.QUARANTINED]
        trust = least_trusted(analysis.trust, counting)
        if trust == Trust.QUARANTINED and analysis.trust != trust:
            analysis = analysis._replace(reason="it was made of what is quarantined")
        return draft.model_copy(update=update), analysis._replace(trust=trust)

    def _entity(self, state: State) -> tuple[Entity, tuple[Change, ...]]:
        name = self._draft.entity
        entity = find_entity(state, name)
        if entity is not None:
            return entity, ()
        if not self._draft.create:
            raise UnknownEntityError(f"no entity is called {name!r}", name=name)
        entity = new_entity(name, self._draft.title, self._context)
        return entity, (EntityCreated(entity=entity),)


def _is_worth_it(renewal: Renewal) -> bool:
    """Tell whether a statement is worth keeping because what it brings up to date is believed."""
    return any(fact.status == Status.ACTIVE for fact in renewal.replaced)


def analyse(draft: Draft, patterns: Sequence[str] = ()) -> Analysis:
    """Return what text analysis knows about a cleaned draft; `patterns` are the settings' own signs of an order."""
    orders = find_injections(draft.text, patterns)
    trust = own_trust(draft.source.actor, draft.trust)
    reason = "the writer asked for quarantine" if trust == Trust.QUARANTINED else ""
    if orders:
        trust, reason = Trust.QUARANTINED, f"it tries to give orders: {_named(orders)}"
    elif draft.source.actor not in PERSONS and (steers := find_steering(draft.text)) is not None:
        trust, reason = Trust.QUARANTINED, f"it tries to give orders: “{steers.text}” ({STEERS})"
    return Analysis(
        fingerprint=fingerprint(draft.text),
        skeleton=skeleton(draft.text),
        trust=trust,
        single_valued=False,
        reason=reason,
    )


def _named(orders: Sequence[Injection]) -> str:
    """Return the first orders in words, each stretch of text once with the first rule that found it."""
    named: dict[str, str] = {}
    for order in orders:
        named.setdefault(order.text, f"“{order.text}” ({order.rule})")
    return "; ".join(list(named.values())[:_MOST_NAMED])


def as_use(plan: Plan, now: dt.datetime) -> Plan:
    """Return a plan that repeats a fact or a candidate as one that only counts a use of it."""
    used = FactAccessed(id=plan.fact_id, at=now)
    reason = f"already known as {plan.fact_id}, which recall gave out: counted as a use"
    return Plan(Outcome.CONFIRMED, plan.fact_id, (used,), similar=plan.similar, reason=reason, waits=plan.waits)


def new_entity(name: str, title: str | None, context: Context) -> Entity:
    """Return a fresh entity for a path; raise BadValueError when the name is no path, or GivesOrdersError."""
    parsed = parse_entity_path(name)
    if parsed is None:
        raise BadValueError(f"{name!r} is not an entity path", hint=f"write {_PATHS}", name=name)
    path = "/".join(parsed)
    return Entity(path=path, title=title_for(path, title, context), created_at=context.now)


def _clean(draft: Draft, actor: Actor) -> tuple[Draft, tuple[str, ...]]:
    """Return the draft in normal form without secrets, and the kinds of secrets that were taken out.

    `actor` is who asks for it, who cannot make it a person's by saying so.
    """
    text = clean_statement(draft.text)
    if not text:
        raise BadValueError("the fact is empty", hint="say one statement, 1 to 2,000 characters")
    if RECALLED_OPENING in text:
        raise RefusedError("that is text which Engram itself recalled", hint="engram access ID counts a use of a fact")
    redacted = redact(text)
    if len(redacted.text) > MAX_FACT_CHARS:
        raise BadValueError(
            f"the fact has {len(redacted.text)} characters; {MAX_FACT_CHARS} is the most",
            hint="split it into statements",
        )
    _check_scope(draft.scope)
    _check_lengths(draft)
    if draft.valid_from is not None and draft.valid_to is not None and draft.valid_to < draft.valid_from:
        raise BadValueError("the fact ends before it begins", hint="--valid-to is not before --valid-from")
    if draft.candidate and draft.supersedes:
        raise BadValueError("a candidate takes the place of nothing", hint="leave out candidate, or what it replaces")
    if "/" in draft.entity and parse_entity_path(draft.entity) is None:
        raise BadValueError(f"{draft.entity!r} is not an entity path", hint=f"write {_PATHS}", entity=draft.entity)
    value = redact(clean_statement(draft.value)) if draft.value else None
    label = redact(draft.source.label) if draft.source.label else None
    kinds = marked_kinds(" ".join(found.text for found in (redacted, value, label) if found))
    source = in_own_name(draft.source, actor).model_copy(update={"label": label.text if label else None})
    update: dict[str, Any] = {"text": redacted.text, "value": value.text if value else None, "source": source}
    update |= {"attribute": draft.attribute.strip().casefold() if draft.attribute else None}
    update |= {"derived_from": tuple(dict.fromkeys(one.strip().casefold() for one in draft.derived_from))}
    update |= {"tags": _labels(draft.tags), "related": _paths(draft.related)}
    return draft.model_copy(update=update), kinds


def _check_lengths(draft: Draft) -> None:
    short = {"attribute": draft.attribute, "scope": draft.scope, "title": draft.title, "session": draft.source.session}
    lengths = {name: len(text or "") for name, text in short.items()}
    lengths |= {"tags": max(map(len, draft.tags), default=0), "related": max(map(len, draft.related), default=0)}
    long = {"value": len(draft.value or ""), "source": len(draft.source.label or "")}
    for most, found in ((MAX_WORD_CHARS, lengths), (MAX_LABEL_CHARS, long)):
        for name, length in found.items():
            if length > most:
                message = f"{name} has {length} characters; {most} is the most"
                raise BadValueError(message, hint="shorten it", field=name)
    if max(len(draft.tags), len(draft.related), len(draft.supersedes), len(draft.derived_from)) > MAX_LISTED:
        raise BadValueError(f"a list of a fact has at most {MAX_LISTED} members", hint="split the fact")


def _about_now(draft: Draft, state: State) -> Draft:
    """Return the draft with the entities that it names where they stand now."""
    now = {state.resolve(path) or path for path in draft.related}
    return draft if now == set(draft.related) else draft.model_copy(update={"related": tuple(sorted(now))})


def _labels(labels: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({clean_statement(label) for label in labels} - {""}))


def _paths(names: tuple[str, ...]) -> tuple[str, ...]:
    paths = set()
    for name in names:
        parsed = parse_entity_path(name)
        if parsed is None:
            raise BadValueError(
                f"related: {name!r} is not an entity path", hint="such as people/anna or projects/billing"
            )
        paths.add("/".join(parsed))
    return tuple(sorted(paths))


def _check_scope(scope: str) -> None:
    kind, colon, name = scope.partition(":")
    if scope != SHARED and not (kind in {"session", "agent"} and colon and name):
        raise BadValueError(f"scope {scope!r} is none", hint="write shared, session:NAME or agent:NAME")


def _replaceable(fact: Fact, entity: Entity, draft: Draft, now: dt.datetime) -> Fact:
    if fact.entity != entity.path:
        raise RefusedError(f"{fact.id} is about {fact.entity}, not {entity.path}", hint="name facts of the same entity")
    if fact.status == Status.SUPERSEDED:
        raise RefusedError(
            f"{fact.id} was already replaced by {fact.superseded_by}", hint=f"engram correct {fact.superseded_by}"
        )
    is_planned = fact.status == Status.ACTIVE and fact.superseded_by is not None and not draft.corrects
    if is_planned and (has_ended(fact, now) or (draft.valid_from or now) > now):
        when = "was" if has_ended(fact, now) else "is to be"
        raise RefusedError(
            f"{fact.id} {when} replaced by {fact.superseded_by}", hint=f"engram correct {fact.superseded_by}"
        )
    if fact.status == Status.RETRACTED:
        raise RefusedError(f"{fact.id} was retracted: {fact.reason}", hint="write it as a new fact")
    return fact


@lru_cache(maxsize=1024)  # the facts of one note begin on the same day
def _moment(text: str, zone: dt.tzinfo, now: dt.datetime, name: str) -> str:
    return parse_moment(text, zone=zone, now=now, name=name).isoformat()


def _result(envelope: Envelope, plan: Plan, removed: tuple[str, ...]) -> CommandResult:
    near = tuple(
        {"id": one.fact.id, "text": one.fact.text, "similarity": round(one.comparison.similarity, 3)}
        for one in plan.similar
    )
    secrets = f"taken out: {', '.join(removed)}" if removed else ""
    return CommandResult(
        command_id=envelope.id,
        kind=envelope.kind,
        status=plan.status,
        id=plan.fact_id,
        superseded=plan.superseded,
        tensions=plan.tensions,
        similar=near,
        reason="; ".join(part for part in (plan.reason, secrets) if part) or None,
        exit_code=4 if plan.status == Outcome.QUARANTINED else 0,
        details={"candidate": True} if plan.waits else {},
    )
