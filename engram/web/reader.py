"""Who looks at the page, and what follows from that."""

from typing import NamedTuple

from engram.operations.answers.ask import find_caller
from engram.services.visibility import Caller
from engram.warm.warm_store import WarmStore
from engram.workspace import Workspace


class Reader(NamedTuple):
    """Who looks at the page."""

    session: str | None = None
    agent: str | None = None

    def caller(self, workspace: Workspace) -> Caller | None:
        """Return whom the page answers; None: the store itself is looked at. Raises UnknownSessionError."""
        return find_caller(workspace, self.session, self.agent) if self.session or self.agent else None

    def require_known(self, store: WarmStore) -> None:
        """Raise UnknownSessionError for a session that nothing was said or noted in."""
        with store.reading() as workspace:
            self.caller(workspace)
