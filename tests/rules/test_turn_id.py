"""Ids of turns: the same content is the same turn."""

from engram.rules.turn_id import turn_id


def test_the_id_depends_on_every_part_and_on_nothing_else() -> None:
    parts = ("demo", "r1", "user", "2026-02-24T10:00:00Z", "hello")
    variants = [turn_id(*parts[:place], "other", *parts[place + 1 :]) for place in range(len(parts))]

    assert turn_id(*parts) == turn_id(*parts)
    assert len({turn_id(*parts), turn_id(*parts, occurrence=2), *variants}) == len(parts) + 2


def test_a_missing_part_is_an_empty_one() -> None:
    assert turn_id("demo", None, None, None, "hello") == turn_id("demo", "", "", "", "hello")
    assert turn_id("demo", None, "user", None, "hello") != turn_id("demo", "user", None, None, "hello")
