"""What is changed from the page: planned, shown, and done through the same commands as at the command line.

A form shows something as it was read. Its stamp comes with it, and where the thing is no longer so, nothing is done and
the page is told what it has become.
"""

from collections.abc import Mapping
from typing import Any
from typing import Final

from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.model.fact import Actor
from engram.model.vocabulary import CAN_BE_UNDONE
from engram.operations.correction import correct_and_confirm
from engram.operations.correction import plan_correction
from engram.operations.forget import Forgetting
from engram.operations.words.forget_text import forget_lines
from engram.ports.database import FactDatabase
from engram.services.erasure.plan import ForgetQuery
from engram.services.facts.listing import Moment
from engram.services.facts.listing import fact_views
from engram.services.facts.listing import get_entity_path
from engram.services.facts.listing import get_fact
from engram.services.visibility import Caller
from engram.services.visibility import decides_for_others
from engram.services.visibility import visible_entities
from engram.warm.holder import stop
from engram.warm.warm_store import WarmWorkspace
from engram.web.doctor_changes import DOCTOR_VERBS
from engram.web.heartbeat_changes import HEARTBEAT_VERBS
from engram.web.review_changes import REVIEW_VERBS
from engram.web.stamps import stamp_of
from engram.web.stamps import stamped
from engram.web.verb import Args
from engram.web.verb import Planned
from engram.web.verb import Verb
from engram.web.verb import planned
from engram.web.verb import taken


class ChangedError(RefusedError):
    """What the form shows has changed since."""

    default_hint = "look at it again: nothing was done"


def facts_shown(database: FactDatabase, args: Args, moment: Moment) -> list[dict[str, Any]]:
    """Return the fact that a form is about, as the reader sees it.

    Raises UnknownFactError, and RefusedError where who reads as a session that is kept apart would decide for others.
    """
    fact = get_fact(database, args["id"], moment.caller)
    if moment.caller is not None and decides_for_others(moment.caller, [fact.scope]):
        raise RefusedError("this session is kept apart: it changes nothing that others see", hint="engram ui")
    return [stamped(view) for view in fact_views(database, [fact], moment)]


def erased_shown(database: FactDatabase, args: Args, moment: Moment) -> list[dict[str, Any]]:
    """Return the fact that is to be forgotten; raise UnknownFactError, and RefusedError to everybody but the owner."""
    _require_owner(moment.caller, "forget for good")
    return facts_shown(database, args, moment)


def nothing_shown(_workspace: WarmWorkspace, _args: Args, caller: Caller | None) -> list[dict[str, Any]]:
    """Return nothing, for the plan names what it is about; raise RefusedError to everybody but the owner."""
    _require_owner(caller, "do this")
    return []


def entities_shown(database: FactDatabase, args: Args, moment: Moment) -> list[dict[str, Any]]:
    """Return the entities that a form is about.

    Raises UnknownEntityError for one that is not there, and RefusedError to everybody but the owner: an entity's facts
    move with it, also those that a reader does not see.
    """
    _require_owner(moment.caller, "change an entity")
    names = [args[name] for name in ("path", "source", "into") if name in args]
    paths = [get_entity_path(database, name, moment.caller) for name in names]
    known = {one.path: one for one in visible_entities(database, moment.caller or Caller())}
    shown = [{"path": path, "title": known[path].title, "aliases": [*known[path].aliases]} for path in paths]
    return [{**one, "stamp": stamp_of(one)} for one in shown]


def _require_owner(caller: Caller | None, what: str) -> None:
    if caller is not None and not caller.is_owner:
        raise RefusedError(f"only the owner's own view can {what}", hint="engram ui, without --session and --agent")


def plan_to_forget(workspace: WarmWorkspace, args: Args) -> Planned:
    """Return what would be erased for good."""
    plan = Forgetting(workspace).plan(ForgetQuery(fact=args["id"])).as_json()
    return Planned({"status": "planned", "details": plan}, forget_lines(plan))


def forget(workspace: WarmWorkspace, args: Args) -> dict[str, Any]:
    """Erase a fact for good; return the receipt."""
    forgetting = Forgetting(workspace)
    plan = forgetting.plan(ForgetQuery(fact=args["id"]))
    stop(workspace.paths)  # the warm process has read what is to go; the next prompt starts another
    receipt = forgetting.run(plan, args["reason"]).as_json()
    return {"status": receipt["status"], "id": args["id"], "details": receipt}


VERBS: Final[Mapping[str, Verb]] = {
    "write": Verb(
        ("entity", "text"),
        ("category", "create", "valid_from", "valid_to", "confidence", "tags"),
        is_by_hand=True,
        shows=nothing_shown,
    ),
    "correct": Verb(
        ("id", "text"),
        ("category", "confidence", "value"),
        plan=lambda workspace, args: planned(*plan_correction(workspace, args)),
        apply=lambda workspace, args: taken(correct_and_confirm(workspace, args)),
        about=facts_shown,
    ),
    "retract": Verb(("id", "reason"), is_by_hand=True, about=facts_shown),
    "confirm": Verb(("id",), about=facts_shown),
    "feedback": Verb(("id", "verdict"), about=facts_shown),
    "pin": Verb(("id",), about=facts_shown),
    "unpin": Verb(("id",), about=facts_shown),
    "undo": Verb((), ("id",), shows=nothing_shown),
    "forget": Verb(("id", "reason"), plan=plan_to_forget, apply=forget, about=erased_shown),
    "entity-alias": Verb(("path", "alias"), about=entities_shown),
    "entity-rename": Verb(("path", "new"), ("title",), about=entities_shown),
    "entity-merge": Verb(("source", "into"), about=entities_shown),
    "entity-split": Verb(("path",), ("to", "facts", "title"), about=entities_shown),
    "entity-archive": Verb(("path",), about=entities_shown),
    "entity-restore": Verb(("path",), about=entities_shown),
    **REVIEW_VERBS,
    **DOCTOR_VERBS,
    **HEARTBEAT_VERBS,
}


class Writing:
    """Plans and makes the changes that one reader of the page asks for."""

    def __init__(self, workspace: WarmWorkspace, caller: Caller | None) -> None:
        """Take the workspace that is written to, and who asks."""
        self._workspace = workspace
        self._caller = caller

    def plan(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a change would do: "result", "lines" in words, "about" and "seen", the stamp to apply it with."""
        name, verb, args = _read(said)
        about = self._about(verb, args)
        self._require_seen(said, about, needs=False)
        by_hand = _by_hand(verb)
        plan = verb.plan or (lambda workspace, given: planned(*workspace.plan(name, given | by_hand, actor=Actor.USER)))
        return {**plan(self._workspace, args)._asdict(), "about": about, "seen": _seen(about)}

    def apply(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """Make a change; return what became of it. Raises ChangedError when the form is stale."""
        name, verb, args = _read(said)
        self._require_seen(said, self._about(verb, args), needs=True)
        by_hand = _by_hand(verb)
        apply = verb.apply or (
            lambda workspace, given: taken(workspace.submit(name, given | by_hand, actor=Actor.USER))
        )
        return {"result": apply(self._workspace, args)}

    def _about(self, verb: Verb, args: Args) -> list[dict[str, Any]]:
        workspace = self._workspace
        if verb.shows is not None:
            return verb.shows(workspace, args, self._caller)
        if verb.about is None:
            return []
        moment = Moment(workspace.now(), workspace.settings.decay, workspace.settings.zone, self._caller)
        with workspace.reading() as database:
            return verb.about(database, args, moment)

    def _require_seen(self, said: Mapping[str, Any], about: list[dict[str, Any]], *, needs: bool) -> None:
        seen = said.get("seen")
        if seen is None and not (needs and about):
            return
        if seen != _seen(about):
            raise ChangedError("this has changed since the page showed it", about=about)


def _read(said: Mapping[str, Any]) -> tuple[str, Verb, Args]:
    """Return the verb and its arguments; raise BadValueError for what is none."""
    name, args = said.get("verb"), said.get("args", {})
    verb = VERBS.get(name) if isinstance(name, str) else None
    if verb is None or not isinstance(name, str):
        raise BadValueError(f"verb: {name!r} is none of {', '.join(VERBS)}")
    if not isinstance(args, dict):
        raise BadValueError("args is no JSON object")
    for missing in (one for one in verb.needs if args.get(one) in (None, "")):
        raise BadValueError(f"{name} needs {missing}")
    for other in (one for one in verb.needs if not isinstance(args[one], str)):
        raise BadValueError(f"{other} is no text")
    for unknown in sorted(set(args) - {*verb.needs, *verb.allows}):
        raise BadValueError(f"{name} takes no {unknown!r}")
    return name, verb, {key: value for key, value in args.items() if value is not None}


def _by_hand(verb: Verb) -> Args:
    return {CAN_BE_UNDONE: True} if verb.is_by_hand else {}


def _seen(about: list[dict[str, Any]]) -> str:
    """Return the stamp of all that a form is about; of one thing it is that thing's own."""
    stamps = [one["stamp"] for one in about]
    return stamps[0] if len(stamps) == 1 else stamp_of(stamps)
