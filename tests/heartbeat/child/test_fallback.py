"""A model that does not answer, or has taken enough for a day: the built-in phase goes on, and says why."""

import datetime as dt
import json
from typing import Any

import pytest

from engram.heartbeat.child.budget import Spent
from engram.heartbeat.child.budget import spent_today
from engram.heartbeat.run.options import RunOptions
from engram.heartbeat.run.runner import run_heartbeat
from engram.workspace import Workspace
from tests.heartbeat.child.conftest import Put
from tests.heartbeat.child.conftest import extract
from tests.heartbeat.child.conftest import reads_with
from tests.heartbeat.child.program import calls_in
from tests.heartbeat.notes import put_note
from tests.making import NOW

pytestmark = pytest.mark.usefixtures("children_here")

INSTEAD = "; the built-in phase did what was left"


@pytest.mark.parametrize(
    ("name", "mode", "why"),
    [
        ("claude", "rate-limit", "claude gives no answer: API Error: Rate limit reached"),
        ("claude", "logged-out", "claude gives no answer: Not logged in · Please run /login"),
        ("claude", "old", "claude gives no answer: error: unknown option '--tools'"),
        ("claude", "refuses", "memory/main/main/2026-02-24.md: claude refuses: API Error: cannot help"),
        ("codex", "rate-limit", "codex gives no answer: You've hit your usage limit. Try again at 8:15 PM."),
        ("gemini", "logged-out", "gemini gives no answer: Please set an Auth method in your settings.json"),
    ],
)
def test_without_an_answer_the_built_in_phase_reads_and_says_why(
    noted: Workspace, put: Put, name: str, mode: str, why: str
) -> None:
    calls = put(name, mode)
    phase = extract(reads_with(noted, agent=name))

    assert phase.alerts == [f"extraction: {why}{INSTEAD}"]
    assert (phase.status, phase.stats["created"], phase.stats["entries"]) == ("warning", 2, 2)
    assert len(calls_in(calls)) == 1


def test_a_program_that_is_not_here_is_no_reason_to_stand_still(
    noted: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    phase = extract(reads_with(noted, agent="codex"))

    assert phase.alerts == [f"extraction: codex gives no answer: codex is not on PATH{INSTEAD}"]
    assert phase.stats["created"] == 2
    assert phase.model["input_tokens"] == 0


def test_a_program_that_hangs_is_ended_counted_by_estimate_and_replaced(noted: Workspace, put: Put) -> None:
    put("claude", "hangs")
    workspace = reads_with(noted, agent="claude")
    result = run_heartbeat(workspace, RunOptions(phases=("extraction",), timeout_s=3))
    (phase,) = result.phases

    assert phase.alerts == [f"extraction: the child was stopped (timed out){INSTEAD}"]
    assert phase.stats["created"] == 2
    assert phase.model["input_tokens"] == spent_today(workspace).usage.input_tokens > 0


def test_maintenance_asks_once_about_findings_that_stay(noted: Workspace, put: Put) -> None:
    calls = put("claude", "good")
    workspace = reads_with(noted, agent="claude")
    noted.paths.journal.chmod(0o755)
    options = RunOptions(phases=("maintenance",), force=True)
    first, second = (run_heartbeat(workspace, options).phases[0] for _ in range(2))

    assert (len(first.alerts), len(second.alerts)) == (1, 1)
    assert len(calls_in(calls)) == 1


def test_an_answer_that_cannot_be_read_is_kept_and_the_built_in_phase_reads(noted: Workspace, put: Put) -> None:
    calls = put("claude", "garbage")
    phase = extract(reads_with(noted, agent="claude"))

    assert phase.stats["created"] == 2
    assert INSTEAD in phase.alerts[0]
    assert [*noted.paths.runs.glob("*-extraction.txt")]
    assert len(calls_in(calls)) == 2
    assert phase.model["calls"] == 2


def test_a_lie_of_the_model_is_refused_as_any_agents(noted: Workspace, put: Put) -> None:
    put("codex", "liar")
    phase = extract(reads_with(noted, agent="codex"))

    assert phase.stats["created"] == 2
    assert any("quote" in alert for alert in phase.alerts)


@pytest.mark.parametrize(
    ("bound", "value", "why"),
    [
        ("agent_daily_tokens", 2000, "the 2,000 tokens of heartbeat.agent_daily_tokens are spent for today"),
        ("agent_daily_cost", 0.02, "the 0.02 dollars of heartbeat.agent_daily_cost are spent for today"),
    ],
)
def test_what_is_spent_for_a_day_is_refused_until_the_next(
    noted: Workspace, put: Put, bound: str, value: Any, why: str
) -> None:
    calls = put("claude", "good")
    workspace = reads_with(noted, agent="claude", **{bound: value})
    first, second, third = (extract(workspace, force=True) for _ in range(3))
    tomorrow = reads_with(noted, now=NOW + dt.timedelta(days=1))
    fourth = extract(tomorrow, force=True)

    assert [bool(one.model) for one in (first, second, third, fourth)] == [True, True, False, True]
    assert third.alerts == [f"extraction: {why}{INSTEAD}"]
    assert third.stats["entries"] == 2
    assert len(calls_in(calls)) == 3
    assert spent_today(tomorrow).calls == 1


def test_a_program_that_says_it_took_nothing_is_counted_by_estimate(noted: Workspace, put: Put) -> None:
    calls = put("claude", "free")
    workspace = reads_with(noted, agent="claude", agent_daily_tokens=200)
    taken = [extract(workspace, force=True).model for _ in range(2)]

    assert [bool(one) for one in taken] == [True, False]
    assert len(calls_in(calls)) == 1
    assert spent_today(workspace).usage.tokens >= 200
    assert spent_today(workspace).usage.cost_usd == 0.0125


def test_no_bound_is_no_bound(noted: Workspace, put: Put) -> None:
    put("claude", "good")
    workspace = reads_with(noted, agent="claude", agent_daily_tokens=0, agent_daily_cost=0.0)

    assert [extract(workspace, force=True).model["calls"] for _ in range(3)] == [1, 1, 1]
    assert spent_today(workspace).usage.tokens == 3600


def test_nobody_is_asked_while_nobody_knows_what_was_spent(noted: Workspace, put: Put) -> None:
    calls = put("claude", "good")
    workspace = reads_with(noted, agent="claude")
    workspace.paths.agent_spending.write_text('{"day": 3}')
    phase = extract(workspace)

    assert calls_in(calls) == []
    assert phase.stats["created"] == 2
    assert "agent_spending.json does not tell what the model has taken today" in phase.alerts[0]


def test_the_day_of_the_count_is_the_workspaces(noted: Workspace) -> None:
    late = dt.datetime(2026, 2, 24, 23, 30, tzinfo=dt.UTC)
    kept = {"day": "2026-02-24", "calls": 2, "input_tokens": 5, "output_tokens": 5, "cost_usd": 0.5}
    noted.paths.agent_spending.write_text(json.dumps(kept))
    workspace = reads_with(noted, now=late)
    settings = (noted.paths.root / "engram.toml").read_text().replace('timezone = "UTC"', 'timezone = "Asia/Tokyo"')

    assert spent_today(workspace).calls == 2
    (noted.paths.root / "engram.toml").write_text(settings)
    assert spent_today(reads_with(noted, now=late)) == Spent(dt.date(2026, 2, 25))


def test_all_passes_of_a_run_are_counted_together(noted: Workspace, put: Put) -> None:
    put("claude", "good")
    workspace = reads_with(noted, agent="claude")
    result = run_heartbeat(workspace, RunOptions())
    calls = sum(phase.model.get("calls", 0) for phase in result.phases)

    assert calls == spent_today(workspace).calls > 0


def test_only_what_was_not_read_before_the_model_failed_is_read_by_the_built_in_phase(
    noted: Workspace, put: Put
) -> None:
    put("claude", "good")
    workspace = reads_with(noted, agent="claude", agent_daily_tokens=1200, agent_tokens=2000)
    for number in range(12):
        put_note(noted, f"main/main/b{number:02}.md", f"- We decided to use queue {number} for Billing. {'x' * 600}\n")
    phase = extract(workspace)

    assert phase.model["calls"] == 1
    assert "agent_daily_tokens" in phase.alerts[-1]
    assert phase.stats["entries"] == 14
