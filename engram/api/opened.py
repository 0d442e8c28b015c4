"""One workspace, opened by a program: whose turn it is, how a change is made, and how a refusal becomes an error.

Invariant: at most one thread at a time works with the workspace, and between two calls nothing is locked but the index,
which whoever waits for it gets at once.
"""

import atexit
import contextlib
import datetime as dt
import threading
import types
import weakref
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from typing import Any
from typing import Self
from typing import get_args

from pydantic import ValidationError

from engram import errors
from engram.api.values import ActorName
from engram.api.values import Moment
from engram.base.dates import parse_bound
from engram.base.dates import parse_moment
from engram.base.text import require_plain
from engram.errors import BadValueError
from engram.errors import EngramError
from engram.errors import RefusedError
from engram.errors import UsageError
from engram.model.commands.command import CommandResult
from engram.model.commands.command import Envelope
from engram.model.commands.command import Outcome
from engram.model.fact import Actor
from engram.ports.database import FactDatabase
from engram.warm.warm_store import WarmWorkspace
from engram.workspace import Workspace

_WARM: weakref.WeakSet[WarmWorkspace] = weakref.WeakSet()  # that may hold an index open


class Opened:
    """A workspace whose calls take turns."""

    def __init__(self, workspace: Workspace, *, actor: ActorName = "user") -> None:
        """Take the workspace, and who it is that changes things through this object."""
        require_one_of("actor", actor, get_args(ActorName))
        self._actor = Actor(actor)
        self._opened: Workspace | None = workspace
        self._turn = threading.RLock()
        if isinstance(workspace, WarmWorkspace):
            _WARM.add(workspace)

    def __enter__(self) -> Self:
        """Return itself; the end of the block closes it."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: types.TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    def __repr__(self) -> str:
        opened = self._opened
        return f"<engram.Memory {'closed' if opened is None else opened.paths.root}>"

    def close(self) -> None:
        """Let go of the engines; closing again does nothing. What was written is durable without it."""
        with self._turn:
            opened, self._opened = self._opened, None
            if isinstance(opened, WarmWorkspace):
                opened.close()

    # -- inside

    @property
    def _workspace(self) -> Workspace:
        if self._opened is None:
            raise UsageError("this memory is closed", hint="engram.open(path) opens it again")
        return self._opened

    @contextlib.contextmanager
    def _reading(self) -> Iterator[tuple[Workspace, FactDatabase]]:
        with self._turn, self._workspace.reading() as database:
            yield self._workspace, database

    def _change(
        self,
        kind: str,
        args: Mapping[str, Any],
        *,
        dry_run: bool = False,
        wait: float | None = None,
        command_id: str | None = None,
    ) -> CommandResult:
        """Submit one command, or plan it; raise what refused it. What is None was not said."""
        given = {name: value for name, value in args.items() if value is not None}
        envelope_of(self._workspace, kind, given, actor=self._actor, command_id=command_id)
        if wait == 0 and not dry_run:  # made durable beside whoever has the turn
            return self._workspace.submit(kind, given, actor=self._actor, wait_s=0, command_id=command_id)
        with self._turn:
            at = self._workspace
            if dry_run:
                return or_raise(at.plan(kind, given, actor=self._actor)[0])
            return or_raise(at.submit(kind, given, actor=self._actor, wait_s=wait, command_id=command_id))

    def _bound(self, name: str, given: Moment | None, *, ends: bool = False) -> dt.datetime | None:
        """Return the instant, in UTC, from which on a bound admits; with `ends` the one before which it does."""
        if given is None or isinstance(given, dt.datetime):
            return self._instant(name, given)
        zone, now = self._workspace.settings.zone, self._workspace.now()
        return parse_bound(_written(given), zone=zone, now=now, name=name, ends=ends)

    def _instant(self, name: str, given: Moment | None) -> dt.datetime | None:
        """Return the instant that is meant, in UTC; a day is its first instant."""
        if given is None:
            return None
        if not isinstance(given, dt.datetime):
            zone, now = self._workspace.settings.zone, self._workspace.now()
            return parse_moment(_written(given), zone=zone, now=now, name=name)
        if given.tzinfo is None:
            raise BadValueError(f"{name} has no time zone", hint="such as datetime.now(tz=UTC)")
        return given.astimezone(dt.UTC)


def or_raise(result: CommandResult) -> CommandResult:
    """Return what became of a command; raise its error when it was refused."""
    if result.status != Outcome.REFUSED:
        return result
    kind = getattr(errors, f"{result.error}Error", RefusedError)
    near = result.details.get("near") or ()
    hint = f"did you mean {', '.join(near)}? {result.hint}" if near else result.hint
    found: EngramError = kind(result.reason or "", hint=hint or "", **result.details)
    raise found


def envelope_of(
    at: Workspace, kind: str, args: Mapping[str, Any], *, actor: Actor, command_id: str | None = None
) -> Envelope:
    """Return a command; raise BadValueError for what none can hold: control characters, or values that are no JSON."""
    require_plain(args)
    try:
        return at.envelope(kind, args, actor=actor, command_id=command_id, own_id=True)
    except ValidationError as problem:
        where = ".".join(str(part) for part in problem.errors(include_url=False)[0]["loc"][1:2])
        raise BadValueError(f"{where} is neither text, number, list nor object", hint="pass plain values") from problem


def require_one_of(name: str, value: str | None, known: Iterable[str]) -> None:
    """Refuse a word that is not one of those, if one is given; raise BadValueError that names them."""
    words = tuple(known)
    if value is not None and value not in words:
        raise BadValueError(f"{name} {value!r} is not known", hint=f"one of {', '.join(words)}")


def require_text(**given: object) -> None:
    """Refuse what is no text, or an empty one; raise BadValueError that names it."""
    for name, value in given.items():
        if not isinstance(value, str):
            raise BadValueError(f"{name} is no text but {type(value).__name__}", hint="pass a str")
        if not value.strip():
            raise BadValueError(f"{name} is empty", hint="say what is meant")
    require_plain(given)


def require_list(**given: object) -> None:
    """Refuse a text where a list of texts is meant: it would be taken for a list of its letters; BadValueError."""
    for name, value in given.items():
        if isinstance(value, str | bytes) or not isinstance(value, Iterable):
            raise BadValueError(f"{name} is not a list of texts", hint=f"such as {name}=['a', 'b']")


def _written(given: dt.date | str) -> str:
    if isinstance(given, str):
        return given
    if isinstance(given, dt.date):
        return given.isoformat()
    raise BadValueError(f"{given!r} is no moment", hint="a datetime, a date, or a text such as 24h or 2026-02-24")


@atexit.register
def _close_all() -> None:
    """Let go of what a program has not closed: engines that are open when the interpreter ends complain of it."""
    for workspace in list(_WARM):
        workspace.close()
