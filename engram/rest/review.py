"""What waits for review: shown one after another, and settled."""

from typing import Any

from engram.api.opened import or_raise
from engram.errors import RefusedError
from engram.operations.domains.domain_proposals import is_proposal
from engram.operations.domains.domain_proposals import sees_proposals
from engram.operations.pages.review_items import Wanted
from engram.operations.pages.review_items import refuse_for_others
from engram.operations.pages.review_items import review_items
from engram.operations.review import plan_settling
from engram.operations.review import settle
from engram.rest import requests
from engram.rest.call import Call
from engram.rest.call import changed
from engram.services.facts.listing import get_entity_path
from engram.services.facts.listing import get_fact
from engram.services.review.visible_queue import get_waiter
from engram.services.review.visible_queue import visible_queue


def show(call: Call, said: requests.ReviewQuery) -> dict[str, Any]:
    """List what is to be decided today, in the order in which it is to be looked at."""
    wanted = Wanted(said.kind, said.limit, said.all, for_person=call.is_person)
    found = review_items(call.workspace, call.caller(), wanted)
    return {"items": found.items, "waiting": found.waiting, "more": found.more}


def show_next(call: Call, said: requests.NextQuery) -> dict[str, Any]:
    """Show the first thing that waits, with both sentences, dates, sources, and the outcomes it can have."""
    found = review_items(call.workspace, call.caller(), Wanted(said.kind, 1, for_person=call.is_person))
    first = found.items[0] if found.items else None
    return {"next": first, "waiting": found.waiting, "enough": first is None and found.more > 0}


def answer(call: Call, said: requests.AnswerRequest) -> dict[str, Any]:
    """Settle one thing that waits; `engram review undo` takes it back."""
    workspace = call.workspace
    if sees_proposals(call.caller()) and is_proposal(workspace, call.about):
        raise RefusedError("proposals of domains are decided by a person", hint=f"engram review answer {call.about}")
    args = said.model_dump(exclude_none=True, exclude={"dry_run"}) | {"id": call.about}
    _check(call, args)
    if said.dry_run:
        result, changes = plan_settling(workspace, args, actor=call.door.actor)
        return changed(or_raise(result), changes)
    return changed(or_raise(settle(workspace, args, actor=call.door.actor, command_id=call.command_id)))


def _check(call: Call, args: dict[str, Any]) -> None:
    """Raise what stands against it as who asks sees it: unknown names, and what is for others to settle."""
    caller, workspace = call.caller(), call.workspace
    if caller is None:
        return
    with workspace.reading() as database:
        waiting = visible_queue(database, workspace.settings, caller, workspace.now())
        refuse_for_others(database, caller, get_waiter(waiting, call.about), args)
        if "keep" in args and args["keep"] not in {one.thing.id for one in waiting}:
            get_fact(database, args["keep"], caller)
        if "entity" in args:
            args["entity"] = get_entity_path(database, args["entity"], caller)
