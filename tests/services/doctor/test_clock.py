"""A clock that went back is told when something is recorded, and by doctor for a week."""

import datetime as dt

import pytest

from engram.operations.examine import checkup_of
from engram.services.doctor.clock import check_clock
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.making import NOW

HOUR = dt.timedelta(hours=1)


def say(workspace: Workspace, at: dt.datetime, text: str) -> None:
    here = open_workspace(str(workspace.paths.root), now=lambda: at)
    here.submit("write", {"entity": "people/anna", "text": text, "create": True})


def found(workspace: Workspace, now: dt.datetime) -> list[str]:
    here = open_workspace(str(workspace.paths.root), now=lambda: now)
    return [f"{finding.code} {finding.level}" for finding in check_clock(checkup_of(here))]


@pytest.mark.parametrize(
    ("back", "is_told"), [(0.5 * HOUR, False), (HOUR, False), (1.1 * HOUR, True), (24 * HOUR, True)]
)
def test_sound_04_a_clock_that_went_back_warns(
    workspace: Workspace, back: dt.timedelta, is_told: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    say(workspace, NOW, "Anna prefers tea")
    say(workspace, NOW - back, "Anna prefers coffee")

    assert ("the clock went back" in capfd.readouterr().err) == is_told
    assert found(workspace, NOW - back + HOUR) == (["clock-step warning"] if is_told else [])
    assert found(workspace, NOW + dt.timedelta(days=30)) == (["clock-step info"] if is_told else [])


def test_sound_04_a_clock_that_stands_behind_the_last_record_is_a_finding(workspace: Workspace) -> None:
    say(workspace, dt.datetime(2099, 1, 1, tzinfo=dt.UTC), "Anna prefers tea")

    assert found(workspace, NOW) == ["clock-behind warning"]
    assert found(workspace, dt.datetime(2099, 1, 2, tzinfo=dt.UTC)) == []
