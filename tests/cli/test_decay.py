"""`engram decay` and `engram note rotate`, as they are called."""

import datetime as dt
from collections.abc import Callable

import pytest

from engram.workspace import Workspace
from tests.conftest import Engram
from tests.conftest import WorkspaceWith
from tests.heartbeat.notes import put_note
from tests.making import NOW

DAY = dt.timedelta(days=1)


def clock_at(moment: dt.datetime) -> Callable[[], dt.datetime]:
    return lambda: moment


def at(days: int) -> str:
    return (NOW + days * DAY).isoformat()


def use(workspace: Workspace) -> None:
    """Anna's tea was asked for every third day, her work never."""
    for text in ("Anna prefers tea", "Anna works at Acme"):
        workspace.submit("write", {"entity": "people/anna", "text": text, "create": True})
    for day in (3, 6, 9):
        workspace.now = clock_at(NOW + day * DAY)
        workspace.submit("access", {"id": "people/anna-001"})


@pytest.fixture
def used(workspace_with: WorkspaceWith) -> Workspace:
    workspace = workspace_with(use)
    workspace.now = clock_at(NOW + 9 * DAY)
    return workspace


def test_plain_decay_tells_the_tiers_and_what_leaves_soon(
    used: Workspace, engram: Engram, engram_process: Engram
) -> None:
    found = engram_process("decay", "--json", "--now", at(9)).json
    text = engram("decay", "--now", at(9)).out

    assert found["tiers"] == {"hot": 2, "warm": 0, "cold": 0}
    assert found["entities"] == [{"entity": "people/anna", "hot": 2, "warm": 0, "cold": 0}]
    assert [(one["id"], one["leaves_hot"]) for one in found["leaving"]] == [("people/anna-002", "2026-03-16")]
    assert found["held"] is None
    assert "2 hot, 0 warm, 0 cold (by the activity clock)" in text


def test_forecast_tells_both_courses(used: Workspace, engram: Engram) -> None:
    found = engram("decay", "--forecast", "90d", "--json", "--now", at(9)).json
    tea, work = sorted(found["facts"], key=lambda one: one["id"])

    assert (tea["rhythm_days"], tea["leaves_hot"]) == (1.0, "2026-03-19")
    assert tea["expected"] == {"leaves_hot": None, "leaves_warm": None}
    assert (work["rhythm_days"], work["leaves_hot"], work["leaves_warm"]) == (None, "2026-03-16", "2026-04-08")
    assert sum(week["leave_hot"] for week in found["weeks"]) == 2
    assert sum(week["expected"]["leave_hot"] for week in found["weeks"]) == 1
    assert "every coming day" in found["assumes"]


def test_the_forecast_is_what_happens(used: Workspace, engram: Engram) -> None:
    foreseen = engram("decay", "--forecast", "--json", "--now", at(5), "--what-if", "decay.clock=wall").json
    settings = used.paths.root / "engram.toml"
    settings.write_text(settings.read_text() + '\n[decay]\nclock = "wall"\n')
    (work,) = [one for one in foreseen["what_if"]["changed"] if one["id"] == "people/anna-002"]

    for gone, tier in ((work["then"]["leaves_hot"], "hot"), (work["then"]["leaves_warm"], "warm")):
        day = dt.date.fromisoformat(gone)
        before, after = (engram("facts", "--json", "--now", f"{one}T10:00:00Z").json for one in (day - DAY, day))
        assert before["facts"][1]["tier"] == tier
        assert after["facts"][1]["tier"] != tier


def test_what_if_shows_the_difference(used: Workspace, engram: Engram) -> None:
    found = engram("decay", "--what-if", "decay.hot_days=2", "--json", "--now", at(9)).json

    assert engram("decay", "--what-if", "hot_days=2", "--json", "--now", at(9)).json == found
    assert found["what_if"]["tiers"] == {"hot": 1, "warm": 1, "cold": 0}
    assert [one["id"] for one in found["what_if"]["changed"]] == ["people/anna-001", "people/anna-002"]
    assert found["tiers"] == {"hot": 2, "warm": 0, "cold": 0}


def test_an_idle_workspace_forgets_nothing(used: Workspace, engram: Engram) -> None:
    found = engram("decay", "--forecast", "1y", "--idle", "--json", "--now", at(9)).json

    assert (found["facts"], found["weeks"]) == ([], [])


def test_uses_that_no_heartbeat_has_counted_are_counted(used: Workspace, engram: Engram) -> None:
    assert engram("recall", "--detail", "people/anna-002", "--now", at(9)).code == 0
    found = engram("decay", "--json", "--now", at(9)).json

    assert found["leaving"] == []


@pytest.mark.usefixtures("children_here")
def test_a_jump_is_held_and_a_person_lets_it_happen(workspace: Workspace, engram: Engram) -> None:
    settings = workspace.paths.root / "engram.toml"
    settings.write_text(settings.read_text() + '\n[decay]\nclock = "wall"\nsurvival_count = 1\n')
    for name in ("tea", "coffee", "milk"):
        engram("write", "--entity", "people/anna", "--create", "--fact", f"Anna drinks {name}", "--now", at(0))
    engram("heartbeat", "run", "--phase", "maintenance", "--now", at(0))
    engram("write", "--entity", "people/bob", "--create", "--fact", "Bob is new", "--now", at(300))
    run = engram("heartbeat", "run", "--phase", "maintenance", "--json", "--now", at(300)).json
    summary = workspace.paths.life / "people/anna/summary.md"
    held = summary.read_text()
    told = engram("decay", "--now", at(300)).out
    plan = engram("decay", "--accept", "--dry-run", "--json", "--now", at(300)).json
    kept = summary.read_text()
    done = engram("decay", "--accept", "--now", at(300))

    assert any("engram decay --accept" in alert for alert in run["alerts"])
    assert "milk" in held
    assert "engram decay --accept" in told
    assert (plan["status"], len(plan["held"]["facts"]), kept) == ("planned", 3, held)
    assert "3 facts have left the summaries" in done.out
    assert "milk" not in summary.read_text()
    assert len(engram("facts", "--json").json["facts"]) == 4
    assert engram("decay", "--accept", "--json").json["status"] == "nothing"


def test_a_note_is_rotated_and_put_back(workspace: Workspace, engram: Engram) -> None:
    file = put_note(workspace, "main/main/handoff.md", "# H\n\n## one\n\n- a\n\n## two\n\n- b\n")
    before = file.read_bytes()
    planned = engram("note", "rotate", "memory/main/main/handoff.md", "--keep", "10", "--dry-run", "--json").json
    untouched = file.read_bytes()
    done = engram("note", "rotate", "memory/main/main/handoff.md", "--keep", "10", "--json").json
    short = file.read_text()
    undone = engram("note", "rotate", "memory/main/main/handoff.md", "--undo", "--json").json

    assert (planned["status"], untouched) == ("planned", before)
    assert (done["status"], done["sections"], short) == ("done", 1, "# H\n\n## two\n\n- b\n")
    assert done["archive"] == "memory/main/main/archives/handoff-0001.md"
    assert (undone["status"], file.read_bytes()) == ("undone", before)
