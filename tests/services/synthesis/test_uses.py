"""How facts were asked for, as rows of the access log tell it."""

import datetime as dt
from typing import Any

from engram.rules.life.promotion import Use
from engram.services.synthesis.uses import uses_of

SINCE = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)


def row(day: int, question: str | None, *ids: str, door: str = "recall", **fields: Any) -> dict[str, Any]:
    hits = [{"id": one, "kind": "fact"} for one in ids]
    return {"at": f"2026-03-{day:02d}T10:00:00Z", "door": door, "asks": question, "hits": hits, **fields}


def uses(*rows: Any) -> Use:
    return uses_of(rows, {"a-1"}, since=SINCE, zone=dt.UTC).get("a-1", Use())


def test_times_questions_and_days_are_counted_apart() -> None:
    found = uses(row(2, "q1", "a-1"), row(2, "q1", "a-1"), row(2, "q2", "b-1", "a-1"), row(3, "q1", "a-1"))

    assert found == Use(asked=4, questions=2, days=2)


def test_what_stood_far_down_or_was_shown_unasked_proves_no_use() -> None:
    found = uses(
        row(2, "q1", "b-1", "b-2", "b-3", "a-1"),
        row(2, "q2", "a-1", door="context"),
        row(2, None, "a-1", door="detail"),
    )

    assert found == Use()


def test_a_prompt_is_a_question_when_the_reply_to_it_used_the_fact() -> None:
    shown = [row(2, "p1", "a-1", door="prompt", session="s"), row(2, "p2", "a-1", door="prompt", session="t")]
    used = [row(2, None, "a-1", door="used", session="t"), row(2, None, "a-1", door="used", session="other")]

    assert uses(*shown) == Use()
    assert uses(*shown, *used) == Use(asked=2, questions=1, days=1)


def test_what_was_asked_before_the_window_does_not_count() -> None:
    assert uses({**row(1, "q1", "a-1"), "at": "2026-02-28T23:00:00Z"}, row(5, "q1", "a-1")) == Use(1, 1, 1)


def test_rows_of_older_versions_tell_questions_by_their_words_and_broken_ones_are_passed_over() -> None:
    old = {**row(2, None, "a-1"), "question": "q7"}

    assert uses(old, {"at": "yesterday"}, {**row(2, "q", "a-1"), "hits": "none"}, row(2, "q8", "a-1")) == Use(2, 2, 1)
