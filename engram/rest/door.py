"""For whom a server answers."""

from typing import NamedTuple

from engram.model.vocabulary import Actor


class Door(NamedTuple):
    """For whom a server was started; no request can widen it."""

    session: str | None = None
    agent: str | None = None
    actor: Actor = Actor.AGENT  # who changes things through it

    def view(self) -> dict[str, str | None]:
        """Return as whom it asks, as fields of a question."""
        return {"session": self.session, "agent": self.agent}
