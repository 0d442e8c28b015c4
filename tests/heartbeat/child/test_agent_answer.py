"""Agents that answer well, badly, late, hostilely or never, for every phase: what is taken and what is refused."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engram.base.ids import new_id
from engram.heartbeat.child import child_answer
from engram.heartbeat.child.agent_answer import MAX_ALERTS
from engram.heartbeat.child.agent_answer import kept_answers
from engram.heartbeat.child.agent_answer import one_line
from engram.heartbeat.child.agent_answer import sanitise_answer
from engram.heartbeat.child.child_answer import ask_child
from engram.heartbeat.child.phase_result import PhaseFailedError
from engram.heartbeat.child.phase_result import PhaseResult
from engram.heartbeat.child.phase_result import PhaseTask
from engram.heartbeat.child.phase_result import run_phase
from engram.heartbeat.child.phases import DOMAIN_SPAWN
from engram.heartbeat.child.phases import PHASES
from engram.heartbeat.child.phases import Phase
from engram.heartbeat.child.process_tree import MARK
from engram.heartbeat.child.prompts import Prompt
from engram.heartbeat.child.prompts import domains_prompt
from engram.heartbeat.child.prompts import extraction_prompt
from engram.heartbeat.child.prompts import maintenance_prompt
from engram.heartbeat.child.prompts import most_tokens
from engram.heartbeat.child.prompts import review_prompt
from engram.heartbeat.child.prompts import synthesis_prompt
from engram.heartbeat.intake.unread import collect_unread
from engram.heartbeat.run.options import RunOptions
from engram.heartbeat.run.runner import run_heartbeat
from engram.hooks.run import IN_RUN
from engram.hooks.run import run_hook
from engram.model.domain import DomainType
from engram.model.handoff import Handoff
from engram.model.handoff import HandoffStatus
from engram.services.domains.desk import DomainCommands
from engram.services.domains.desk import NewDomain
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.heartbeat.in_process import answer_in_process
from tests.heartbeat.notes import put_note
from tests.making import NOW

AGENT = Path(__file__).parents[1] / "agent.py"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
FILE = "memory/main/main/weekly/2026-W09.md"
ASKED: dict[str, tuple[Callable[[Any, int], Prompt], dict[str, Any], list[str] | None, str]] = {
    "extraction": (
        extraction_prompt,
        {"passages": [{"id": "note/1", "text": "- Billing moved"}], "entities": [], "owner": ""},
        None,
        "facts",
    ),
    "synthesis": (synthesis_prompt, {"rollups": [{"file": FILE, "draft": "- moved"}]}, [FILE], "summary_content"),
    "domain-scan": (
        domains_prompt,
        {"domains": [{"name": "billing", "news": "- moved"}]},
        ["billing"],
        "status_content",
    ),
    "maintenance": (maintenance_prompt, {"findings": [{"code": "x", "message": "y"}]}, None, "observations"),
    "review": (review_prompt, {"observations": [{"id": "observation-0001", "text": "x"}]}, None, "observations"),
}
# A subagent is asked in a way of its own: tests/heartbeat/domains/test_spawn.py.
AT_ONCE = [phase for phase in PHASES if phase != DOMAIN_SPAWN]
EACH = pytest.mark.parametrize("phase", AT_ONCE, ids=[phase.name for phase in AT_ONCE])


@pytest.fixture(autouse=True)
def _in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_in_process(monkeypatch)


def ask(
    workspace: Workspace, phase: Phase, mode: str, *, timeout_s: float = 30, extra: dict[str, Any] | None = None
) -> Handoff:
    build, question, names, _ = ASKED[phase.name]
    prompt = build(question, workspace.settings.heartbeat.agent_tokens)
    task = PhaseTask(
        workspace, new_id(), phase, (sys.executable, str(AGENT), mode), timeout_s, force=False, memory_mb=1024
    )
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("AGENT_EXTRA", json.dumps(extra or {}))
        return ask_child(task, question, prompt.text, prompt.given, names=names)


def refused(workspace: Workspace, phase: Phase, mode: str, **how: Any) -> PhaseFailedError:
    with pytest.raises(PhaseFailedError) as caught:
        ask(workspace, phase, mode, **how)
    return caught.value


@pytest.fixture
def once(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace in which nobody is asked again."""
    monkeypatch.setattr(child_answer, "RETRIES", 0)
    return workspace


def test_a_good_answer_of_a_process_that_leaves_another_is_taken(once: Workspace) -> None:
    assert len(ask(once, PHASES[0], "forks").facts) == 1


@EACH
@pytest.mark.parametrize("mode", ["good", "windows", "fenced-json", "noisy"])
def test_a_good_answer_is_taken_in_whatever_form(once: Workspace, phase: Phase, mode: str) -> None:
    handoff = ask(once, phase, mode)

    assert handoff.status == HandoffStatus.OK
    assert len(getattr(handoff, ASKED[phase.name][3])) == 1
    assert not list(once.paths.runs.glob("*.txt"))


@EACH
@pytest.mark.parametrize(
    ("mode", "why"),
    [
        ("garbage", "no complete block"),
        ("silent", "no complete block"),
        ("truncated", "no complete block"),
        ("fenced", "inside a code fence"),
        ("echo", "no complete block"),
        ("bad-json", "is not JSON"),
        ("nul", "Stats is not JSON"),
        ("unknown-field", "Commands is not one of"),
        ("huge", "alerts.0: String should have at most 4000"),
        ("many", "more than 5000"),
        ("crash", "exit code 3"),
        ("crash-silent", "cannot reach the model"),
    ],
)
def test_an_answer_that_cannot_be_read_is_refused_with_the_reason_and_kept(
    once: Workspace, phase: Phase, mode: str, why: str
) -> None:
    problem = refused(once, phase, mode)
    (kept,) = once.paths.runs.glob("*.txt")

    assert why in problem.message
    assert kept.name in problem.detail
    assert len(problem.message) < 1000


def test_the_same_fault_is_the_same_alert_in_every_run(once: Workspace) -> None:
    def failed() -> PhaseResult:
        def ask_it(task: PhaseTask) -> PhaseResult:
            raise refused(task.workspace, task.phase, "garbage")

        return run_phase(PhaseTask(once, new_id(), PHASES[0], (), 30, force=False, memory_mb=1024), ask_it)

    first, second = failed(), failed()

    assert first.alerts == second.alerts != []
    assert first.summary != second.summary  # each names the file with its answer


@pytest.mark.parametrize(
    ("mode", "why", "timeout_s"),
    [("slow", "timed out", 0.5), ("deaf", "timed out", 0.5), ("floods", "too much output", 30)],
)
def test_one_that_is_late_or_never_stops_is_stopped(once: Workspace, mode: str, why: str, timeout_s: float) -> None:
    problem = refused(once, PHASES[0], mode, timeout_s=timeout_s)

    assert why in problem.message
    assert problem.timed_out == (why == "timed out")


@EACH
def test_what_it_says_about_itself_is_short_and_harmless(once: Workspace, phase: Phase) -> None:
    first, second = ask(once, phase, "loud").alerts

    assert "\x1b" not in first
    assert len(first) <= 300
    assert "ignore" not in second
    assert "withheld" in second


@EACH
def test_it_is_asked_again_with_the_reason_and_may_mend_its_answer(workspace: Workspace, phase: Phase) -> None:
    assert ask(workspace, phase, "mends").status == HandoffStatus.OK
    assert "(asked 2 times)" in refused(workspace, phase, "garbage").message
    (kept,) = workspace.paths.runs.glob("*.txt")
    assert kept.read_text().count("no block at all") == 2


@pytest.fixture
def prompts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every prompt that an agent is given from here on."""
    given: list[str] = []
    answer = vars(child_answer)["run_limited"]  # as it is in this test

    def spy(command: Any, prompt: str, *args: Any, **more: Any) -> Any:
        given.append(prompt)
        return answer(command, prompt, *args, **more)

    monkeypatch.setattr(child_answer, "run_limited", spy)
    return given


@pytest.mark.parametrize("retries", [0, 1, 3])
def test_it_is_asked_again_so_many_times(
    workspace: Workspace, prompts: list[str], monkeypatch: pytest.MonkeyPatch, retries: int
) -> None:
    monkeypatch.setattr(child_answer, "RETRIES", retries)
    refused(workspace, PHASES[0], "garbage")

    assert len(prompts) == 1 + retries


@pytest.mark.parametrize(("mode", "timeout_s"), [("slow", 0.5), ("says-failed", 30)])
def test_one_that_is_late_or_says_that_it_failed_is_not_asked_again(
    workspace: Workspace, prompts: list[str], mode: str, timeout_s: float
) -> None:
    refused(workspace, PHASES[0], mode, timeout_s=timeout_s)

    assert len(prompts) == 1


def test_the_reason_that_it_is_told_is_the_one_that_is_recorded(workspace: Workspace, prompts: list[str]) -> None:
    problem = refused(workspace, PHASES[0], "unknown-field")

    assert prompts[1].startswith(prompts[0])
    assert "Commands is not one of" in prompts[1].removeprefix(prompts[0])
    assert "Commands is not one of" in problem.message


@pytest.mark.parametrize(
    ("name", "fields", "why"),
    [
        ("synthesis", {"Summary-Content": [{"name": "../../etc/passwd", "text": "x"}]}, "was not asked for"),
        ("synthesis", {"Summary-Content": [{"name": "/etc/passwd", "text": "x"}]}, "was not asked for"),
        ("synthesis", {"Summary-Content": [{"name": "MEMORY.md", "text": "x"}]}, "was not asked for"),
        ("synthesis", {"Summary-Content": [{"name": FILE, "text": "x"}] * 2}, "twice"),
        ("domain-scan", {"Status-Content": [{"name": "../billing", "text": "x"}]}, "was not asked for"),
        ("domain-scan", {"Changelog-Entries": [{"name": "payroll", "text": "x"}]}, "was not asked for"),
        ("domain-scan", {"Proposals": [{"target": "memory", "text": "x"}]}, "does not decide"),
        ("maintenance", {"Facts": [{"entity": "projects/x", "fact": "f", "quote": "q"}]}, "Facts is not for this"),
        ("review", {"Summary-Content": [{"name": FILE, "text": "x"}]}, "Summary-Content is not for this phase"),
        ("extraction", {"Facts": [{"entity": "x" * 301, "fact": "f", "quote": "q"}]}, "at most 300"),
        ("extraction", {"Facts": [{"entity": "projects/x", "fact": "f" * 2001, "quote": "q"}]}, "at most 2000"),
    ],
)
def test_what_it_was_not_asked_for_is_refused(once: Workspace, name: str, fields: dict[str, Any], why: str) -> None:
    (phase,) = [phase for phase in PHASES if phase.name == name]

    assert why in refused(once, phase, "good", extra=fields).message


def test_a_secret_in_an_answer_is_kept_nowhere(once: Workspace) -> None:
    problem = refused(once, PHASES[0], "good", extra={"Commands": [TOKEN]})
    (kept,) = once.paths.runs.glob("*.txt")

    assert TOKEN not in kept.read_text() + problem.message


# --- what is passed on -------------------------------------------------------------------------------------------


def test_of_an_agents_hand_off_only_short_lines_and_numbers_are_passed_on() -> None:
    stats = {"facts": 3, "share": 0.5, "ok": True, "rotated": ["x"], "Name": 1, "huge": 10**20, "x" * 50: 1, "s": "x"}
    said = Handoff(
        status=HandoffStatus.OK,
        summary=f"two\nlines\x07 {TOKEN}",
        stats=stats,
        alerts=tuple(f"alert {number}" for number in range(MAX_ALERTS + 5)),
    )

    tamed = sanitise_answer(said)

    assert tamed.stats == {"facts": 3, "share": 0.5, "ok": True}
    assert tamed.summary.startswith("two lines ")
    assert TOKEN not in tamed.summary
    assert tamed.summary.isprintable()
    assert len(tamed.alerts) == MAX_ALERTS + 1


def test_orders_by_the_workspaces_own_signs_are_withheld_also_behind_the_cut() -> None:
    said = Handoff(status=HandoffStatus.OK, summary="x" * 600 + " launch the rocket")

    assert "withheld" in sanitise_answer(said, ["launch the rocket"]).summary
    assert "withheld" not in sanitise_answer(said).summary


def test_a_long_line_is_cut() -> None:
    assert one_line("a " * 500) == ("a " * 150)[:-1][:299] + "…"
    assert one_line("short\n line") == "short line"


@pytest.mark.parametrize("hidden", ["\x1b", "\x9b", "\u200b", "\u200d", "\u202e", "\u2066", "\ufeff", "\U000e0061"])
def test_what_cannot_be_seen_hides_nothing_in_a_line(hidden: str) -> None:
    assert one_line(f"a{hidden}b") == "a b"


def test_of_a_huge_answer_the_beginning_and_the_end_are_kept() -> None:
    kept = kept_answers(["a" * 2_000_000 + "b"])

    assert len(kept) < 1_100_000
    assert (kept[0], kept[-1]) == ("a", "b")
    assert "left out" in kept


# --- an agent that uses Engram itself ----------------------------------------------------------------------------


def test_an_agent_may_use_engram_while_a_run_asks_it_and_waits_for_nobody(
    once: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAM_WORKSPACE", "/nowhere")
    monkeypatch.setenv("PYTHONPATH", str(AGENT.parents[2]))
    put_note(once, "main/main/a.md", "- Billing moved\n")
    DomainCommands(once.files, now=NOW, role=None).add(NewDomain("billing", DomainType.META))
    (once.paths.domains / "billing/decisions.md").write_text("# Decisions\n- Billing moves\n")
    agent = (sys.executable, str(AGENT), "nested")

    phases = run_heartbeat(once, RunOptions(phases=("extraction", "domain-scan"), agent_command=agent)).phases

    for phase in phases:
        (said,) = [alert for alert in phase.alerts if "heartbeat run" in alert]
        for call in ("write --entity=0", "note add=0", "heartbeat run=0", "domain log=0", "hooks run=0"):
            assert call in said
        assert "nested run was skipped" in said
    assert [file.name for file in once.paths.spool.glob("*.json")] == []
    with once.reading() as database:
        assert database.turn_counts() == {}  # the hook kept nothing of what the agent was told


def test_a_hook_within_a_run_does_nothing(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    prompt = json.dumps({"prompt": "We decided to use Oracle for everything from now on.", "session_id": "s"}).encode()

    assert IN_RUN == MARK
    assert run_hook("user-prompt", prompt, str(workspace.paths.root)) is not None
    monkeypatch.setenv(MARK, "run-1")
    assert run_hook("user-prompt", prompt, str(workspace.paths.root)) is None


@EACH
def test_a_run_does_not_read_the_conversation_that_it_had_itself(workspace: Workspace, phase: Phase) -> None:
    build, question, _, _ = ASKED[phase.name]
    said = [build(question, 15_000).text, f"Done.\n=== {phase.template} HANDOFF ===\nStatus: ok\n"]
    turns = [{"id": f"t{number}", "session": "s", "text": text} for number, text in enumerate([*said, "I prefer tea."])]
    workspace.submit("capture", {"session": "s", "turns": turns})

    assert [turn.text for turn in collect_unread(workspace).turns] == ["I prefer tea."]


def test_an_agent_is_told_which_workspace_it_is_about(once: Workspace) -> None:
    code = "import os; print(os.environ['ENGRAM_WORKSPACE'], os.getcwd())"
    task = PhaseTask(once, new_id(), PHASES[0], (sys.executable, "-c", code), 30, force=False)

    with pytest.raises(PhaseFailedError):
        ask_child(task, {}, "prompt", "")
    (kept,) = once.paths.runs.glob("*.txt")
    assert kept.read_text().split() == [str(once.paths.root), os.path.realpath(once.paths.root)]


# --- budget ------------------------------------------------------------------------------------------------------


def test_everything_that_is_unread_is_asked_about_in_prompts_that_keep_to_the_budget(
    workspace: Workspace, prompts: list[str]
) -> None:
    with (workspace.paths.root / "engram.toml").open("a") as settings:
        settings.write("\n[heartbeat]\nagent_tokens = 4000\n")
    small = open_workspace(str(workspace.paths.root), now=lambda: NOW)
    lines = [f"- Проект Billing переехал в дом номер {number}\n" for number in range(150)]
    put_note(small, "main/main/a.md", "".join(lines) + "- " + "y" * 30_000 + "\n")
    agent = (sys.executable, str(AGENT), "good")

    (phase,) = run_heartbeat(small, RunOptions(phases=("extraction",), agent_command=agent)).phases

    assert len(prompts) > 3
    assert max(map(most_tokens, prompts)) <= 4000
    for line in lines:
        assert sum(line.strip("- \n") + '"' in prompt for prompt in prompts) == 1
    assert any("memory/main/main/a.md is larger than a prompt" in alert for alert in phase.alerts)
    assert phase.stats["created"] >= 150


def test_what_an_agent_noticed_while_it_read_waits_for_review(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_note(workspace, "main/main/a.md", "- Billing moved\n")
    noticed = [{"text": "Every deployment waits for one person", "category": "friction"}]
    monkeypatch.setenv("AGENT_EXTRA", json.dumps({"Observations": noticed}))
    agent = (sys.executable, str(AGENT), "good")

    run_heartbeat(workspace, RunOptions(phases=("extraction",), agent_command=agent))

    with workspace.reading() as database:
        assert [one.text for one in database.list_observations()] == ["Every deployment waits for one person"]
