"""A day begins at midnight of the workspace's time zone, at every command."""

import json
import re
from pathlib import Path

import pytest

from engram.workspace import Workspace
from tests.conftest import Engram

pytestmark = pytest.mark.usefixtures("children_here")

MIDNIGHTS = [
    ("Asia/Tokyo", "2026-03-01T14:59:00Z", "2026-03-01T15:01:00Z"),
    ("America/Los_Angeles", "2026-03-02T07:59:00Z", "2026-03-02T08:01:00Z"),
]


@pytest.fixture(params=MIDNIGHTS, ids=[zone for zone, _, _ in MIDNIGHTS])
def midnight(request: pytest.FixtureRequest, workspace: Workspace) -> tuple[str, str]:
    """The instants of 23:59 on 1 March and 00:01 on 2 March in a zone that the workspace is set to."""
    zone, late, early = request.param
    workspace.paths.settings.write_text(f'timezone = "{zone}"\n[embeddings]\nprovider = "none"\n')
    return late, early


def test_notes_of_both_sides_of_midnight_lie_in_two_files(
    engram: Engram, workspace: Workspace, midnight: tuple[str, str]
) -> None:
    for at in midnight:
        assert engram("note", "add", "Decided: tea", "--now", at).code == 0

    files = sorted(path.name for path in workspace.paths.memory.rglob("*.md"))
    assert files == ["2026-03-01.md", "2026-03-02.md"]
    assert "23:59" in _note(workspace, "2026-03-01").read_text()
    assert "00:01" in _note(workspace, "2026-03-02").read_text()
    assert "00:01" in engram("note", "show", "--now", midnight[1]).out


def test_summary_and_recall_name_the_local_day(engram: Engram, workspace: Workspace, midnight: tuple[str, str]) -> None:
    for at, text in zip(midnight, ("Anna likes tea", "Boris likes milk"), strict=True):
        engram("write", "--entity", "people/anna", "--create", "--fact", text, "--now", at)

    summary = (workspace.paths.life / "people/anna/summary.md").read_text()
    hits = engram("recall", "likes tea milk", "--json", "--now", midnight[1]).json["hits"]

    assert "Anna likes tea (2026-03-01)" in summary
    assert "Boris likes milk (2026-03-02)" in summary
    assert {hit["text"]: hit["date"] for hit in hits} == {
        "Anna likes tea": "2026-03-01",
        "Boris likes milk": "2026-03-02",
    }


def test_whoever_asks_for_facts_reads_the_local_day(engram: Engram, midnight: tuple[str, str]) -> None:
    for at, text in zip(midnight, ("Anna likes tea", "Boris likes milk"), strict=True):
        engram("write", "--entity", "people/anna", "--create", "--fact", text, "--now", at)
    days = ["2026-03-01", "2026-03-02"]

    def first_words(*words: str) -> list[str]:
        return [line.split()[0] for line in engram(*words, "--now", midnight[1]).out.splitlines()]

    assert first_words("timeline", "people/anna") == days
    assert sorted(first_words("ask", "latest", "people/anna")) == days
    for number, day in zip(("001", "002"), days, strict=True):
        assert first_words("history", f"people/anna-{number}") == [day]
        assert f"since {day}" in engram("show", f"people/anna-{number}", "--now", midnight[1]).out


def test_what_waits_and_what_ran_is_told_by_the_local_clock(
    engram: Engram, midnight: tuple[str, str], tmp_path: Path
) -> None:
    def told(*words: str) -> str:
        return engram(*words, "--now", late).out

    late, _ = midnight
    for text in ("Anna is vegan", "Anna is not vegan"):
        engram("write", "--entity", "people/anna", "--create", "--fact", text, "--now", late)
    engram("handoff", "send", "scout", "Look at the port", "--now", late)
    assert engram("heartbeat", "run", "--now", late).code == 0
    assert engram("heartbeat", "report", "--html", str(tmp_path / "week.html"), "--now", late).code == 0

    assert "opened 2026-03-01" in told("tension", "list")
    assert "2026-03-01  main to scout" in told("inbox", "--agent", "scout")
    assert "recorded 2026-03-01 23:59" in told("why", "people/anna-001")
    assert re.search(r"learnt +2026-03-01 23:59", told("show", "people/anna-001"))
    assert re.search(r"last tick +2026-03-01 23:59", told("heartbeat", "status"))
    assert "at 2026-03-01 23:59" in told("status")
    page = (tmp_path / "week.html").read_text()
    assert "2026-02-22 to 2026-03-01" in page
    assert "<time>2026-03-01 23:59" in page
    assert "2026-03-01</span>" in page


def test_a_fact_turns_warm_when_the_local_day_turns(engram: Engram, midnight: tuple[str, str]) -> None:
    late, early = midnight
    engram("config", "decay.hot_days", "0")
    engram("config", "decay.clock", "wall")
    engram("write", "--entity", "people/anna", "--create", "--fact", "Anna likes tea", "--now", late)

    tiers = [engram("facts", "--json", "--now", at).json["facts"][0]["tier"] for at in (late, early)]

    assert tiers == ["hot", "warm"]


def test_the_report_of_a_heartbeat_lies_in_the_local_day(
    engram: Engram, workspace: Workspace, midnight: tuple[str, str]
) -> None:
    engram("note", "add", "Decided: [[Zephyr]] moves to Go", "--now", midnight[0])

    run = engram("heartbeat", "run", "--json", "--now", midnight[1])

    assert json.loads(run.out)["status"] == "ok"
    assert [path.name for path in (workspace.paths.memory / "main/heartbeat").iterdir()] == ["2026-03-02.md"]


def _note(workspace: Workspace, day: str) -> Path:
    return next(workspace.paths.memory.rglob(f"{day}.md"))
