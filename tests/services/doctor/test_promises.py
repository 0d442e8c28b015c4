"""Promises that are long overdue are named, a few at a time and without their words."""

import datetime as dt

from engram.operations.examine import checkup_of
from engram.services.doctor.promises import MOST
from engram.services.doctor.promises import check_promises
from engram.workspace import Workspace
from tests.making import NOW

DAY = dt.timedelta(days=1)


def promise(workspace: Workspace, text: str, days_ago: int, **fields: str) -> str:
    told = {"entity": "projects/server", "text": text, "category": "commitment", "create": True}
    due = (NOW - days_ago * DAY).isoformat()
    result = workspace.submit("write", {**told, "valid_from": "2025-01-01", "valid_to": due, **fields})
    assert result.id, result
    return result.id


def found(workspace: Workspace) -> list[str]:
    checkup = checkup_of(workspace, "test")
    with checkup.hold_store():
        return [one.message for one in check_promises(checkup)]


def test_a_promise_is_named_when_it_is_long_overdue(workspace: Workspace) -> None:
    promise(workspace, "I'll send the draft", 13)
    promise(workspace, "I cover the desk until Friday", 20)
    late = promise(workspace, "I'll order the disk", 15, scope="session:main/talk")

    assert found(workspace) == [
        f"{late} was promised by 2026-02-15, and nothing says what became of it",
    ]


def test_a_promise_that_was_kept_is_not_named(workspace: Workspace) -> None:
    late = promise(workspace, "I'll order the disk", 15)
    done = {"entity": "projects/server", "text": "Ordered the disk", "supersedes": [late]}

    assert workspace.submit("write", done).status == "superseded"
    assert found(workspace) == []


def test_a_promise_that_a_newer_fact_tells_to_be_kept_is_not_named(workspace: Workspace) -> None:
    promise(workspace, "I'll order the disk", 15)
    cable = promise(workspace, "I'll order the cable", 15)

    assert workspace.submit("write", {"entity": "projects/server", "text": "Ordered the disk today"}).id
    assert [one.partition(" ")[0] for one in found(workspace)] == [cable]


def test_no_more_are_named_than_somebody_looks_after(workspace: Workspace) -> None:
    for number in range(MOST + 2):
        promise(workspace, f"I'll paint fence {chr(65 + number)}", 100 - number)

    named = found(workspace)

    assert [one.partition(" ")[0] for one in named[:2]] == ["projects/server-001", "projects/server-002"]
    assert named[MOST:] == ["2 more promises are overdue; they are named when these are settled"]
