"""Unit tests are found by what they ask for, and start no process."""

import pytest

from tests.unit import FOLDERS_ON_DISK

pytest_plugins = ["pytester"]

CONFTEST = """
import pytest
from tests import unit
from tests.conftest import pytest_collection_modifyitems, pytest_runtest_call
from pathlib import Path

unit.ROOT = Path(__file__).parent

@pytest.fixture
def deep(tmp_path):
    return tmp_path
"""
TESTS = """
import subprocess, sys
import pytest

def test_plain(): pass
def test_with_a_folder(tmp_path): pass
def test_with_a_folder_by_another_fixture(deep): pass

@pytest.mark.integration
def test_said_to_be_none(): subprocess.run([sys.executable, "-c", ""], check=True)

def test_that_starts_a_process(): subprocess.run([sys.executable, "-c", ""], check=True)

@pytest.mark.soak
def test_that_takes_minutes(): pass
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder of unit tests and one of others."""
    monkeypatch.setattr("tests.unit.ROOT", pytester.path)
    pytester.makeini("[pytest]\nmarkers =\n  unit\n  integration\n  soak\n")
    pytester.makeconftest(CONFTEST)
    for folder in ("rules", "cli"):
        (pytester.mkdir(folder) / f"test_{folder}.py").write_text(TESTS)
    return pytester


def test_a_unit_test_asks_for_no_folder_and_is_not_said_to_be_more(project: pytest.Pytester) -> None:
    found = project.inline_run("-m", "unit", "--collect-only", "-q").getcalls("pytest_itemcollected")
    chosen = [call.item.nodeid for call in found if call.item.get_closest_marker("unit")]

    assert chosen == ["rules/test_rules.py::test_plain", "rules/test_rules.py::test_that_starts_a_process"]


def test_a_unit_test_that_starts_a_process_fails_and_says_what_to_do(project: pytest.Pytester) -> None:
    done = project.runpytest_inprocess()

    done.assert_outcomes(passed=11, failed=1)
    done.stdout.fnmatch_lines(["*AssertionError: a unit test starts no process: mark the test `integration`"])


def test_what_every_test_gets_unasked_is_no_folder(request: pytest.FixtureRequest) -> None:
    """Else none would be a unit test, and `scripts/test unit` would choose nothing."""
    assert FOLDERS_ON_DISK.isdisjoint(request.fixturenames)
