"""Sessions by name."""

import pytest

from engram.errors import BadValueError
from engram.errors import UnknownSessionError
from engram.services.facts.sources.sessions import get_session
from engram.services.facts.sources.sessions import list_sessions
from engram.workspace import Workspace


def test_sessions_are_listed_with_their_turns(workspace: Workspace) -> None:
    turns = [{"id": f"turn/{number:032x}", "text": "hi", "session": "demo"} for number in range(3)]
    workspace.submit("capture", {"session": "demo", "turns": turns})
    workspace.submit("session-add", {"name": "chat", "platform": "telegram", "external_id": "47"})
    with workspace.reading() as database:
        rows = [view.as_json() for view in list_sessions(database)]

    assert [(row["name"], row["turns"], row["platform"], row["id"]) for row in rows] == [
        ("chat", 0, "telegram", "47"), ("demo", 3, None, None),
    ]  # fmt: skip


def test_an_unknown_session_names_those_near_to_it(workspace: Workspace) -> None:
    workspace.submit("session-add", {"name": "standup"})
    with workspace.reading() as database:
        with pytest.raises(UnknownSessionError) as caught:
            get_session(database, "stand-up")
        with pytest.raises(BadValueError):
            get_session(database, "../x")
        found = get_session(database, "standup")

    assert caught.value.details["near"] == ["standup"]
    assert found.session.name == "standup"
