"""Extraction by an agent that gives no answer about some of what it is asked: the rest is read all the same."""

import json
from collections.abc import Sequence

import pytest

from engram.heartbeat.child import child_answer
from engram.heartbeat.child.limited_process import ENDED
from engram.heartbeat.child.limited_process import TIMED_OUT
from engram.heartbeat.child.limited_process import Ending
from engram.heartbeat.child.phase_result import PhaseResult
from engram.heartbeat.intake.unread import collect_unread
from engram.heartbeat.run.options import RunOptions
from engram.heartbeat.run.quiescence import merge
from engram.heartbeat.run.runner import run_heartbeat
from engram.model.handoff import Handoff
from engram.model.handoff import HandoffStatus
from engram.rules.handoff.handoff import render_handoff
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.heartbeat.notes import put_note
from tests.making import NOW

pytestmark = pytest.mark.usefixtures("children_here")

ASKED = RunOptions(phases=("extraction",), agent_command=("some-agent",))


class Agent:
    """An agent in the test's own process that has no answer about some texts."""

    def __init__(self) -> None:
        self.refuses: tuple[str, ...] = ()
        self.hangs = False
        self.asked: list[list[str]] = []  # the texts of each question

    def __call__(self, command: Sequence[str], prompt: str, *_: object, **__: object) -> Ending:
        rows = [json.loads(line) for line in prompt.splitlines() if line.startswith("{")]
        self.asked.append([row["text"] for row in rows if "text" in row])
        if any(word in text for word in self.refuses for text in self.asked[-1]):
            return Ending(TIMED_OUT, "", "", None) if self.hangs else Ending(ENDED, "I would rather not.", "", 0)
        return Ending(ENDED, render_handoff(Handoff(status=HandoffStatus.OK, summary="read"), "HB-EXTRACT"), "", 0)


@pytest.fixture
def agent(monkeypatch: pytest.MonkeyPatch) -> Agent:
    answering = Agent()
    monkeypatch.setattr(child_answer, "run_limited", answering)
    return answering


@pytest.fixture(autouse=True)
def _asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_answer, "RETRIES", 0)


def settled(workspace: Workspace, settings: str) -> Workspace:
    with (workspace.paths.root / "engram.toml").open("a") as file:
        file.write(f"\n[heartbeat]\n{settings}\n")
    return open_workspace(str(workspace.paths.root), now=lambda: NOW)


@pytest.fixture
def noted(workspace: Workspace) -> Workspace:
    """Three notes and two sessions that nobody has read."""
    once = settled(workspace, "")
    for name in "abc":
        put_note(once, f"main/main/{name}.md", f"- first of {name}\n- second of {name}\n")
    for name in "xy":
        turns = [{"id": f"{name}{n}", "session": name, "text": f"turn {n} of {name}"} for n in range(2)]
        once.submit("capture", {"session": name, "turns": turns})
    return once


def run(workspace: Workspace) -> PhaseResult:
    (phase,) = run_heartbeat(workspace, ASKED).phases
    return phase


def unread(workspace: Workspace) -> list[str]:
    found = collect_unread(workspace)
    texts = [*(note.text for note in found.notes), *(turn.text for turn in found.turns)]
    return [text.removeprefix("- ").strip() for text in texts]


@pytest.mark.parametrize(
    ("refuses", "where", "left"),
    [
        ("second of a", "memory/main/main/a.md", ["first of a", "second of a"]),
        ("first of b", "memory/main/main/b.md", ["first of b", "second of b"]),
        ("turn 0 of x", "session x", ["turn 0 of x", "turn 1 of x"]),
    ],
)
def test_one_source_without_an_answer_keeps_no_other_from_being_read(
    noted: Workspace, agent: Agent, refuses: str, where: str, left: list[str]
) -> None:
    agent.refuses = (refuses,)
    phase = run(noted)

    assert (phase.status, unread(noted)) == ("failed", left)
    assert phase.stats["entries"] + phase.stats["turns"] == 8
    assert phase.summary.startswith(f"{where}: ")
    agent.refuses = ()
    assert run(noted).status == "ok"
    assert unread(noted) == []


def test_in_many_batches_only_what_must_wait_behind_a_failed_one_waits(workspace: Workspace, agent: Agent) -> None:
    small = settled(workspace, "agent_tokens = 4000")
    put_note(small, "main/main/a.md", "".join(f"- entry {n} {'x' * 2000}\n" for n in range(9)))
    turns = [{"id": f"t{n}", "session": "s", "text": f"turn {n} {'y' * 2000}"} for n in range(9)]
    small.submit("capture", {"session": "s", "turns": turns})
    agent.refuses = ("entry 0 ", "turn 4 ")
    phase = run(small)
    left = [text[:7].strip() for text in unread(small)]
    entries, said = [text for text in left if "entry" in text], [text for text in left if "turn" in text]

    assert phase.status == "failed"
    assert "1 more" in phase.summary
    assert entries == [f"entry {n}" for n in range(len(entries))]  # those that were asked about together
    assert 0 < len(entries) < 9
    assert said == [f"turn {n}" for n in range(9 - len(said), 9)]  # all from the batch on: turns are read in order
    assert 5 <= len(said) < 9
    agent.refuses = ()
    assert run(small).status == "ok"
    assert unread(small) == []


def test_an_agent_that_answers_nothing_at_all_is_not_asked_about_everything(noted: Workspace, agent: Agent) -> None:
    for name in "defghi":
        put_note(noted, f"main/main/{name}.md", f"- first of {name}\n")
    agent.refuses = ("",)
    before = unread(noted)

    assert run(noted).status == "failed"
    assert unread(noted) == before
    assert len(agent.asked) == 5


def test_one_that_hangs_is_not_asked_on(noted: Workspace, agent: Agent) -> None:
    agent.refuses, agent.hangs = ("first of a",), True

    assert run(noted).status == "timed_out"
    assert len(agent.asked) == 1


def test_of_two_passes_the_last_knows_what_is_left() -> None:
    first = PhaseResult("extraction", "ok", "x", {"entries": 4, "turns": 0, "created": 1, "left_for_later": 6}, [])
    again = PhaseResult("extraction", "ok", "y", {"entries": 2, "turns": 4}, [])
    still = again._replace(stats={"entries": 1, "turns": 0, "left_for_later": 5})
    nothing = PhaseResult("extraction", "skipped", "z", {"entries": 0, "turns": 0, "facts_written": 0}, [])

    assert merge(first, again).stats == {"entries": 6, "turns": 4, "created": 1}
    assert merge(first, still._replace(changed=True)).stats["left_for_later"] == 5
    assert merge(first, nothing).stats["entries"] == 4
