"""What the logs of recall tell of one fact, and to whom."""

from typing import Any

from engram.services.facts.exposure import exposure_of
from engram.services.visibility import Caller

OWNER = Caller(None, "main")


def answer(door: str, *ids: str, session: str | None = None, at: str = "2026-03-01T10:00:00Z") -> dict[str, Any]:
    return {"v": 1, "at": at, "door": door, "session": session, "hits": [{"id": one, "kind": "fact"} for one in ids]}


def reply(shown: list[str], used: list[str]) -> dict[str, Any]:
    return {"v": 1, "kind": "reply", "shown": shown, "used": used}


def test_answers_are_counted_by_door_and_told_from_the_latest_on() -> None:
    rows = [
        answer("context", "a-1", "a-2"),
        answer("recall", "a-1", at="2026-03-02T10:00:00Z"),
        answer("recall", "a-2"),
    ]

    found = exposure_of("a-1", rows, [], None)

    assert (found["answers"], found["doors"]) == (2, {"context": 1, "recall": 1})
    assert [one["at"] for one in found["latest"]] == ["2026-03-02T10:00:00Z", "2026-03-01T10:00:00Z"]


def test_a_reply_that_used_it_is_no_answer_but_tells_that_it_helped() -> None:
    replies = [reply(["a-1"], ["a-1"]), reply(["a-1", "a-2"], []), reply(["a-2"], ["a-2"])]

    found = exposure_of("a-1", [answer("used", "a-1")], replies, OWNER)

    assert (found["answers"], found["replies"], found["used"]) == (0, 2, 1)


def test_a_session_is_told_of_its_own_answers_only() -> None:
    rows = [answer("recall", "a-1", session=name) for name in ("mine", "theirs", None)]

    found = exposure_of("a-1", rows, [reply(["a-1"], ["a-1"])], Caller("mine", "main"))

    assert (found["answers"], found["replies"], found["used"]) == (1, 0, 0)
    assert {one["session"] for one in found["latest"]} == {"mine"}


def test_the_owner_is_not_told_of_another_agents_answers() -> None:
    rows = [answer("recall", "a-1", session=name) for name in ("writer/main", "claude-code/x")]

    found = exposure_of("a-1", rows, [], OWNER)

    assert [one["session"] for one in found["latest"]] == ["claude-code/x"]


def test_damaged_rows_are_passed_over() -> None:
    rows: list[dict[str, Any]] = [{"hits": "a-1"}, {"hits": ["a-1", None]}, {}]

    assert exposure_of("a-1", rows, [{"kind": "reply", "shown": "a-1"}], None)["answers"] == 0
