"""What is known of sessions: their names, how many turns they hold, and which one a name means."""

import difflib
from typing import NamedTuple

from engram.base.clock import to_iso
from engram.errors import UnknownSessionError
from engram.model.conversation import Session
from engram.ports.database import FactDatabase
from engram.services.commands.entities.entity import check_session_name
from engram.services.visibility import Caller
from engram.services.visibility import may_see
from engram.services.visibility import scope_in

_NEAR = 0.6  # similarity of names from which one is offered as "did you mean"


class SessionView(NamedTuple):
    """A session as people see it."""

    session: Session
    turns: int  # captured turns

    def as_json(self) -> dict[str, object]:
        """Return the JSON shape of the command line."""
        return {
            "name": self.session.name,
            "platform": self.session.platform,
            "id": self.session.external_id,
            "kind": self.session.kind,
            "project": self.session.project,
            "created_at": to_iso(self.session.created_at),
            "turns": self.turns,
        }


def list_sessions(database: FactDatabase, caller: Caller | None = None) -> list[SessionView]:
    """Return every session by name, with its number of turns; to a caller, those whose words it may read."""
    counts = database.turn_counts()
    known = [one for one in database.list_sessions() if caller is None or _may_read(caller, one)]
    return [SessionView(session, counts.get(session.name, 0)) for session in known]


def get_session(database: FactDatabase, name: str, caller: Caller | None = None) -> SessionView:
    """Return one session; raise BadValueError for what cannot be a name, UnknownSessionError with names near to it.

    To a caller, sessions whose words it may not read are unknown.
    """
    check_session_name(name)
    views = {view.session.name: view for view in list_sessions(database, caller)}
    if name in views:
        return views[name]
    near = difflib.get_close_matches(name, views, cutoff=_NEAR)
    hint = f"did you mean {', '.join(near)}? (engram session list)" if near else f"engram session add {name} makes it"
    raise UnknownSessionError(f"there is no session {name!r}", hint=hint, near=near)


def _may_read(caller: Caller, session: Session) -> bool:
    return may_see(caller, scope_in(session), session.name, raw=True)
