"""`engram feedback`: counted, moves confidence and rank, shown as a calibration, taken back by undo."""

import pytest

from engram.workspace import Workspace
from tests.conftest import Engram
from tests.conftest import WorkspaceWith


def learn(workspace: Workspace) -> None:
    for text in ("Anna drinks tea at breakfast", "Anna drinks tea at supper"):
        workspace.submit("write", {"entity": "people/anna", "text": text, "create": True, "confidence": 0.9})


@pytest.fixture
def known(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(learn)


def ids(engram: Engram) -> list[str]:
    return [hit["id"] for hit in engram("recall", "anna drinks tea", "--json").json["hits"]]


def test_a_wrong_one_falls_behind_and_undo_lifts_it_again(known: Workspace, engram: Engram) -> None:
    first, second = ids(engram)
    for _ in range(3):
        assert engram("feedback", first, "wrong", "--json").json["status"] == "done"

    assert ids(engram) == [second, first]
    view = engram("show", first, "--json").json
    assert (view["wrong_count"], view["status"], view["confidence"]) == (3, "active", 0.9)
    assert view["rated_confidence"] == pytest.approx(0.9 * 4 / 7, abs=1e-4)

    assert f"note {first}: no longer, that it was wrong" in engram("undo", "--dry-run").out
    for _ in range(3):
        engram("undo")
    assert ids(engram) == [first, second]
    assert engram("show", first, "--json").json["wrong_count"] == 0


def test_it_survives_a_rebuild_of_the_database(known: Workspace, engram: Engram) -> None:
    engram("feedback", "people/anna-001", "useful")
    before = engram("show", "people/anna-001", "--json").json
    engram("rebuild", "database")

    assert engram("show", "people/anna-001", "--json").json == before
    assert before["useful_count"] == 1


def test_the_calibration_is_shown(known: Workspace, engram: Engram) -> None:
    assert "nothing was rated yet" in engram("feedback").out
    engram("feedback", "people/anna-001", "useful")
    engram("feedback", "people/anna-002", "wrong")

    shown = engram("feedback", "--json").json
    assert (shown["ratings"], shown["brier"]) == (2, pytest.approx((0.01 + 0.81) / 2))
    assert shown["bands"] == [{"from": 0.9, "to": 1.0, "ratings": 2, "confidence": 0.9, "useful": 0.5}]
    assert "Brier score 0.410 over 2 ratings" in engram("feedback").out


def test_a_plan_counts_nothing(known: Workspace, engram: Engram) -> None:
    assert "note people/anna-001: it was wrong" in engram("feedback", "people/anna-001", "wrong", "--dry-run").out
    assert engram("feedback", "--json").json["ratings"] == 0


def test_a_session_that_is_kept_apart_rates_nothing_that_others_see(known: Workspace, engram: Engram) -> None:
    engram("session", "add", "chat", "--kind", "group")

    done = engram("feedback", "people/anna-001", "wrong", "--session", "chat", "--actor", "agent")
    assert done.code == 4
    assert engram("feedback", "--json").json["ratings"] == 0
    assert engram("feedback", "--session", "chat").code == 4


def test_an_agent_takes_back_its_own_ratings_alone(known: Workspace, engram: Engram) -> None:
    given = engram("feedback", "people/anna-001", "useful", "--json").json["command_id"]

    assert engram("undo", given, "--actor", "agent").code == 4
    assert engram("undo", given).code == 0
