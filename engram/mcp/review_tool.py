"""The tool that settles what waits: review. What a caller may not see does not wait for it."""

from typing import Any

from engram.errors import BadValueError
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
from engram.operations.pages.review_items import refuse_for_others
from engram.operations.review import settle
from engram.ports.database import FactDatabase
from engram.services.review.candidates import questions_left
from engram.services.review.queue import PendingItem
from engram.services.review.queue import describe
from engram.services.review.visible_queue import get_waiter
from engram.services.review.visible_queue import visible_queue
from engram.workspace import Workspace

_FOR_PERSON = "  none here: a person decides, with engram review"


def review(workspace: Workspace, who: Caller, said: ReviewArguments) -> Answer:
    """List what waits for review, or settle one thing."""
    if said.id is None:
        if said.outcome is not None:
            raise BadValueError(
                "an outcome needs the id of what it settles", hint="memory_review without arguments lists it"
            )
        return _waiting(workspace, who, said.limit)
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
    return Answer(said, {"items": plain(items), "waiting": len(waiting)})


def _described(workspace: Workspace, database: FactDatabase, waiter: PendingItem) -> dict[str, Any]:
    item = describe(database, waiter, workspace.settings, workspace.paths.root)
    for_person = isinstance(waiter.thing, Fact)  # what waits is a person's to let go
    outcomes = {} if for_person else item["outcomes"]
    return {**item, "outcomes": {name: in_tool_words(does) for name, does in outcomes.items()}}


def _item_lines(item: dict[str, Any]) -> list[str]:
    sides = [f"  {one['id']} ({one['date']}, {one['trust']}, {one['source']}): {one['text']}" for one in item["sides"]]
    outcomes = [f"  {name}: {does}" for name, does in item["outcomes"].items()]
    return [f"{item['id']} ({item['kind']}): {item['text']}", *sides, "outcomes:", *(outcomes or [_FOR_PERSON])]
