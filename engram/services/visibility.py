"""Who may see what: the one place that decides for every door.

A fact, a turn or a note entry has a scope: `shared`, `session:NAME` or `agent:NAME`; a lesson may have `experience`, of
the pool of all agents, which nothing enters that is said in a session that is kept apart. Raw text (turns, note entries
and the files of a session's folder) belongs besides to its session, and another session never sees it, whatever its
scope. Nor does the owner's own view see that of another agent, unless that agent or its session is asked for by name.
A session can be kept apart (kind `personal` or `group`): then all that is said in it is private to it, the facts that
are drawn from it included; and nothing that is said in it takes the place of what others see, who would lose it and
not see what came instead. In a group others read along: there the agent's own memory and MEMORY.md are not shown.

What a caller may not see is to it as if it were not there: no id, no count, no "withheld" tells of it. Only the owner's
own view, which is that of the workspace's agent outside of any session, is told that something is kept from it.
Entities have no scope: to anybody but the owner they are there when a fact of them is, also their names.
"""

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from typing import Any
from typing import NamedTuple

from engram.base.self_names import SELF_NAMES
from engram.base.self_names import first_name
from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.errors import UnknownEntityError
from engram.errors import UnknownSessionError
from engram.model.conversation import Session
from engram.model.conversation import Turn
from engram.model.entity import Entity
from engram.model.fact import EXPERIENCE
from engram.model.fact import SHARED
from engram.model.fact import Fact
from engram.ports.database import FactDatabase
from engram.ports.database import SliceKeys

_OF_SESSION = "session:"  # begins a session's scope
OWN_SCOPE = "self"  # of MEMORY.md and its like, in an index only: no fact, turn or note can have it
MAIN_SESSION = "main"  # the silo of an agent's notes that belong to no other session
OWNER = "owner"  # whose lines the owner's are said to be: no agent speaks under that name
HEARTBEAT_SESSION = "heartbeat"  # the silo of the reports of the heartbeat
PROGRAMS = frozenset({"claude-code", "codex", "gemini", "cursor", "openclaw", "chatgpt", "claude-ai"})
"""Programs that agents run in. `PROGRAM/SESSION` is a session of the workspace's own agent, not another agent's."""


class Caller(NamedTuple):
    """Who asks. Made by `identify`, which knows what the workspace knows of the session."""

    session: str | None = None  # None: the workspace's own agent outside of any session, who reads its own open silos
    agent: str | None = None  # None: no agent, who sees no agent's private memory
    group: bool = False  # others read along: the session is a group chat
    foreign: bool = False  # the agent is not the one that owns the workspace
    apart: bool = False  # what is said in the session is private to it

    @property
    def sees_self(self) -> bool:
        """Whether MEMORY.md and its like are for this caller: the owner's, which the workspace's agent alone loads."""
        return not self.group and not self.foreign

    @property
    def works_for_owner(self) -> bool:
        """Whether it is the owner's own agent, and nobody else speaks to it: it may hear of the owner's folders."""
        return not self.foreign and not self.apart

    @property
    def is_owner(self) -> bool:
        """Whether it is the owner's own view, which may know that something is kept from it."""
        return self.session is None and not self.foreign


def identify(
    database: FactDatabase,
    own_agent: str,
    session: str | None = None,
    agent: str | None = None,
    *,
    has_notes: Callable[[str], bool] | None = None,
) -> Caller:
    """Return the caller that these names mean; every door asks here who asks.

    Args:
        database: knows the sessions.
        own_agent: the agent that owns the workspace (setting `agent`).
        session: a session's name; one of another agent is `AGENT/SESSION`, one of a program `PROGRAM/SESSION`.
        agent: who asks; None: the agent of such a session, else the workspace's own.
        has_notes: tells whether notes of a session lie in its folder. None: an unknown session is a silo with nothing
            in it, as for what is going to make it known.

    Raises:
        UnknownSessionError: with `has_notes`, for a session, not the main one, that nothing was said or noted in.
    """
    named = caller_of(own_agent, session, agent, {}).session
    known = database.load_slice(SliceKeys(sessions=frozenset({named}))).sessions if named else {}
    if has_notes and session and named and named not in known and not _is_noted(database, named, has_notes):
        raise UnknownSessionError(f"there is no session {session!r}")
    return caller_of(own_agent, session, agent, known)


def caller_of(own_agent: str, session: str | None, agent: str | None, known: Mapping[str, Session]) -> Caller:
    """Return what `identify` does, without asking anybody; `known` are sessions of the store by name."""
    named = plain_session(session, own_agent)
    who = agent or _agent_of(named) or own_agent
    foreign = who != own_agent
    if named is None and foreign:
        named = f"{who}/{MAIN_SESSION}"  # another agent has no open view: its main session is where it stands
    place = known.get(named or "")
    kind = place.kind if place else None
    return Caller(named, who or None, group=kind == "group", foreign=foreign, apart=kind is not None)


def _is_noted(database: FactDatabase, session: str, has_notes: Callable[[str], bool]) -> bool:
    return session == MAIN_SESSION or has_notes(session) or session in {note.session for note in database.list_notes()}


def visible_scopes(caller: Caller, besides: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the scopes that the caller may see: shared, the pool, its session's, its agent's, and those given."""
    session = (f"{_OF_SESSION}{caller.session}",) if caller.session else ()
    agent = (f"agent:{caller.agent}",) if caller.agent and not caller.group else ()
    return tuple(dict.fromkeys((SHARED, EXPERIENCE, *session, *agent, *besides)))


def may_see(
    caller: Caller, scope: str, session: str | None = None, *, raw: bool = False, besides: Iterable[str] = ()
) -> bool:
    """Tell whether the caller may see something of this scope.

    Args:
        caller: who asks.
        scope: of the fact, turn or note entry.
        session: that it belongs to; matters for raw text only.
        raw: whether it is raw text: a turn, a note entry, or a file of a session's folder.
        besides: scopes that it was given besides its own.
    """
    own_silo = not raw or session == caller.session or (caller.session is None and not is_anothers(caller, session))
    return own_silo and scope in visible_scopes(caller, besides)


def decides_for_others(caller: Caller, scopes: Iterable[str]) -> bool:
    """Tell whether a caller in a session that is kept apart would decide about what others see, too."""
    return caller.apart and any(scope != f"{_OF_SESSION}{caller.session}" for scope in scopes)


def visible_entities(database: FactDatabase, caller: Caller, besides: Iterable[str] = ()) -> list[Entity]:
    """Return the entities by path whose names the caller may know: every one for the owner.

    A name has no scope of its own: to anybody else an entity is there as soon as a fact of it is.
    """
    return database.list_entities(() if caller.is_owner else visible_scopes(caller, besides))


def find_visible_entities(database: FactDatabase, caller: Caller, name: str, besides: Iterable[str] = ()) -> list[str]:
    """Return the paths, sorted, that a path, title or alias can mean to the caller.

    The owner is also called by the first name, where nobody else is called so.
    """
    found = database.load_slice(SliceKeys(names=frozenset({name}))).find_entities(name)
    found = found or find_owner_by_first_name(database, name)
    if not found or caller.is_owner:
        return found
    known = {entity.path for entity in visible_entities(database, caller, besides)}
    return [path for path in found if path in known]


def find_owner_by_first_name(database: FactDatabase, name: str) -> list[str]:
    """Return the path of the workspace's owner, if that is their first name; of somebody called so it is not asked."""
    state = database.load_slice(SliceKeys(names=frozenset({*SELF_NAMES})))
    owners = {path for own in SELF_NAMES for path in state.find_entities(own)}
    folded = " ".join(name.split()).casefold()
    return sorted(path for path in owners if folded and first_name(state.entities[path].title).casefold() == folded)


def current_path(database: FactDatabase, path: str) -> str:
    """Return where the entity stands now that stood at a path, such as the one that the settings call the owner."""
    found = database.load_slice(SliceKeys(names=frozenset({path}))).resolve(path) if path else None
    return path if found is None else found


def require_own_view(database: FactDatabase, caller: Caller | None, names: Iterable[str] = ()) -> None:
    """Refuse to rearrange entities to anybody but the owner: it moves facts, also those that the caller cannot see.

    Raises UnknownEntityError for a name that the caller may not know, as for one that nobody has, else RefusedError.
    """
    if caller is None or caller.is_owner:
        return
    for name in names:
        if not find_visible_entities(database, caller, name):
            raise UnknownEntityError(f"no entity is called {name!r}", name=name)
    raise RefusedError("who is who is settled in the owner's own view", hint="without --session and --agent")


def scope_in(session: Session | None) -> str:
    """Return the scope of what is said in a session when nobody says another: its own when it is kept apart."""
    return f"{_OF_SESSION}{session.name}" if session is not None and session.kind is not None else SHARED


def scopes_in(session: str | None) -> tuple[str, ...]:
    """Return the scopes that `scope_in` may give of a session of this name, whatever its kind is."""
    return (SHARED, f"{_OF_SESSION}{session}") if session else (SHARED,)


def require_owner(caller: Caller | None, what: str) -> None:
    """Refuse to everybody but the owner what tells of the whole store, such as its heartbeat; raise RefusedError."""
    if caller is not None and not caller.is_owner:
        raise RefusedError(f"{what} is shown in the owner's own view", hint="without --session and --agent")


def refuse_reach(session: Session | None, facts: Iterable[Fact], scope: str) -> None:
    """Refuse to let what is said in a session that is kept apart take the place of what others see.

    Args:
        session: in which it is said.
        facts: whose place it is to take.
        scope: of what is said; a writer who says that it is shared speaks for all.

    Raises:
        RefusedError: when one of the facts is of another scope.
    """
    if session is None or SHARED in {scope, scope_in(session)}:
        return
    for fact in facts:
        if fact.scope != scope:
            why = f"others see {fact.id}, too, and session {session.name} is kept apart"
            raise RefusedError(why, hint="write it here as a fact of its own; the owner settles it outside", id=fact.id)


def require_scope(scope: str) -> None:
    """Raise BadValueError for what is no scope."""
    kind, colon, name = scope.partition(":")
    if scope not in {SHARED, EXPERIENCE} and not (kind in {"session", "agent"} and colon and name):
        raise BadValueError(f"scope {scope!r} is none", hint="write shared, experience, session:NAME or agent:NAME")


def refuse_pool(scope: str, session: Session | None, turn: Turn | None) -> None:
    """Refuse to let what is said in a session that is kept apart enter the pool of lessons, whoever asks for it.

    Args:
        scope: of what is said.
        session: in which it is said.
        turn: from which it was read, which has the scope of its own session.

    Raises:
        RefusedError: when it is a group or a personal chat.
    """
    if scope != EXPERIENCE:
        return
    if scope_in(session) != SHARED or (turn is not None and turn.scope != SHARED):
        why = "what is said in a session that is kept apart does not enter the pool of lessons"
        raise RefusedError(why, hint="leave out --scope: it is kept for the session alone")


def plain_session(session: str | None, own_agent: str) -> str | None:
    """Return a session's name without the workspace's own agent before it: `main/demo` is `demo`."""
    return session.removeprefix(f"{own_agent}/") if session else None


def in_plain_sessions(kind: str, args: Mapping[str, Any], own_agent: str) -> dict[str, Any]:
    """Return a command's arguments with every session called as it is called in reading (see `plain_session`).

    Else what is written as to `main/demo` would belong to another session than the one that reads by that name, and one
    that is kept apart would not be known for it.
    """
    names = {"session", "name"} if kind in {"session-add", "session-open"} else {"session"}
    plain = {name: _called(one, own_agent) if name in names else one for name, one in args.items()}
    if isinstance(source := plain.get("source"), dict):
        plain["source"] = in_plain_sessions("", source, own_agent)
    if isinstance(scope := plain.get("scope"), str) and scope.startswith(_OF_SESSION):
        plain["scope"] = _OF_SESSION + _called(scope.removeprefix(_OF_SESSION), own_agent)
    return plain


def _called(name: Any, own_agent: str) -> Any:
    """Return the plain name of a session; what can be none stays as it is, for the command to refuse."""
    return plain_session(name, own_agent) or name if isinstance(name, str) else name


def is_anothers(caller: Caller, session: str | None) -> bool:
    """Tell whether the words of a session are another agent's, and kept from who asks in the view of all sessions."""
    return caller.session is None and caller.agent is not None and _agent_of(session) not in {None, caller.agent}


def _agent_of(session: str | None) -> str | None:
    agent = session.partition("/")[0] if session and "/" in session else None
    return None if agent in PROGRAMS else agent
