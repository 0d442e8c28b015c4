"""A table of cases as one test: none is passed over, and a failure says which case, where and why."""

import pytest

from tests.cases import for_each


@for_each(("number", "half"), [(2, 1), (3, 1), (4, 2), (5, 0)])
def halve(number: int, half: int) -> None:
    assert number == 2 * half
    if number == 5:
        raise RuntimeError("five is odd")


def test_every_case_that_fails_is_named_with_its_place_and_reason() -> None:
    with pytest.raises(pytest.fail.Exception) as failed:
        halve()

    message = str(failed.value)
    assert "2 of 4 cases failed" in message
    assert "number=3, half=1\n    tests/test_cases.py:10" in message
    assert "AssertionError: assert 3 == (2 * 1)" in message
    assert "number=5, half=0" in message
    assert "number=2" not in message
    assert "number=4" not in message


@for_each("word", ["tea", "милк", "茶"])
def shout(word: str, loud: bool) -> None:
    assert not loud, "too loud"
    if word == "милк":
        pytest.fail("spilled")
    raise LookupError(word)


def test_whatever_fails_the_other_cases_are_tried() -> None:
    with pytest.raises(pytest.fail.Exception) as failed:
        shout(loud=False)

    assert [line for line in str(failed.value).splitlines() if line.startswith("word=")] == [
        "word='tea'",
        "word='милк'",
        "word='茶'",
    ]


@for_each("letter", "ab")
@for_each(("number", "other"), [(1, 2), (3, 4)])
def combine(seen: list[str], letter: str, number: int, other: int) -> None:
    seen.append(f"{letter}{number}{other}")


def test_tables_above_one_another_are_tried_in_every_combination() -> None:
    seen: list[str] = []

    combine(seen=seen)

    assert seen == ["a12", "a34", "b12", "b34"]


@for_each("letter", "ab")
def test_fixtures_are_given_as_to_any_test(letter: str, tmp_path: object) -> None:
    assert tmp_path != letter


def test_a_table_without_cases_or_with_a_case_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="no case of text"):
        for_each("text", [])
    with pytest.raises(ValueError, match="zip"):
        for_each(("one", "two"), [(1, 2), (3,)])
