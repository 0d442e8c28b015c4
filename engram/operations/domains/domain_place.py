"""Where the domains of a caller lie: those of all, or those of one session that is kept apart.

A session that is kept apart has domains of its own, in its silo: their registry, their files and what they propose lie
there, and everything that looks at the domains of all looks elsewhere. So nobody but that session reads or writes
them, and no shared index, page, alert or start block tells of them: they are the session's raw text.
"""

from collections.abc import Sequence
from typing import Final

from engram.errors import AmbiguousNameError
from engram.errors import NotFoundError
from engram.errors import RefusedError
from engram.model.conversation import Session
from engram.model.domain import DomainType
from engram.ports.text_files import TextFiles
from engram.services.facts.sources.sessions import list_sessions
from engram.services.silo.folder import silo_folder
from engram.services.visibility import Caller
from engram.services.visibility import identify
from engram.workspace import Workspace

PEER: Final = "peer:"  # begins a binding to a direct conversation with one person
GROUP: Final = "group:"  # begins a binding to a conversation that others read along
_KINDS: Final = {PEER: "personal", GROUP: "group"}  # what such a session is kept apart as
_TYPES: Final = {DomainType.PEER_DIRECT: PEER, DomainType.GROUP_DIRECT: GROUP}


def domain_files(workspace: Workspace, caller: Caller | None) -> TextFiles:
    """Return the files among which a caller's domains lie; None and everybody who is not kept apart: those of all."""
    if caller is None or not caller.apart:
        return workspace.files
    return workspace.files.of_silo(silo_folder(workspace.settings.agent, caller.session))


def place_of_new(
    workspace: Workspace, caller: Caller | None, kind: DomainType, bindings: Sequence[str]
) -> tuple[TextFiles, str | None]:
    """Return the files for a new domain, and the session to which it is bound; None: it is everybody's.

    It is bound by a key `peer:ID` or `group:ID`, or by being made in a session that is kept apart.

    Raises:
        NotFoundError, AmbiguousNameError: for a key that means no such session, or several.
        RefusedError: for keys of two sessions, for the key of another session than the caller's, and for a type that
            says how it is bound when it is not.
    """
    bound = _bound_sessions(workspace, bindings)
    if caller is not None and caller.apart:
        if any(one.name != caller.session for one in bound):
            raise RefusedError("a domain of this session is bound to no other", hint="leave out --bind or --session")
    elif bound:
        if len({one.name for one in bound}) > 1:
            raise RefusedError("a domain is bound to one session", hint="make a domain for each of them")
        with workspace.reading() as database:
            caller = identify(database, workspace.settings.agent, bound[0].name)
    is_apart = caller is not None and caller.apart
    wanted = _TYPES.get(kind)
    if wanted is not None and (not is_apart or (caller is not None and caller.group) != (wanted == GROUP)):
        raise RefusedError(
            f"a domain of type {kind.value} is bound to a session of kind {_KINDS[wanted]}",
            hint=f"--bind {wanted}ID, with the session's name or the platform's id of it",
        )
    return domain_files(workspace, caller), caller.session if is_apart and caller is not None else None


def _bound_sessions(workspace: Workspace, bindings: Sequence[str]) -> list[Session]:
    keys = [(prefix, key.removeprefix(prefix)) for key in bindings for prefix in _KINDS if key.startswith(prefix)]
    if not keys:
        return []
    with workspace.reading() as database:
        sessions = [view.session for view in list_sessions(database)]
    return [_session(sessions, prefix, wanted) for prefix, wanted in keys]


def _session(sessions: Sequence[Session], prefix: str, wanted: str) -> Session:
    kind = _KINDS[prefix]
    found = [one for one in sessions if one.kind == kind and wanted in {one.name, one.external_id}]
    if not found:
        raise NotFoundError(
            f"no session of kind {kind} has the name or id {wanted!r}",
            hint=f"engram session add NAME --kind {kind} --id {wanted}",
        )
    if len(found) > 1:
        names = [one.name for one in found]
        raise AmbiguousNameError(f"{prefix}{wanted} can mean {' or '.join(names)}", near=names)
    return found[0]
