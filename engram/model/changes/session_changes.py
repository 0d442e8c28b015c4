"""Changes of what is known of sessions."""

from typing import Literal

from engram.model.conversation import Session
from engram.model.value import Value


class SessionAdded(Value):
    """A new session."""

    kind: Literal["session_added"] = "session_added"
    session: Session


class SessionUpdated(Value):
    """What is known of a session by now."""

    kind: Literal["session_updated"] = "session_updated"
    name: str
    project: str
    project_title: str


class SessionKindSet(Value):
    """A session is kept apart, or is no more."""

    kind: Literal["session_kind_set"] = "session_kind_set"
    name: str
    apart: Literal["personal", "group"] | None = None  # what it is kept apart as; None: it is open
    before: Literal["personal", "group"] | None = None  # what it was kept apart as
