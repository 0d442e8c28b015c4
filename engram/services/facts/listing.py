"""Facts and entities as they are shown: filtered on both time axes, with tier and use beside them."""

import datetime as dt
import difflib
from collections.abc import Iterable
from collections.abc import Iterator
from itertools import groupby
from itertools import islice
from operator import attrgetter
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.clock import from_iso
from engram.config.sections.memory import DecaySettings
from engram.errors import AmbiguousNameError
from engram.errors import UnknownEntityError
from engram.errors import unknown_fact
from engram.model.entity import Entity
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Usage
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.rules.life.calibration import rated_confidence
from engram.rules.life.decay import Calendar
from engram.rules.life.decay import tiers
from engram.rules.temporal import ENDED
from engram.rules.temporal import PLANNED
from engram.rules.temporal import holds_now
from engram.rules.temporal import standing
from engram.rules.temporal import written_due
from engram.rules.temporal import written_overdue
from engram.services.facts.held_at import held_at
from engram.services.visibility import Caller
from engram.services.visibility import find_visible_entities
from engram.services.visibility import may_see
from engram.services.visibility import visible_entities
from engram.services.visibility import visible_scopes

# In a view of a promise that is owed: the day, week, month or year by which it was promised.
DUE: Final = "due_on"
OVERDUE: Final = "overdue_since"  # the same where it has passed
_READ_FIRST: Final = 4  # times as many as are asked for: some may have ended, or be of another tier
_READ_MORE: Final = 8  # times as many where too few were left
_PAGE: Final = 2_000  # facts of which views are made at once, some 10 kB each
_NEAR = 0.7  # likeness of a name, 0 to 1, from which it is offered for one that nobody has


class FactQuery(NamedTuple):
    """What a listing asks for; an empty field does not filter."""

    entity: str = ""  # path, title or alias
    category: str = ""
    tag: str = ""
    status: str = "active"  # of `rules.temporal.standing`; or quarantined, or all
    tier: str = ""
    since: dt.datetime | None = None
    as_of: dt.datetime | None = None  # true in the world at
    as_known: dt.datetime | None = None  # believed at
    limit: int | None = None  # the newest so many; None: all of them
    scope: str = ""  # shared, experience, session:NAME or agent:NAME

    @property
    def is_of_past(self) -> bool:
        """Whether a moment of either axis of time is asked for."""
        return self.as_of is not None or self.as_known is not None


class Moment(NamedTuple):
    """When a question is asked, and how tiers are counted."""

    now: dt.datetime
    decay: DecaySettings
    zone: dt.tzinfo  # of the workspace
    caller: Caller | None  # who asks, as `identify` says; None: the store itself is looked at, private or not


def list_facts(database: FactDatabase, query: FactQuery, moment: Moment) -> list[dict[str, Any]]:
    """Return every matching fact with its tier and use, by entity and number; with a limit, the newest of them.

    Raises UnknownEntityError or AmbiguousNameError for the entity.
    """
    wanted = _wanted(database, query, moment)
    if wanted is None:
        return []
    if query.is_of_past:
        held: list[dict[str, Any]] = []
        for page in iter_fact_pages(database, query, moment):
            held = _newest(held + page, query) if query.limit else [*held, *page]
        return held
    read_at_once = _READ_FIRST * query.limit if query.limit else 0
    while True:
        read = database.list_facts(wanted._replace(newest=read_at_once))
        views = _of_tier(fact_views(database, _standing_so(read, query, moment), moment), query)
        if len(read) < read_at_once or len(views) >= (query.limit or 0):
            return _newest(views, query)
        read_at_once *= _READ_MORE


def iter_fact_pages(
    database: FactDatabase, query: FactQuery, moment: Moment, marked: tuple[str, ...] = ()
) -> Iterator[list[dict[str, Any]]]:
    """Yield what `list_facts` returns, some thousand views at a time; how many the query limits it to does not count.

    `marked` are words of which one must be the category or a tag. Raises like it.
    """
    wanted = _wanted(database, query, moment)
    if wanted is None:
        return
    if not query.is_of_past:
        facts = database.iter_facts(wanted._replace(marked=marked))
        while page := list(islice(facts, _PAGE)):
            yield _of_tier(fact_views(database, _standing_so(page, query, moment), moment), query)
        return
    for page in _whole_entities(database.iter_facts(wanted)):
        held = held_at(page, query.as_of, query.as_known)
        chosen = [fact for fact in held if not marked or {fact.category, *fact.tags} & {*marked}]
        yield _of_tier(fact_views(database, chosen, moment, at=query.as_of or query.as_known), query)


def _whole_entities(facts: Iterable[Fact]) -> Iterator[list[Fact]]:
    """Yield pages of facts, none of which has only some of an entity: one may tell that another held no longer."""
    page: list[Fact] = []
    for _, own in groupby(facts, key=attrgetter("entity")):
        page += own
        if len(page) >= _PAGE:
            yield page
            page = []
    if page:
        yield page


def _wanted(database: FactDatabase, query: FactQuery, moment: Moment) -> FactFilter | None:
    """Return the filter of a query; None where there is nothing for who may not see it."""
    path = get_entity_path(database, query.entity, moment.caller) if query.entity else ""
    scopes = _scopes(moment.caller)
    if query.scope and scopes and query.scope not in scopes:
        return None
    wanted = FactFilter(entity=path, category=query.category, tag=query.tag, since=query.since)
    return wanted._replace(status=_stored(query), scopes=(query.scope,) if query.scope else scopes)


def _stored(query: FactQuery) -> str:
    """Return the status under which what is asked for is stored."""
    if query.is_of_past and query.status == "active":
        return "all"
    return Status.ACTIVE.value if query.status in {PLANNED, ENDED} else query.status


def _standing_so(facts: Iterable[Fact], query: FactQuery, moment: Moment) -> list[Fact]:
    """Return the facts that stand now as is asked for: of what is stored as active not all holds."""
    is_active = _stored(query) == Status.ACTIVE
    return [fact for fact in facts if not is_active or standing(fact, moment.now) == query.status]


def _of_tier(views: Iterable[dict[str, Any]], query: FactQuery) -> list[dict[str, Any]]:
    return [view for view in views if query.tier in {"", view["tier"]}]


def _newest(views: list[dict[str, Any]], query: FactQuery) -> list[dict[str, Any]]:
    if query.limit is None:
        return views
    newest_first = sorted(views, key=lambda view: (from_iso(view["recorded_at"]), view["id"]), reverse=True)
    kept = {view["id"] for view in newest_first[: query.limit]}
    return [view for view in views if view["id"] in kept]


def get_fact(database: FactDatabase, fact_id: str, caller: Caller | None = None) -> Fact:
    """Return the fact of an id, full or short; raise UnknownFactError or AmbiguousNameError.

    To a caller, facts that it may not see are unknown.
    """
    found = [one for one in database.find_facts(fact_id.casefold()) if caller is None or may_see(caller, one.scope)]
    if len(found) > 1:
        ids = [fact.id for fact in found]
        raise AmbiguousNameError(f"{fact_id!r} can mean {' or '.join(ids)}", near=ids)
    if not found:
        called = find_visible_entities(database, caller or Caller(), fact_id)
        raise unknown_fact(fact_id, called[0] if called else "")
    return found[0]


def get_entity_path(database: FactDatabase, name: str, caller: Caller | None = None) -> str:
    """Return the path of an entity's path, title or alias; raise UnknownEntityError or AmbiguousNameError.

    To a caller, entities of which it may see no fact are unknown.
    """
    found = find_visible_entities(database, caller or Caller(), name)
    if len(found) > 1:
        raise AmbiguousNameError(f"{name!r} can mean {' or '.join(found)}", near=found)
    if not found:
        raise _unknown(name, visible_entities(database, caller or Caller()))
    return found[0]


def _unknown(name: str, seen: Iterable[Entity]) -> UnknownEntityError:
    """Return the error for a name that nobody has, with the paths of those whose names are like it."""
    called = [(one.path, (one.path, one.path.partition("/")[2], one.title)) for one in seen]
    paths = {word.casefold(): path for path, words in called for word in words}
    like = difflib.get_close_matches(name.casefold(), paths, cutoff=_NEAR)
    near = [*dict.fromkeys(paths[word] for word in like)]
    hint = f"did you mean {' or '.join(near)}? (engram entity list)" if near else ""
    return UnknownEntityError(f"no entity is called {name!r}", hint=hint, name=name, near=near)


def fact_views(
    database: FactDatabase, facts: Iterable[Fact], moment: Moment, *, at: dt.datetime | None = None
) -> list[dict[str, Any]]:
    """Return facts with every field under its own name, plus tier and use; to a caller, only what it may see.

    The status is the one of `rules.temporal.standing`: what is active and does not hold now is planned or ended. Beside
    it stands by which day a promise is due, as it was said, and whether that has passed by `at`; None: by now.
    """
    listed = _seen_by(database, facts, moment.caller)
    usages = database.usages([fact.id for fact in listed])
    calendar = Calendar(moment.zone, database.active_days(moment.zone))
    tier_of = tiers(listed, usages, now=moment.now, calendar=calendar, settings=moment.decay)
    return [
        {
            **fact.model_dump(mode="json"),
            "status": standing(fact, moment.now).value,
            DUE: written_due(fact, moment.zone) or None,
            OVERDUE: written_overdue(fact, at or moment.now, moment.zone) or None,
            "tier": tier_of[fact.id],
            **_use(usages.get(fact.id), fact.confidence),
        }
        for fact in listed
    ]


def _seen_by(database: FactDatabase, facts: Iterable[Fact], caller: Caller | None) -> list[Fact]:
    """Return the facts that a caller may see, without the ids of those that it may not see."""
    if caller is None:
        return list(facts)
    seen = [fact for fact in facts if may_see(caller, fact.scope)]
    links = {key for fact in seen for key in (*_linked([fact]), *fact.derived_from, fact.lineage)}
    linked = database.list_facts(FactFilter(ids=tuple(sorted(links)), status="all")) if links else []
    hidden = {fact.id for fact in linked if not may_see(caller, fact.scope)}
    return [_without(fact, hidden) for fact in seen] if hidden else seen


def _without(fact: Fact, hidden: set[str]) -> Fact:
    links = ("supersedes", "derived_from")
    kept: dict[str, Any] = {name: tuple(key for key in getattr(fact, name) if key not in hidden) for name in links}
    if fact.superseded_by in hidden:
        kept["superseded_by"] = None
    if fact.lineage in hidden:  # to who may not see where the chain begins, it begins here
        kept |= {"lineage": fact.id, "version": fact.version if kept["supersedes"] else 1}
    return fact.model_copy(update=kept)


def _scopes(caller: Caller | None) -> tuple[str, ...]:
    return () if caller is None else visible_scopes(caller)


def chain_of(database: FactDatabase, fact: Fact) -> list[Fact]:
    """Return every version that is linked to the fact by superseding, oldest first."""
    found = {one.id: one for one in database.lineage(fact.lineage)}
    while missing := _linked(found.values()) - set(found):
        for one in database.list_facts(FactFilter(ids=tuple(sorted(missing)), status="all")):
            found |= {other.id: other for other in database.lineage(one.lineage)}
    return sorted(found.values(), key=lambda one: (one.version, one.recorded_at, one.id))


def list_entity_views(database: FactDatabase, now: dt.datetime, caller: Caller | None = None) -> list[dict[str, Any]]:
    """Return every entity with how many of its facts hold now; to a caller, those of which it may see a fact."""
    counts = database.held_counts(now, _scopes(caller))
    entities = visible_entities(database, caller or Caller())
    return [_entity(entity, counts.get(entity.path, 0)) for entity in entities]


def entity_view(database: FactDatabase, name: str, now: dt.datetime, caller: Caller | None = None) -> dict[str, Any]:
    """Return one entity with the facts that hold now and the entities that they name; to a caller, what it may see.

    Raises UnknownEntityError, AmbiguousNameError.
    """
    path = get_entity_path(database, name, caller)
    entity = next(one for one in database.list_entities() if one.path == path)
    active_facts = database.list_facts(FactFilter(entity=path, scopes=_scopes(caller)))
    facts = [fact for fact in active_facts if holds_now(fact, now)]
    related = sorted({other for fact in facts for other in fact.related})
    active = [fact.model_dump(mode="json") for fact in _seen_by(database, facts, caller)]
    return {**_entity(entity, len(facts)), "related": related, "active_facts": active}


def _linked(facts: Iterable[Fact]) -> set[str]:
    return {other for fact in facts for other in (*fact.supersedes, fact.superseded_by) if other is not None}


def _entity(entity: Entity, count: int) -> dict[str, Any]:
    view = entity.model_dump(mode="json", exclude={"next_number", "archived_from"})
    archived = {} if entity.archived_from is None else {"archived_from": entity.archived_from}
    return {**view, **archived, "facts": count}


def _use(usage: Usage | None, stated: float) -> dict[str, Any]:
    shown = usage or Usage(fact_id="")
    rated = round(rated_confidence(stated, shown.useful_count, shown.wrong_count), 4)
    return {**shown.model_dump(mode="json", exclude={"fact_id"}), "rated_confidence": rated}
