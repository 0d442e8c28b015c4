"""Alerts are told once, and again when that is news."""

import datetime as dt
import json
import sys
from pathlib import Path

import pytest

from engram.config.sections.heartbeat import HeartbeatSettings
from engram.heartbeat.child.limited_process import ENDED
from engram.heartbeat.child.limited_process import Ending
from engram.heartbeat.child.phase_result import PhaseResult
from engram.heartbeat.report import alerts as report_alerts
from engram.heartbeat.report.alerts import KEPT_ALERTS
from engram.heartbeat.report.alerts import Alert
from engram.heartbeat.report.alerts import AlertFile
from engram.heartbeat.report.alerts import Merged
from engram.heartbeat.report.alerts import merge_alerts
from engram.heartbeat.report.alerts import note_alerts
from engram.heartbeat.report.alerts import tell_alerts
from engram.workspace import Workspace
from tests.making import NOW

HOUR = dt.timedelta(hours=1)


def result(status: str, *alerts: str, phase: str = "maintenance") -> PhaseResult:
    return PhaseResult(phase, status, "", {}, list(alerts))


def told(*runs: tuple[float, PhaseResult]) -> list[list[str]]:
    """Return what each run tells, given its hour and result."""
    known: tuple[Alert, ...] = ()
    said = []
    for hour, one in runs:
        known, news = merge_alerts(known, [one], NOW + hour * HOUR)
        said.append([alert.text for alert in news])
    return said


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([(0, result("warning", "a")), (1, result("warning", "a"))], [["a"], []]),
        ([(0, result("warning", "a", "a"))], [["a"]]),
        ([(0, result("warning", "a")), (1, result("warning", "a", "b"))], [["a"], ["b"]]),
        ([(0, result("warning", "a")), (1, result("ok")), (2, result("warning", "a"))], [["a"], [], ["a"]]),
        ([(0, result("warning", "a")), (1, result("skipped")), (2, result("warning", "a"))], [["a"], [], []]),
        ([(0, result("warning", "a")), (167, result("warning", "a"))], [["a"], []]),
        (
            [(0, result("warning", "a")), (168, result("warning", "a")), (169, result("warning", "a"))],
            [["a"], ["a"], []],
        ),
        ([(0, result("failed", "f")), (1, result("failed", "f")), (2, result("skipped"))], [["f"], [], []]),
        ([(0, result("failed", "f")), (1, result("skipped")), (2, result("failed", "f"))], [["f"], [], ["f"]]),
        ([(0, result("warning", "a")), (1, result("failed", "f")), (2, result("warning", "a"))], [["a"], ["f"], []]),
        ([(0, result("warning", "a")), (1, result("warning", "a", phase="review"))], [["a"], ["a"]]),
    ],
)
def test_what_is_told(runs: list[tuple[float, PhaseResult]], expected: list[list[str]]) -> None:
    assert told(*runs) == expected


def test_what_is_kept_is_bounded_and_what_stands_comes_first() -> None:
    many = [f"alert {number}" for number in range(KEPT_ALERTS)]
    known, _ = merge_alerts((), [result("warning", *many)], NOW)
    known, _ = merge_alerts(known, [result("warning", "new")], NOW + HOUR)

    assert len(known) == KEPT_ALERTS
    assert [alert.text for alert in known if alert.gone_at is None] == ["new"]
    assert merge_alerts(known, [], NOW + 200 * HOUR).known == known[:1]


def run(workspace: Workspace, *results: PhaseResult) -> list[str]:
    """Note what phases say and tell it; return what was news."""
    noted = note_alerts(workspace, results)
    tell_alerts(workspace, "run-1", noted)
    return [alert.text for alert in noted.news]


def test_a_run_without_change_writes_nothing_and_a_broken_line_is_passed_over(workspace: Workspace) -> None:
    assert run(workspace, result("warning", "a", "b")) == ["a", "b"]
    before = workspace.paths.alerts.stat()
    assert run(workspace, result("warning", "a", "b")) == []
    assert workspace.paths.alerts.stat() == before

    lines = workspace.paths.alerts.read_text().splitlines()
    workspace.paths.alerts.write_text("\n".join(["{broken", lines[1]]))
    assert [alert.text for alert in AlertFile(workspace.paths.alerts).current()] == ["b"]


def test_no_secret_is_kept(workspace: Workspace) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    (news,) = note_alerts(workspace, [result("warning", f"it said {key}")]).news

    assert key not in news.text
    assert key not in workspace.paths.alerts.read_text()


def with_command(workspace: Workspace, *command: str) -> Workspace:
    heartbeat = HeartbeatSettings(alert_command=command)
    settings = workspace.settings.model_copy(update={"heartbeat": heartbeat})
    return Workspace(workspace.paths, settings, workspace.now)


def test_the_program_gets_the_news_as_json_and_no_shell_sees_it(workspace: Workspace, tmp_path: Path) -> None:
    got = tmp_path / "got.json"
    code = f"import pathlib, sys; pathlib.Path({str(got)!r}).write_text(sys.stdin.read())"
    told_to = with_command(workspace, sys.executable, "-c", code)
    noted = note_alerts(told_to, [result("warning", "$(touch owned) ; é")])

    assert tell_alerts(told_to, "run-1", noted) == []
    given = json.loads(got.read_text())
    assert (given["run_id"], given["alerts"][0]["text"]) == ("run-1", "$(touch owned) ; é")
    assert not (workspace.paths.root / "owned").exists()


def test_without_news_the_program_is_not_run(workspace: Workspace) -> None:
    assert tell_alerts(with_command(workspace, "no-such-program-anywhere"), "run-1", Merged((), ())) == []


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (["no-such-program-anywhere"], "not started"),
        ([sys.executable, "-c", "import sys; sys.exit('no network')"], "exit code 1): no network"),
        ([sys.executable, "-c", "import time; time.sleep(60)"], "timed out"),
    ],
)
def test_a_program_that_fails_is_a_warning(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, command: list[str], why: str
) -> None:
    monkeypatch.setattr(report_alerts, "ALERT_TIMEOUT_S", 2)
    told_to = with_command(workspace, *command)
    (problem,) = tell_alerts(told_to, "run-1", note_alerts(told_to, [result("warning", "a")]))

    assert why in problem


def test_what_nobody_was_told_of_is_news_to_the_next_run_whether_or_not_it_is_said_again(workspace: Workspace) -> None:
    note_alerts(workspace, [result("warning", "a", "b")])  # and killed before it told anybody

    assert run(workspace, result("warning", "b"), result("skipped", phase="review")) == ["a", "b"]
    assert run(workspace, result("warning", "b")) == []
    assert [alert.text for alert in AlertFile(workspace.paths.alerts).current()] == ["b"]


def test_what_the_program_could_not_take_is_given_to_it_again_and_is_no_news(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    told_to = with_command(workspace, "page-me")
    given: list[list[str]] = []
    exit_codes = iter([1, 1, 0])

    def answer(command: object, text: str, *_: object, **__: object) -> Ending:
        given.append([alert["text"] for alert in json.loads(text)["alerts"]])
        return Ending(ENDED, "", "", next(exit_codes))

    monkeypatch.setattr(report_alerts, "run_limited", answer)
    found = [result("warning", "a"), result("ok"), result("warning", "b"), result("warning", "b")]

    assert [run(told_to, one) for one in found] == [["a"], [], ["b"], []]
    assert given == [["a"], ["a"], ["a", "b"]]
