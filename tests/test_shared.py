"""A file of ../shared that is missing is told aloud, with the tests that it keeps from running."""

import pytest

from tests.shared import SHARED
from tests.shared import needs

pytest_plugins = ["pytester"]

LACKING = """
import pytest
from tests.shared import SHARED
from tests.shared import needs

@needs(SHARED / "data" / "no such file.gz")
def test_one() -> None:
    raise AssertionError

@needs(SHARED / "data" / "no such file.gz")
def test_two() -> None:
    raise AssertionError

@needs(SHARED / "no such scorer.py")
@pytest.mark.parametrize("number", [1, 2])
def test_three(number: int) -> None:
    raise AssertionError

def test_other() -> None:
    pytest.skip("no such processor")

@needs(SHARED.parent)
def test_all_is_there() -> None:
    pass
"""


def test_the_end_of_a_run_tells_how_many_tests_lacked_which_file(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("from tests.shared import pytest_terminal_summary")
    pytester.makepyfile(LACKING)

    *_, told, last = pytester.runpytest_inprocess().outlines

    assert told == (
        "NOT RUN for want of ../shared, 4 in all: ../shared/data/no such file.gz (2), ../shared/no such scorer.py (2)"
    )
    assert "1 passed, 5 skipped" in last


def test_a_run_that_lacks_nothing_says_nothing_of_it(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("from tests.shared import pytest_terminal_summary")
    pytester.makepyfile("def test_one() -> None: pass")

    assert "NOT RUN" not in pytester.runpytest_inprocess().stdout.str()


def test_only_what_stands_beside_the_checkout_can_be_asked_for() -> None:
    with pytest.raises(ValueError, match="not in the subpath"):
        needs(SHARED.parent.parent / "elsewhere")
