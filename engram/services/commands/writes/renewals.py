"""What a statement that is being written brings up to date, though nobody says that it corrects; and what outdates it.

What renews what is defined once, in `language.compare.updates.renewal`; here it is decided whose facts may meet at
all. Only facts of one scope, about one thing and, in conversations, of one project do. What is trusted less, or said by
somebody else in a group, takes the place of nothing. The order is that in which things were said, not in which they are
read: what is older than what is known becomes history.
"""

import datetime as dt
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final
from typing import NamedTuple

from engram.base.clock import end_of_day
from engram.base.clock import local_day
from engram.base.clock import start_of_day
from engram.language.compare.reading.stems import fold
from engram.language.compare.updates.change_words import announces_change
from engram.language.compare.updates.renewal import is_renewed
from engram.language.compare.updates.renewal import is_restated
from engram.language.compare.updates.renewal import is_same_statement_but_for_values
from engram.language.compare.updates.renewal import moves_a_day
from engram.language.compare.updates.renewal import names_its_day
from engram.language.compare.updates.renewal import sought_keys
from engram.language.names.spans import names_inside
from engram.model.changes.state import State
from engram.model.entity import Entity
from engram.model.fact import Abstraction
from engram.model.fact import Draft
from engram.model.fact import Fact
from engram.model.fact import Source
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.rules.temporal import has_begun
from engram.rules.writes.derivation import is_less_trusted
from engram.rules.writes.situation import Analysis
from engram.rules.writes.succession import begins_at
from engram.rules.writes.tensions import SERIES
from engram.rules.writes.tensions import pair_of_sides
from engram.services.commands.decider import Context
from engram.services.commands.renewal_index import RenewalIndex
from engram.services.commands.writes.speakers import may_replace

_PROJECTS: Final = "projects/"
_Moment = tuple[dt.datetime, dt.datetime]  # when it was said; from when it holds


class Renewal(NamedTuple):
    """What a draft brings up to date, or by what it is out of date itself."""

    replaced: tuple[Fact, ...] = ()  # oldest first
    outdated_by: Fact | None = None  # the next thing that was said of the same


class _Statement(NamedTuple):
    """A draft or a fact as it is compared."""

    text: str
    entity: Entity | None
    moment: _Moment
    source: Source
    trust: Trust


def find_renewal(state: State, draft: Draft, entity: Entity, analysis: Analysis, context: Context) -> Renewal:
    """Return what a draft about an entity brings up to date, and what of the state outdates it."""
    if not _may_renew(draft, analysis, context.now):
        return Renewal()
    index = context.renewals or RenewalIndex()
    is_planned = draft.valid_from is not None and draft.valid_from > context.now
    moment = _moment(None if is_planned else draft.valid_from, context.now, _said_at(state, draft.source))
    mine = _Statement(draft.text, entity, moment, draft.source, analysis.trust)
    day = None if announces_change(draft.text) else _day_of(moment[0], context.zone)
    settled = {tension.pair for tension in state.tensions.values() if tension.pair}  # somebody said that both hold
    older: list[Fact] = []
    newer: list[Fact] = []
    for fact in index.find(state, draft.scope, sought_keys(draft.text)):
        if fact.fingerprint == analysis.fingerprint:
            continue
        if has_begun(fact, context.now) == is_planned or (is_planned and not _moves(draft, fact)):
            continue
        if settled and pair_of_sides((entity.path, analysis.fingerprint), (fact.entity, fact.fingerprint)) in settled:
            continue
        their_moment = _moment_of(state, fact, context.now)
        if day and day[0] <= their_moment[0] < day[1] and not announces_change(fact.text):
            continue  # of one day, and neither tells of a change: nobody knows which is right, and that is a tension
        theirs = _Statement(fact.text, state.entities.get(fact.entity), their_moment, fact.source, fact.trust)
        is_later = _is_later(mine, theirs, fact, context)
        first, last = (theirs, mine) if is_later else (mine, theirs)
        if not is_later and (draft.candidate or fact.status != Status.ACTIVE):
            continue  # what waits makes nothing old, and is asked about as it was said
        if not _is_known_to_follow(last, first, context.zone):
            continue
        if _are_of_one(state, first, last) and _renews(state, last, first, context.zone):
            (older if is_later else newer).append(fact)
    outdated_by = min(newer, key=lambda fact: (_moment(fact.valid_from, fact.recorded_at), fact.id), default=None)
    return Renewal(_clearly_meant(draft, older), outdated_by)


def _may_renew(draft: Draft, analysis: Analysis, now: dt.datetime) -> bool:
    """Tell whether a draft says how things are, or on what other day they come: no order to an agent, nothing over."""
    if analysis.trust == Trust.QUARANTINED or draft.supersedes or draft.corrects:
        return False
    if draft.abstraction != Abstraction.EPISODE or draft.derived_from:
        return False
    if draft.candidate and not announces_change(draft.text):
        return False
    return draft.valid_to is None or draft.valid_to > now


def _moves(draft: Draft, fact: Fact) -> bool:
    """Tell whether one of two plans says of what the other one plans for a day that it comes on another day."""
    is_moved = moves_a_day(fact.text, draft.text) or moves_a_day(draft.text, fact.text)
    return is_moved and fact.valid_from != draft.valid_from


def _day_of(at: dt.datetime, zone: dt.tzinfo) -> tuple[dt.datetime, dt.datetime] | None:
    """Return the day of an instant in a zone, its end excluded; None at the ends of the calendar."""
    try:
        return start_of_day(local_day(at, zone), zone), end_of_day(local_day(at, zone), zone)
    except OverflowError:
        return None


def _moment_of(state: State, fact: Fact, now: dt.datetime) -> _Moment:
    # What stands in the journal was said by now, whatever the clock showed.
    begins = begins_at(fact, now)
    return _moment(begins if begins <= now else None, min(fact.recorded_at, now), _said_at(state, fact.source))


def _moment(valid_from: dt.datetime | None, written_at: dt.datetime, said_at: dt.datetime | None = None) -> _Moment:
    begins = valid_from or written_at
    return min(said_at or begins, written_at), begins


def _said_at(state: State, source: Source) -> dt.datetime | None:
    """Return when something was said in a conversation: that it began last week makes it no older than that."""
    turn = state.turns.get(source.turn or "")
    return turn.at if turn is not None else None


def _is_later(mine: _Statement, theirs: _Statement, fact: Fact, context: Context) -> bool:
    """Tell whether a draft was said after a fact; of two of one day the place in the note decides, or what came first.

    Of what is read together nobody knows more than the day: then a draft that tells of a change is the later one.
    """
    if mine.moment != theirs.moment:
        return mine.moment > theirs.moment
    one, other = mine.source, theirs.source
    if one.path == other.path and one.start is not None and other.start is not None:
        return one.start > other.start
    return fact.recorded_at != context.now or announces_change(mine.text) or not announces_change(theirs.text)


def _is_known_to_follow(new: _Statement, old: _Statement, zone: dt.tzinfo) -> bool:
    """Tell whether one statement is of a later day than another, or tells of a change.

    Of two statements of one day of which neither tells of a change nobody knows which is right: that is a tension.
    """
    return local_day(new.moment[0], zone) > local_day(old.moment[0], zone) or announces_change(new.text)


def _renews(state: State, new: _Statement, old: _Statement, zone: dt.tzinfo) -> bool:
    """Tell whether one statement gives another value of what the other says, and may take its place."""
    day, before = (local_day(one.moment[0], zone) for one in (new, old))
    if is_less_trusted(new.trust, old.trust) or not may_replace(state, new.source, old.source):
        return False
    if not is_renewed(old.text, new.text):
        return False
    return not (names_its_day(new.text, day) and names_its_day(old.text, before))  # the records of two days


def _are_of_one(state: State, one: _Statement, other: _Statement) -> bool:
    """Tell whether two statements are about one thing: of one project, and of one entity or of one that both name."""
    same = one.entity is not None and other.entity is not None and one.entity.path == other.entity.path
    if same and one.entity is not None and one.entity.path.startswith(_PROJECTS):
        return True
    if _project(state, one.source) != _project(state, other.source):
        return False
    return same or bool(names_inside(one.text) & names_inside(other.text)) or _both_name(one, other)


def _project(state: State, source: Source) -> str | None:
    """Return the project in whose conversation something was said."""
    session = state.sessions.get(source.session or "")
    return session.project and (state.resolve(session.project) or session.project) if session else None


def _both_name(one: _Statement, other: _Statement) -> bool:
    """Tell whether both statements name what one of them is filed under."""
    entities = [entity for entity in (one.entity, other.entity) if entity is not None]
    names = {name for entity in entities for name in (entity.title, entity.path.partition("/")[2])}
    return any(_names(one.text, name) and _names(other.text, name) for name in sorted(names) if name)


@lru_cache(maxsize=16384)  # a statement is compared with many
def _names(text: str, name: str) -> bool:
    """Tell whether a name stands in a text as a word, however both are written."""
    folded = fold(name)
    return bool(folded) and re.search(rf"(?<!\w){re.escape(folded)}(?!\w)", fold(text)) is not None


def _clearly_meant(draft: Draft, older: Sequence[Fact]) -> tuple[Fact, ...]:
    """Return the facts without those of which a change in other words may mean one: it is of one thing only."""
    if len(older) > SERIES:  # a series of numbered statements, of which each stands for itself
        return ()
    told_anew = [fact for fact in older if not is_restated(fact.text, draft.text)]
    is_clear = all(is_same_statement_but_for_values(told_anew[0].text, fact.text) for fact in told_anew[1:])
    kept = older if is_clear else [fact for fact in older if fact not in told_anew]
    return tuple(sorted(kept, key=lambda fact: (_moment(fact.valid_from, fact.recorded_at), fact.id)))
