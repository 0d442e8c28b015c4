"""Answers to what waits, from the page: settled, taken back, and decided, as `engram review` and `domain decide` do."""

from collections.abc import Mapping
from typing import Any
from typing import Final

from engram.errors import NotFoundError
from engram.model.commands.command import CommandResult
from engram.operations.domains.domain_proposals import decide_proposal
from engram.operations.domains.domain_proposals import describe_proposal
from engram.operations.domains.domain_proposals import waiting_proposals
from engram.operations.pages.review_items import refuse_for_others
from engram.operations.review import plan_settling
from engram.operations.review import settle
from engram.operations.review import take_back
from engram.operations.words.plan_text import WOULD
from engram.ports.database import FactDatabase
from engram.services.domains.registry import get_proposal
from engram.services.domains.registry import load_registry
from engram.services.review.queue import describe
from engram.services.review.visible_queue import get_waiter
from engram.services.review.visible_queue import visible_queue
from engram.services.visibility import Caller
from engram.services.visibility import require_owner
from engram.warm.warm_store import WarmWorkspace
from engram.web.stamps import stamp_of
from engram.web.verb import Args
from engram.web.verb import Planned
from engram.web.verb import Verb
from engram.web.verb import planned
from engram.web.verb import taken

_MADE_OF: Final = ("id", "kind", "text", "seen")  # of what waits: what would make another answer right
_SIDE: Final = ("id", "text", "status", "trust", "scope")  # of a fact that it stands on


def with_stamp(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return what waits, as `services.review.queue.describe` tells it, with a stamp of all that an answer is about."""
    sides = [[side[name] for name in _SIDE] for side in item["sides"]]
    return {**item, "stamp": stamp_of([[item.get(name) for name in _MADE_OF], sides])}


def shows_for_person(caller: Caller | None) -> bool:
    """Tell whether what tries to give orders is shown: to the owner, not to who looks with a session's eyes."""
    return caller is None or caller.is_owner


def waiter_shown(workspace: WarmWorkspace, args: Args, caller: Caller | None) -> list[dict[str, Any]]:
    """Return what an answer is about, or what became of it where somebody was faster.

    Raises NotFoundError for what never waited, and RefusedError where the reader may not decide it.
    """
    settings, wanted = workspace.settings, str(args["id"])
    with workspace.reading() as database:
        waiting = visible_queue(database, settings, caller, workspace.now())
        try:
            waiter = get_waiter(waiting, wanted)
        except NotFoundError:
            require_owner(caller, f"what became of {wanted}")
            return [_settled(database, wanted)]
        refuse_for_others(database, caller, waiter, args)
        person = shows_for_person(caller)
        return [with_stamp(describe(database, waiter, settings, workspace.files, for_person=person))]


def _settled(database: FactDatabase, wanted: str) -> dict[str, Any]:
    standing = [one for one in database.list_settlements() if one.subject == wanted and one.undone_at is None]
    if not standing:
        raise NotFoundError(f"nothing waits for review under the id {wanted!r}", hint="engram review list", id=wanted)
    latest = standing[-1]
    shown = {"id": wanted, "status": str(latest.verdict), "text": latest.note or f"decided by {latest.actor}"}
    return {**shown, "stamp": stamp_of([latest.id, shown])}


def proposal_shown(workspace: WarmWorkspace, args: Args, caller: Caller | None) -> list[dict[str, Any]]:
    """Return the proposal of a domain that is decided about, or what was decided; raise NotFoundError, RefusedError."""
    require_owner(caller, "what a domain proposes")
    found = next((one for one in waiting_proposals(workspace) if one.id == args["id"]), None)
    if found is not None:
        return [with_stamp(describe_proposal(workspace, found, for_person=True))]
    decided = get_proposal(load_registry(workspace.files).proposals.values(), str(args["id"]))
    shown = {"id": decided.id, "status": decided.status.value, "text": decided.text}
    return [{**shown, "stamp": stamp_of(shown)}]


def decision_shown(_workspace: WarmWorkspace, _args: Args, caller: Caller | None) -> list[dict[str, Any]]:
    """Return nothing, for taking back names what it takes back; raise RefusedError to everybody but the owner."""
    require_owner(caller, "taking a decision back")
    return []


def _plan_deciding(workspace: WarmWorkspace, args: Args) -> Planned:
    done = _decide(workspace, args, dry_run=True)
    return Planned(taken(done), [f"{WOULD}:", f"  write into decisions.md: {done.reason}"])


def _decide(workspace: WarmWorkspace, args: Args, *, dry_run: bool = False) -> CommandResult:
    return decide_proposal(workspace, args["id"], args["outcome"], args.get("note"), dry_run=dry_run)


REVIEW_VERBS: Final[Mapping[str, Verb]] = {
    "review-answer": Verb(
        ("id", "outcome"),
        ("keep", "text", "note", "entity", "create", "to"),
        plan=lambda workspace, args: planned(*plan_settling(workspace, args)),
        apply=lambda workspace, args: taken(settle(workspace, args)),
        shows=waiter_shown,
    ),
    "review-undo": Verb(
        (), ("id",), apply=lambda workspace, args: taken(take_back(workspace, args.get("id"))), shows=decision_shown
    ),
    "domain-decide": Verb(
        ("id", "outcome"),
        ("note",),
        plan=_plan_deciding,
        apply=lambda workspace, args: taken(_decide(workspace, args)),
        shows=proposal_shown,
    ),
}
