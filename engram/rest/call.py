"""One request to the server: in which workspace, as whom it is answered, and how it changes something."""

from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from engram.api.opened import or_raise
from engram.base.text import require_plain
from engram.errors import RefusedError
from engram.errors import UnknownCommandError
from engram.model.changes.change import Change
from engram.model.commands.command import CommandResult
from engram.model.fact import Actor
from engram.model.fact import Fact
from engram.operations.answers.ask import find_caller
from engram.rest.door import Door
from engram.services.facts.listing import Moment
from engram.services.facts.listing import get_fact
from engram.services.visibility import Caller
from engram.services.visibility import decides_for_others
from engram.services.visibility import identify
from engram.services.visibility import may_see
from engram.warm.warm_store import WarmWorkspace

WAIT_S = 10.0  # that a change waits for the store; what is not applied by then is durable, and applied by who is next
_INTERNAL = frozenset({"exit_code", "kind"})


class Call(NamedTuple):
    """One request."""

    workspace: WarmWorkspace
    door: Door
    about: str = ""  # what its path names: the id of a fact, the path of an entity
    command_id: str | None = None  # that the client chose: the same twice is one effect

    @property
    def is_person(self) -> bool:
        """Whether a person's program asks, which is also shown what tries to give orders to an agent."""
        return self.door.actor == Actor.USER and self.door.session is None and self.door.agent is None

    def caller(self) -> Caller | None:
        """Return as whom it is answered; None: the store itself is looked at. Raises UnknownSessionError."""
        door = self.door
        return find_caller(self.workspace, door.session, door.agent) if door.session or door.agent else None

    def asker(self) -> Caller:
        """Return who asks: the workspace's own agent when the server was started for nobody else."""
        door = self.door
        with self.workspace.reading() as database:
            return identify(database, self.workspace.settings.agent, door.session, door.agent)

    def moment(self) -> Moment:
        """Return when and as to whom it is asked."""
        settings = self.workspace.settings
        return Moment(self.workspace.now(), settings.decay, settings.zone, self.caller())

    def fact(self) -> Fact:
        """Return the fact that is to be changed.

        Raises UnknownFactError, AmbiguousNameError, and RefusedError where a session that is kept apart would decide
        for others.
        """
        caller = self.caller()
        with self.workspace.reading() as database:
            fact = get_fact(database, self.about, caller)
        if caller is not None and decides_for_others(caller, [fact.scope]):
            raise RefusedError("this session is kept apart: it changes nothing that others see")
        return fact

    def change(self, kind: str, args: Mapping[str, Any], *, dry_run: bool = False) -> dict[str, Any]:
        """Do what a command does, or plan it; return what became of it, durable. Raises what refused it."""
        given = {name: value for name, value in args.items() if value is not None}
        require_plain(given)
        self.require_own_id()
        if dry_run:
            result, changes = self.workspace.plan(kind, given, actor=self.door.actor)
            return changed(or_raise(result), changes)
        done = self.workspace.submit(kind, given, actor=self.door.actor, wait_s=WAIT_S, command_id=self.command_id)
        return changed(or_raise(done))

    def result_of(self, command_id: str) -> CommandResult | None:
        """Return what became of a command; None for one that nobody gave here. Raises UnknownCommandError.

        That is raised where it is about what who asks may not see.
        """
        found, caller = self.workspace.commands.find_result(command_id), self.caller()
        if found is not None and found.id is not None and caller is not None:
            with self.workspace.reading() as database:
                facts = database.find_facts(found.id)
            if facts and not any(may_see(caller, fact.scope) for fact in facts):
                raise UnknownCommandError(f"no command {command_id!r} was given here", id=command_id)
        return found

    def require_own_id(self) -> None:
        """Raise RefusedError for an id of a change that somebody took whose changes are not seen here."""
        if self.command_id is None or self.caller() is None:
            return
        try:
            self.result_of(self.command_id)
        except UnknownCommandError:
            said = f"{self.command_id!r} cannot be the id of this change"
            raise RefusedError(said, hint="choose another Idempotency-Key") from None


def changed(result: CommandResult, planned: Sequence[Change] | None = None) -> dict[str, Any]:
    """Return what became of a command with the keys of the command line; of a plan also its changes."""
    shown = result.model_dump(mode="json", exclude=set(_INTERNAL))
    if planned is None:
        return shown
    changes = [one.model_dump(mode="json", exclude_none=True) for one in planned]
    return {**shown, "dry_run": True, "changes": changes}
