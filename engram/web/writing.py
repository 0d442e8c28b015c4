"""What is changed from the page: planned, shown, and done through the same commands as at the command line.

A form shows something as it was read. Its stamp comes with it, and where the thing is no longer so, nothing is done and
the page is told what it has become.
"""

from collections.abc import Callable
from collections.abc import Mapping
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.model.change import Change
from engram.model.command import CommandResult
from engram.model.fact import Actor
from engram.operations.plan_text import plan_lines
from engram.ports.database import FactDatabase
from engram.services.facts.listing import Moment
from engram.services.facts.listing import fact_views
from engram.services.facts.listing import get_fact
from engram.services.visibility import Caller
from engram.warm.warm_store import WarmWorkspace
from engram.web.stamps import stamp_of
from engram.web.stamps import stamped

Args = dict[str, Any]
Planned = tuple[CommandResult, list[Change]]


class ChangedError(RefusedError):
    """What the form shows has changed since."""

    default_hint = "look at it again: nothing was done"


class Verb(NamedTuple):
    """Something that can be done from the page."""

    needs: tuple[str, ...]  # arguments that have to be there
    allows: tuple[str, ...] = ()  # arguments that may be there
    plan: Callable[[WarmWorkspace, Args], Planned] | None = None  # None: the command of the verb's own name
    apply: Callable[[WarmWorkspace, Args], CommandResult] | None = None  # as above
    about: Callable[[FactDatabase, Args, Moment], list[dict[str, Any]]] | None = None  # what a form shows; with stamps


def facts_shown(database: FactDatabase, args: Args, moment: Moment) -> list[dict[str, Any]]:
    """Return the fact that a form is about, as the reader sees it; raise UnknownFactError."""
    return [stamped(view) for view in fact_views(database, [get_fact(database, args["id"], moment.caller)], moment)]


VERBS: Final[Mapping[str, Verb]] = {
    "write": Verb(("entity", "text"), ("category", "create", "valid_from", "valid_to", "confidence", "tags")),
    "correct": Verb(("id", "text"), ("category", "confidence", "value"), about=facts_shown),
    "retract": Verb(("id", "reason"), about=facts_shown),
    "confirm": Verb(("id",), about=facts_shown),
    "pin": Verb(("id",), about=facts_shown),
    "unpin": Verb(("id",), about=facts_shown),
    "undo": Verb((), ("id",)),
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
        plan = verb.plan or (lambda workspace, given: workspace.plan(name, given, actor=Actor.USER))
        result, changes = plan(self._workspace, args)
        _require_taken(result)
        lines = plan_lines([change.model_dump(mode="json", exclude_none=True) for change in changes])
        return {"result": _shown(result), "lines": lines, "about": about, "seen": _seen(about)}

    def apply(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """Make a change; return what became of it. Raises ChangedError when the form is stale."""
        name, verb, args = _read(said)
        self._require_seen(said, self._about(verb, args), needs=True)
        apply = verb.apply or (lambda workspace, given: workspace.submit(name, given, actor=Actor.USER))
        result = apply(self._workspace, args)
        _require_taken(result)
        return {"result": _shown(result)}

    def _about(self, verb: Verb, args: Args) -> list[dict[str, Any]]:
        if verb.about is None:
            return []
        workspace = self._workspace
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
    for unknown in sorted(set(args) - {*verb.needs, *verb.allows}):
        raise BadValueError(f"{name} takes no {unknown!r}")
    return name, verb, {key: value for key, value in args.items() if value is not None}


def _seen(about: list[dict[str, Any]]) -> str:
    """Return the stamp of all that a form is about; of one thing it is that thing's own."""
    stamps = [one["stamp"] for one in about]
    return stamps[0] if len(stamps) == 1 else stamp_of(stamps)


def _require_taken(result: CommandResult) -> None:
    if result.error:
        raise RefusedError(result.reason or "the change was refused", hint=result.hint or "", result=_shown(result))


def _shown(result: CommandResult) -> dict[str, Any]:
    return result.model_dump(mode="json", exclude={"exit_code"})
