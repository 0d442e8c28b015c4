"""What waits for a person, of every kind in one list, each thing with all that is needed to decide it."""

from typing import Any
from typing import Final
from typing import NamedTuple

from engram.errors import RefusedError
from engram.model.observation import Observation
from engram.operations.domains.domain_proposals import KIND
from engram.operations.domains.domain_proposals import describe_proposal
from engram.operations.domains.domain_proposals import sees_proposals
from engram.operations.domains.domain_proposals import waiting_proposals
from engram.ports.database import FactDatabase
from engram.services.review.candidates import questions_left
from engram.services.review.queue import PendingItem
from engram.services.review.queue import count
from engram.services.review.queue import describe
from engram.services.review.visible_queue import scopes_of
from engram.services.review.visible_queue import visible_queue
from engram.services.visibility import Caller
from engram.services.visibility import decides_for_others
from engram.workspace import Workspace

KINDS: Final = ("tension", "quarantined", "observation", "names", "candidate", KIND)


class ReviewItems(NamedTuple):
    """What may be decided today."""

    items: list[dict[str, Any]]  # see `services.review.queue.describe`, in the order in which they are looked at
    left: int  # that may be asked today, those that are shown among them
    more: int  # that wait besides, and may not be asked today
    waiting: dict[str, Any]  # how much waits of every kind, as `operations.review.count_waiting` tells it


class Wanted(NamedTuple):
    """Which of all that waits a caller asks for."""

    kind: str | None = None  # None: every kind
    most: int | None = None  # None: all that may be asked today
    unbounded: bool = False  # more than `review.daily_limit` allows for today
    skipped: frozenset[str] = frozenset()  # ids of what is to wait on
    first: str = ""  # id of what comes before all else
    for_person: bool = False  # shown to a person, who may read what tries to give orders to an agent


def review_items(workspace: Workspace, caller: Caller | None, wanted: Wanted = Wanted()) -> ReviewItems:  # noqa: B008 - a value that never changes
    """Return what waits and may be asked today, as far as the caller may see it; None sees all."""
    settings, now, kind = workspace.settings, workspace.now(), wanted.kind
    with workspace.reading() as database:
        everything = visible_queue(database, settings, caller, now)
        asked = waiting_proposals(workspace) if sees_proposals(caller) else []
        waiting = [one for one in everything if kind in {None, one.kind} and one.thing.id not in wanted.skipped]
        proposals = [one for one in asked if kind in {None, KIND} and one.id not in wanted.skipped]
        waiting.sort(key=lambda one: one.thing.id != wanted.first)
        total = len(waiting) + len(proposals)
        room = total if wanted.unbounded else min(total, questions_left(database, settings, now))
        shown = room if wanted.most is None else min(room, wanted.most)
        files, person = workspace.files, wanted.for_person
        items = [describe(database, one, settings, files, for_person=person) for one in waiting[:shown]]
    items += [describe_proposal(workspace, one, for_person=person) for one in proposals[: shown - len(items)]]
    return ReviewItems(items, room, total - room, {**count(everything)._asdict(), "proposals": len(asked)})


def refuse_for_others(database: FactDatabase, caller: Caller | None, waiter: PendingItem, said: dict[str, Any]) -> None:
    """Refuse what would let a chat decide what others believe, or carry its words to them.

    In a group anybody may ask for it. In a personal chat the owner settles what all see, too, but in no words of it.
    Raises RefusedError.
    """
    if caller is None:
        return
    suggestion = waiter.thing.suggestion if isinstance(waiter.thing, Observation) else None
    for_memory = suggestion is not None and suggestion.target == "memory" and said.get("outcome") == "promote"
    if for_memory and not caller.sees_self:
        raise RefusedError("MEMORY.md is the owner's, and not written from here", hint="the owner promotes it")
    if not decides_for_others(caller, scopes_of(database, waiter)):
        return
    if caller.group:
        raise RefusedError(f"others see {waiter.thing.id}, too, and this is a group", hint="the owner settles it")
    if said.get("text") or said.get("note"):
        raise RefusedError(
            f"others see {waiter.thing.id}, too, and session {caller.session} is kept apart",
            hint="settle it without text and note, or outside of the session",
        )
