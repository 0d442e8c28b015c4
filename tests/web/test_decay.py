"""Decay on the page: what stands in which tier, what leaves, and what other settings would move, for its reader."""

import pytest

from engram.base.clock import utc_now
from engram.web.reader import Reader
from engram.workspace import Workspace
from tests.web.making import open_page


@pytest.fixture
def known(workspace: Workspace) -> Workspace:
    workspace.now = utc_now
    workspace.submit("session-add", {"name": "club", "kind": "group"})
    workspace.submit("session-add", {"name": "work", "kind": "group"})
    for args in (
        {"entity": "people/anna", "text": "Anna prefers tea"},
        {"entity": "people/anna", "text": "Anna grows roses", "confidence": 0.3},
        {"entity": "people/cora", "text": "Cora keeps bees", "scope": "session:club"},
    ):
        workspace.submit("write", {**args, "create": True})
    return workspace


def test_the_tiers_and_what_leaves_them_are_told(known: Workspace) -> None:
    found = open_page(known).get("/api/decay", params={"days": 60}).json()

    assert found["tiers"] == {"hot": 3, "warm": 0, "cold": 0}
    assert (found["days"], len(found["course"]["day"]), found["course"]["cold"][-1]) == (60, 61, 3)
    assert {one["text"] for one in found["leaving"]["facts"]} == {
        "Anna prefers tea",
        "Anna grows roses",
        "Cora keeps bees",
    }
    assert found["what_if"] is None


def test_other_settings_show_what_they_would_move(known: Workspace) -> None:
    found = open_page(known).get("/api/decay", params={"unsure_days": 20}).json()

    (moved,) = found["what_if"]["changed"]["facts"]
    assert (moved["text"], found["what_if"]["settings"]["unsure_days"]) == ("Anna grows roses", 20)
    assert moved["leaves_warm"] < moved["then"]["leaves_warm"]


@pytest.mark.parametrize(
    "params", [{"hot_days": "-1"}, {"hot_days": "x"}, {"kept_accesses": "0"}, {"clock": "moon"}, {"hot_days": "40"}]
)
def test_settings_that_cannot_be_are_refused(known: Workspace, params: dict[str, str]) -> None:
    assert open_page(known).get("/api/decay", params=params).status_code == 400


def test_a_reader_is_told_nothing_of_another_session(known: Workspace) -> None:
    own = open_page(known, Reader(session="club")).get("/api/decay", params={"hot_days": 3})
    others = open_page(known, Reader(session="work")).get("/api/decay", params={"hot_days": 3})

    assert "bees" in own.text
    assert "cora" not in others.text.casefold()
    assert sum(others.json()["tiers"].values()) == 2
