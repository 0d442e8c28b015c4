"""The command that puts a fact in: write."""

import datetime as dt
import itertools
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from engram.base.dates import parse_moment
from engram.errors import RefusedError
from engram.errors import UnknownEntityError
from engram.language.compare.corrections.corrections import Correction
from engram.language.compare.updates.renewal import sought_keys
from engram.model.changes.change import Change
from engram.model.changes.change import EntityCreated
from engram.model.changes.state import State
from engram.model.commands.command import CommandResult
from engram.model.commands.command import Envelope
from engram.model.commands.command import Outcome
from engram.model.entity import Entity
from engram.model.fact import EXPERIENCE
from engram.model.fact import Abstraction
from engram.model.fact import Actor
from engram.model.fact import Category
from engram.model.fact import Draft
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.model.tension import TensionStatus
from engram.model.vocabulary import CAN_BE_UNDONE
from engram.ports.database import SliceKeys
from engram.rules.trust.authority import PERSONS_WORD
from engram.rules.trust.authority import Authority
from engram.rules.trust.authority import needs_a_person
from engram.rules.writes.derivation import least_trusted
from engram.rules.writes.derivation import narrowest_scope
from engram.rules.writes.derivation import split_ids
from engram.rules.writes.plan import Plan
from engram.rules.writes.plan import as_use
from engram.rules.writes.retraction import close_tensions
from engram.rules.writes.retraction import retired_by
from engram.rules.writes.situation import Analysis
from engram.rules.writes.situation import Situation
from engram.rules.writes.write_plan import plan_write
from engram.rules.writes.write_undo import can_be_unwritten
from engram.services.commands.decider import Context
from engram.services.commands.decider import Decided
from engram.services.commands.decider import find_entity
from engram.services.commands.decider import get_fact
from engram.services.commands.decider import get_sources
from engram.services.commands.decider import read_fields
from engram.services.commands.entity_names import new_entity
from engram.services.commands.writes.corrected_facts import correction_of
from engram.services.commands.writes.corrected_facts import find_put_right
from engram.services.commands.writes.corrected_facts import is_left_alone
from engram.services.commands.writes.corrected_facts import take_back
from engram.services.commands.writes.corrected_facts import with_doubted
from engram.services.commands.writes.draft_text import analyse
from engram.services.commands.writes.draft_text import clean_draft
from engram.services.commands.writes.elsewhere import sought_elsewhere
from engram.services.commands.writes.in_whose_name import answers
from engram.services.commands.writes.in_whose_name import told_by
from engram.services.commands.writes.order_end import with_its_end
from engram.services.commands.writes.renewals import Renewal
from engram.services.commands.writes.renewals import find_renewal
from engram.services.commands.writes.replaceable_facts import replaceable
from engram.services.commands.writes.slot_filling import compared
from engram.services.commands.writes.slot_filling import fill_slot
from engram.services.commands.writes.slot_filling import slot_history
from engram.services.commands.writes.slot_filling import slot_names
from engram.services.visibility import refuse_pool
from engram.services.visibility import refuse_reach
from engram.services.visibility import scope_in
from engram.services.visibility import scopes_in

_TOLD = frozenset({Actor.AGENT, Actor.TOOL})  # who may repeat what recall said


class _Aim(NamedTuple):
    """What a write is to say, and what it is to take the place of."""

    said: Draft  # in the words of who wrote it
    draft: Draft  # as it is understood
    entity: Entity
    analysis: Analysis
    made: tuple[Change, ...] = ()  # of the entity, when there was none
    replaced: Sequence[Fact] = ()
    doubted: tuple[Fact, ...] = ()  # of which one may be meant, or which it may not replace
    is_change: bool = False  # what it replaces held until it was said


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
        if fields.get("scope") == EXPERIENCE:
            fields.setdefault("category", Category.LESSON.value)
        self._wants_undo = fields.pop(CAN_BE_UNDONE, False) is True  # somebody wrote it by hand
        self._draft, self._removed = clean_draft(read_fields(Draft, fields), envelope.actor)
        self._ending = ""
        if envelope.actor != Actor.IMPORT:
            self._draft, self._ending = with_its_end(self._draft, context)
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
        session = frozenset(filter(None, [draft.source.session]))
        scopes = (draft.scope,) if self._has_scope else scopes_in(draft.source.session)
        derived, noticed = split_ids(draft.derived_from)
        return SliceKeys(
            names=frozenset({draft.entity, *draft.related}),
            fact_ids=frozenset(fact_id.casefold() for fact_id in (*draft.supersedes, *draft.disputes)) | derived,
            with_plans=True,
            observation_ids=noticed,
            sessions=session,
            statements=tuple((draft.entity, analysis.fingerprint, analysis.skeleton, slot) for slot in slots),
            mentions=sought_elsewhere(self._correction, draft.source, scopes),
            said_in=session if self._correction or answers(draft) else frozenset(),
            turn_ids=frozenset(filter(None, [draft.source.turn])),
            renewals=frozenset(itertools.product(scopes, sought_keys(draft.text))),
            histories=frozenset((draft.entity, slot) for slot in slots if slot) if draft.valid_from else frozenset(),
        )

    def decide(self, state: State) -> Decided:
        """See Decider."""
        aim = self._aim(state)
        said_in = state.sessions.get(aim.said.source.session or "")
        refuse_pool(aim.draft.scope, said_in, state.turns.get(aim.said.source.turn or ""))
        draft, analysis = fill_slot(*self._derived(_about_now(aim.draft, state), aim.analysis, state), aim.entity)
        has_aim = aim.replaced or aim.doubted
        renewal = Renewal() if has_aim else self._find_renewal(state, draft, aim.entity, analysis)
        if _is_worth_it(renewal):
            draft = draft.model_copy(update={"candidate": False})
        if renewal.replaced and draft.category == Category.CORRECTION:  # it stands where that stood
            draft = draft.model_copy(update={"category": renewal.replaced[-1].category})
        if self._envelope.actor != Actor.IMPORT:  # which tells again what was decided
            refuse_reach(said_in, aim.replaced, draft.scope)
        plan = plan_write(draft, analysis, self._situation(state, aim, draft, analysis, renewal))
        if plan.status == Outcome.REFUSED:
            raise RefusedError(plan.reason, hint=f"engram show {plan.fact_id}", rejected=plan.fact_id)
        if self._comes_back(plan, aim.said):
            plan = as_use(plan, self._context.now)
        settled = close_tensions(
            list(state.tensions.values()), retired_by(plan.changes), "superseded", self._context.now
        )
        changes = (*aim.made, *plan.changes, *settled)
        result = _result(self._envelope, plan, self._removed, self._ending)
        if self._wants_undo and can_be_unwritten(state, changes):
            result = result.model_copy(update={"details": {**result.details, CAN_BE_UNDONE: True}})
        return Decided(result, changes)

    def _aim(self, state: State) -> _Aim:
        """Return what the draft is to say and to replace: as it says itself, or as its correction is understood."""
        entity, made = self._entity(state)
        said, analysis = self._told(entity, state)
        replaced = [
            replaceable(get_fact(state, fact_id), entity, said, self._context.now) for fact_id in said.supersedes
        ]
        scope = said.scope if self._has_scope else scope_in(state.sessions.get(said.source.session or ""))
        aim = _Aim(said, said.model_copy(update={"scope": scope}), entity, analysis, made, replaced)
        if self._correction is not None:
            aim = self._corrected(state, aim, self._correction)
        elif (wrong := find_put_right(state, aim.draft, entity)) is not None:
            why = f"{wrong.id} said the same and was corrected by {wrong.superseded_by}"
            raise RefusedError(why, hint=f"engram show {wrong.superseded_by}", rejected=wrong.id)
        disputed = (get_fact(state, fact_id) for fact_id in aim.draft.disputes)
        return aim._replace(doubted=(*aim.doubted, *(one for one in disputed if one.status == Status.ACTIVE)))

    def _corrected(self, state: State, aim: _Aim, correction: Correction) -> _Aim:
        """Return the aim of a draft that takes something back."""
        taken = take_back(state, aim.draft, aim.entity, correction, aim.analysis, self._context)
        if not (taken.replaced or taken.doubted or taken.draft.corrects) and is_left_alone(aim.draft, correction):
            why = "it corrects something that is not known, and says nothing by itself"
            raise RefusedError(why, hint="say what it is about", rejected=aim.entity.path)
        analysis = analyse(taken.draft, self._context.patterns)
        if taken.draft.text != aim.draft.text:  # it says again what they said
            analysis = analysis._replace(trust=least_trusted(analysis.trust, taken.replaced))
        made = aim.made if taken.entity is aim.entity else ()
        return _Aim(aim.said, taken.draft, taken.entity, analysis, made, taken.replaced, taken.doubted, taken.is_change)

    def _situation(self, state: State, aim: _Aim, draft: Draft, analysis: Analysis, renewal: Renewal) -> Situation:
        return Situation(
            entity=aim.entity,
            known=with_doubted(compared(state, aim.entity, draft, analysis), aim.doubted),
            tension_count=state.tension_count,
            now=self._context.now,
            zone=self._context.zone,
            replaced=aim.replaced,
            renewed=aim.replaced if aim.is_change else renewal.replaced,
            outdated_by=renewal.outdated_by,
            no_conflict=frozenset(tension.pair for tension in state.tensions.values() if tension.pair),
            beside=[*slot_history(state, aim.entity, draft, analysis), *state.facts_to_end()],
            usages=state.usages,
            in_tension=frozenset(one.sides for one in state.tensions.values() if one.status == TensionStatus.OPEN),
            word=self._word,
        )

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
        if (entity := find_entity(state, name)) is not None:
            return entity, ()
        if not self._draft.create:
            raise UnknownEntityError(f"no entity is called {name!r}", name=name)
        entity = new_entity(name, self._draft.title, self._context)
        return entity, (EntityCreated(entity=entity),)


def _is_worth_it(renewal: Renewal) -> bool:
    """Tell whether a statement is worth keeping because what it brings up to date is believed."""
    return any(fact.status == Status.ACTIVE for fact in renewal.replaced)


def _about_now(draft: Draft, state: State) -> Draft:
    """Return the draft with the entities that it names where they stand now."""
    now = {state.resolve(path) or path for path in draft.related}
    return draft if now == set(draft.related) else draft.model_copy(update={"related": tuple(sorted(now))})


@lru_cache(maxsize=1024)  # the facts of one note begin on the same day
def _moment(text: str, zone: dt.tzinfo, now: dt.datetime, name: str) -> str:
    return parse_moment(text, zone=zone, now=now, name=name).isoformat()


def _result(envelope: Envelope, plan: Plan, removed: tuple[str, ...], ending: str) -> CommandResult:
    near = tuple(
        {"id": one.fact.id, "text": one.fact.text, "similarity": round(one.comparison.similarity, 3)}
        for one in plan.similar
    )
    secrets = f"taken out: {', '.join(removed)}" if removed else ""
    ending = "" if plan.status == Outcome.CONFIRMED else ending  # what is known already keeps its own
    return CommandResult(
        command_id=envelope.id,
        kind=envelope.kind,
        status=plan.status,
        id=plan.fact_id,
        superseded=plan.superseded,
        tensions=plan.tensions,
        similar=near,
        reason="; ".join(part for part in (plan.reason, secrets, ending) if part) or None,
        exit_code=4 if plan.status == Outcome.QUARANTINED else 0,
        details={"candidate": True} if plan.waits else {},
    )
