"""The tool that settles what waits: review. What a caller may not see does not wait for it."""

import datetime as dt
from typing import Any

from engram.base.clock import day_of
from engram.errors import BadValueError
from engram.errors import NotFoundError
from engram.language.screen.fence import safe_lines
from engram.mcp.answers import Answer
from engram.mcp.answers import Caller
from engram.mcp.answers import fenced
from engram.mcp.answers import plain
from engram.mcp.arguments import ReviewArguments
from engram.mcp.read_tools import identify
from engram.mcp.resolution import entity_of
from engram.mcp.resolution import fact_of
from engram.mcp.tool_vocabulary import in_tool_words
from engram.mcp.write_tools import result_answer
from engram.model.fact import Actor
from engram.model.fact import Fact
from engram.operations.inbox import ANSWER
from engram.operations.inbox import answering
from engram.operations.inbox import show_inbox
from engram.operations.pages.review_items import refuse_for_others
from engram.operations.review import settle
from engram.ports.database import FactDatabase
from engram.services.review.candidates import questions_left
from engram.services.review.queue import PendingItem
from engram.services.review.queue import describe
from engram.services.review.visible_queue import get_waiter
from engram.services.review.visible_queue import visible_queue
from engram.workspace import Workspace

WAIT_S = 10.0  # that an answer waits for the store
_HANDOFF = "handoff-"  # begins the id of one
_PARTS = ("handoffs", "answers", "others")  # of an inbox
_FOR_PERSON = "  none here: a person decides, with engram review"


def review(workspace: Workspace, who: Caller, said: ReviewArguments) -> Answer:
    """List what waits for review, or settle one thing."""
    if said.id is None:
        if said.outcome is not None:
            raise BadValueError(
                "an outcome needs the id of what it settles", hint="memory_review without arguments lists it"
            )
        return _waiting(workspace, who, said.limit)
    if said.id.casefold().startswith(_HANDOFF):
        return _handoff(workspace, who, said)
    if said.outcome == "accept":
        raise BadValueError("accept is the answer to a handoff", hint="memory_review with its id lists its outcomes")
    args = said.model_dump(exclude_none=True, exclude={"limit"})
    with workspace.reading() as database:
        caller = identify(workspace, database, who)
        waiting = visible_queue(database, workspace.settings, caller, workspace.now())
        waiter = get_waiter(waiting, said.id)
        if said.outcome is None:
            shown = _described(workspace, database, waiter)
            return Answer(fenced(said.id, _item_lines(shown)), {"item": plain(shown)})
        refuse_for_others(database, caller, waiter, args)
        if said.keep is not None and said.keep not in {one.thing.id for one in waiting}:
            fact_of(database, caller, said.keep)
        if said.entity is not None:
            args["entity"] = entity_of(database, caller, said.entity)
    return result_answer(settle(workspace, args, actor=Actor.AGENT))


def _waiting(workspace: Workspace, who: Caller, limit: int) -> Answer:
    with workspace.reading() as database:
        settings, now = workspace.settings, workspace.now()
        waiting = visible_queue(database, settings, identify(workspace, database, who), now)
        room = min(limit, questions_left(database, settings, now))
        items = [_described(workspace, database, one) for one in waiting[:room]]
    lines = [line for item in items for line in (*_item_lines(item), "")][:-1]
    nothing = "enough was decided today (review.daily_limit)" if waiting and not room else "nothing waits"
    said = fenced(f"{len(items)} of {len(waiting)} that wait for review", lines) if items else nothing
    with workspace.reading() as database:
        caller = identify(workspace, database, who)
    inbox = show_inbox(workspace, caller)
    handed = [
        line for name in ("handoffs", "answers") for one in inbox[name] for line in _handoff_lines(one, settings.zone)
    ]
    also = [fenced("handoffs, to accept or to reject with a note; and answers", handed)] if handed else []
    value = {"handoffs": plain(inbox["handoffs"]), "answers": plain(inbox["answers"])} if handed else {}
    return Answer("\n".join([said, *also]), {"items": plain(items), "waiting": len(waiting), **value})


def _handoff(workspace: Workspace, who: Caller, said: ReviewArguments) -> Answer:
    """Show one handoff of the caller, or answer it."""
    with workspace.reading() as database:
        caller = identify(workspace, database, who)
    if said.outcome in {"accept", "reject"}:
        args = answering(workspace, caller, said.id or "", said.outcome or "", said.note)
        given = {name: value for name, value in args.items() if value is not None}
        return result_answer(workspace.submit(ANSWER, given, actor=Actor.AGENT, wait_s=WAIT_S))
    if said.outcome is not None:
        raise BadValueError(f"a handoff is not settled by {said.outcome}", hint="accept, or reject with a note")
    shown = show_inbox(workspace, caller, every=True)
    found = [one for name in _PARTS for one in shown[name] if one["id"] == (said.id or "").casefold()]
    if not found:
        raise NotFoundError(
            f"no handoff has the id {said.id!r}", hint="memory_review without arguments lists what waits"
        )
    return Answer(
        fenced(found[0]["id"], _handoff_lines(found[0], workspace.settings.zone)), {"handoff": plain(found[0])}
    )


def _handoff_lines(one: dict[str, Any], zone: dt.tzinfo) -> list[str]:
    sent = day_of(one["sent_at"], zone)
    head = f"{one['id']} from {one['from']} to {one['to']}, {sent}, {one['trust']}: {one['status']}"
    why = [f"  because: {line}" for line in safe_lines(one["reason"] or "", is_persons=False)]
    said = [f"  {line}" for line in safe_lines(one["text"], is_persons=False)]
    return [head, *said, *why]


def _described(workspace: Workspace, database: FactDatabase, waiter: PendingItem) -> dict[str, Any]:
    item = describe(database, waiter, workspace.settings, workspace.files)
    for_person = isinstance(waiter.thing, Fact)  # what waits is a person's to let go
    outcomes = {} if for_person else item["outcomes"]
    return {**item, "outcomes": {name: in_tool_words(does) for name, does in outcomes.items()}}


def _item_lines(item: dict[str, Any]) -> list[str]:
    sides = [f"  {one['id']} ({one['date']}, {one['trust']}, {one['source']}): {one['text']}" for one in item["sides"]]
    outcomes = [f"  {name}: {does}" for name, does in item["outcomes"].items()]
    return [f"{item['id']} ({item['kind']}): {item['text']}", *sides, "outcomes:", *(outcomes or [_FOR_PERSON])]
