"""What can be asked of facts and entities, and done to them."""

from collections.abc import Iterable
from collections.abc import Mapping
from typing import Any
from typing import Final

from engram.base.dates import parse_bound
from engram.base.dates import parse_moment
from engram.errors import RefusedError
from engram.model.commands.write_command import WriteCommand
from engram.model.commands.write_command import WriteSource
from engram.model.fact import EXPERIENCE
from engram.model.fact import SHARED
from engram.model.fact import Fact
from engram.model.fact import Source
from engram.model.fact import Trust
from engram.model.vocabulary import CAN_BE_UNDONE
from engram.operations.answers.kept_promises import without_kept
from engram.operations.answers.listing import iter_listed_facts
from engram.rest import requests
from engram.rest.call import Call
from engram.rules.review_queue import WITHHELD
from engram.services.facts.listing import FactQuery
from engram.services.facts.listing import chain_of
from engram.services.facts.listing import entity_view
from engram.services.facts.listing import fact_views
from engram.services.facts.listing import get_fact
from engram.services.facts.listing import list_entity_views
from engram.services.facts.parts import MADE_OF
from engram.services.facts.parts import parts_of
from engram.services.facts.parts import view_with_parts
from engram.services.facts.sources.provenance import explain_fact
from engram.services.review.queue import without_orders
from engram.services.visibility import Caller
from engram.services.visibility import may_see
from engram.services.visibility import require_own_view
from engram.services.visibility import visible_scopes

_OWN: Final = frozenset({"entity", "fact", "source", "session", "dry_run"})  # fields that no command has as they are


def list_all(call: Call, said: requests.FactsQuery) -> dict[str, Any]:
    """List facts: all of them, those that hold now unless told otherwise."""
    zone, now = call.workspace.settings.zone, call.workspace.now()
    words = {name: one or "" for name, one in said.model_dump(mode="json").items()}
    query = FactQuery(
        **{name: words[name] for name in ("entity", "category", "tag", "status", "tier")},
        since=parse_bound(said.since, zone=zone, now=now, name="since") if said.since else None,
        as_of=parse_moment(said.as_of, zone=zone, now=now, name="as_of") if said.as_of else None,
        as_known=parse_moment(said.as_known, zone=zone, now=now, name="as_known") if said.as_known else None,
        limit=said.limit,
    )
    views = iter_listed_facts(call.workspace, query, call.moment())
    return {"facts": (view if call.is_person else without_orders(view) for view in views)}


def show(call: Call, _said: requests.Nothing) -> dict[str, Any]:
    """Show one fact with everything that is known about it."""
    moment = call.moment()
    with call.workspace.reading() as database:
        fact = get_fact(database, call.about, moment.caller)
        view = view_with_parts(database, fact, moment, None if call.is_person else WITHHELD)
        views = without_kept(database, [view], moment)
    return _shown(call, views)[0]


def history(call: Call, _said: requests.Nothing) -> dict[str, Any]:
    """Show the chain of versions that a fact belongs to, oldest first."""
    moment = call.moment()
    with call.workspace.reading() as database:
        fact = get_fact(database, call.about, moment.caller)
        views = without_kept(database, fact_views(database, chain_of(database, fact), moment), moment)
    return {"id": fact.id, "versions": _shown(call, views)}


def why(call: Call, _said: requests.Nothing) -> dict[str, Any]:
    """Show why a fact is believed: each version with the words that it rests on, and the facts that it was made of."""
    moment = call.moment()
    caller = moment.caller
    with call.workspace.reading() as database:
        fact = get_fact(database, call.about, caller)
        versions = {one.id: one for one in chain_of(database, fact)}
        steps = explain_fact(database, fact, call.workspace.files, moment.now)
        parts = parts_of(database, fact, moment, None if call.is_person else WITHHELD)
    seen = [step for step in steps if caller is None or may_see(caller, versions[step["id"]].scope)]
    chain = [_told(call, caller, step, versions[step["id"]]) for step in seen]
    return {"id": fact.id, "chain": chain, MADE_OF: parts}


def write(call: Call, said: requests.WriteRequest) -> dict[str, Any]:
    """Record a fact."""
    caller = call.caller()
    if caller is not None:
        _require_own(caller, said)
    source = WriteSource(call.door.actor, session=caller.session if caller else said.session, label=said.source)
    with call.workspace.reading() as database:
        replaced = [get_fact(database, one, caller).id for one in said.supersedes]
    fields = {**said.model_dump(mode="json", exclude=set(_OWN)), "supersedes": replaced}
    command = WriteCommand(entity=said.entity, text=said.fact, source=source, **fields, undoable=True)
    return call.change("write", command.as_args(), dry_run=said.dry_run)


def correct(call: Call, said: requests.CorrectRequest) -> dict[str, Any]:
    """Replace a fact by what is right: writes the new and retires the old in one change."""
    fact, caller = call.fact(), call.caller()
    source = WriteSource(call.door.actor, session=caller.session if caller else None)
    args = {"text": said.fact, **said.model_dump(mode="json", exclude={"fact", "dry_run"})}
    asked = {"id": fact.id, **args, "source": source.as_args(), CAN_BE_UNDONE: True}
    return call.change("correct", asked, dry_run=said.dry_run)


def retract(call: Call, said: requests.RetractRequest) -> dict[str, Any]:
    """Take a fact back. It stays in the history, with the reason."""
    asked = {"id": call.fact().id, "reason": said.reason, CAN_BE_UNDONE: True}
    return call.change("retract", asked, dry_run=said.dry_run)


def confirm(call: Call, said: requests.Change) -> dict[str, Any]:
    """Say that a fact still holds."""
    return call.change("confirm", {"id": call.fact().id}, dry_run=said.dry_run)


def pin(call: Call, said: requests.Change) -> dict[str, Any]:
    """Keep a fact in the summary whatever its tier."""
    return call.change("pin", {"id": call.fact().id}, dry_run=said.dry_run)


def unpin(call: Call, said: requests.Change) -> dict[str, Any]:
    """Let a pinned fact decay again."""
    return call.change("unpin", {"id": call.fact().id}, dry_run=said.dry_run)


def feedback(call: Call, said: requests.FeedbackRequest) -> dict[str, Any]:
    """Say whether a fact that was given out was useful or wrong: it moves its confidence and rank, and is counted."""
    return call.change("feedback", {"id": call.fact().id, "verdict": said.verdict}, dry_run=said.dry_run)


def undo(call: Call, said: requests.UndoRequest) -> dict[str, Any]:
    """Take back what was written last through this door, or what the command of an id did."""
    caller = call.caller()
    with call.workspace.reading() as database:
        require_own_view(database, caller)
    return call.change("undo", {"id": said.id}, dry_run=said.dry_run)


def list_entities(call: Call, said: requests.EntitiesQuery) -> dict[str, Any]:
    """List every entity with its facts counted."""
    caller = call.caller()
    with call.workspace.reading() as database:
        views = list_entity_views(database, call.workspace.now(), caller)
    if said.limit is not None:
        views = sorted(views, key=lambda view: (-view["facts"], view["path"]))[: said.limit]
    return {"entities": views}


def show_entity(call: Call, _said: requests.Nothing) -> dict[str, Any]:
    """Show one entity with its names and the facts that hold now."""
    caller = call.caller()
    with call.workspace.reading() as database:
        view = entity_view(database, call.about, call.workspace.now(), caller)
    return {**view, "active_facts": _shown(call, view["active_facts"])}


def add_entity(call: Call, said: requests.EntityRequest) -> dict[str, Any]:
    """Make an entity."""
    caller = call.caller()
    with call.workspace.reading() as database:
        require_own_view(database, caller)
    return call.change("entity-add", said.model_dump(exclude={"dry_run"}), dry_run=said.dry_run)


def _require_own(caller: Caller, said: requests.WriteRequest) -> None:
    """Refuse what would be said in another session, or be hidden where its writer cannot see it."""
    if said.session is not None and said.session != caller.session:
        raise RefusedError("this server writes for another session", hint="leave out session")
    if said.scope is not None and said.scope not in _own(caller):
        raise RefusedError(f"scope {said.scope!r} is not this server's", hint=f"one of {', '.join(_own(caller))}")


def _own(caller: Caller) -> Iterable[str]:
    """Return the scopes that a caller may write: what is said in a chat that is kept apart enters no pool."""
    return (scope for scope in visible_scopes(caller) if not (caller.apart and scope == EXPERIENCE))


def _shown(call: Call, views: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return facts as who asks may read them: only a person is shown what tries to give orders."""
    if call.is_person:
        return views
    return [without_orders(view) for view in views]


def _told(call: Call, caller: Caller | None, step: Mapping[str, Any], fact: Fact) -> dict[str, Any]:
    """Return a step of a chain without the words of what who asks may not read."""
    is_withheld = fact.trust == Trust.QUARANTINED and not call.is_person
    reads_source = caller is None or _reads(caller, fact.source)
    hidden = {} if reads_source and not is_withheld else {"quote": None, "path": None, "line": None}
    text = {"text": WITHHELD} if is_withheld else {}
    label = {"label": None} if is_withheld else {}
    return {**step, **text, "source": {**step["source"], **hidden, **label}}


def _reads(caller: Caller, source: Source) -> bool:
    return may_see(caller, SHARED, source.session, raw=True)
