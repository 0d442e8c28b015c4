"""What a statement says that something was before: how long it may take to find it."""

import time

import pytest

from engram.language.compare.updates.former_values import find_former_values


@pytest.mark.parametrize("before", ["no longer ", "We replaced ", "it does not use ", "We moved from ", "ready, not "])
@pytest.mark.parametrize("length", [200, 20_000])
def test_the_time_grows_with_a_long_word_alone(before: str, length: int) -> None:
    began = time.process_time()

    find_former_values(f"It is now {before}{'a' * length}(")

    assert time.process_time() - began < 2


@pytest.mark.parametrize("before", ["我们不再使用", "我们从"])
def test_the_time_grows_with_blanks_alone(before: str) -> None:
    began = time.process_time()

    find_former_values(f"{before}{' ' * 10_000}(")

    assert time.process_time() - began < 2
