"""The view Decay in a browser: the chart, the sliders and the facts that they would move."""

import re
from typing import TYPE_CHECKING

import pytest

from engram.base.clock import utc_now
from engram.workspace import Workspace
from tests.ui.conftest import Serve
from tests.ui.test_graph import opened

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.fixture
def known(workspace: Workspace) -> Workspace:
    workspace.now = utc_now
    for text in ("Anna prefers tea", "Anna grows roses", "<b>Anna</b> plays the violin"):
        workspace.submit("write", {"entity": "people/anna", "text": text, "create": True})
    return workspace


def test_the_chart_is_drawn_and_read_out(known: Workspace, serve: Serve, page: "Page") -> None:
    opened(page, serve(known.paths.root), "/decay")
    page.locator("[data-drawn=yes]").wait_for()
    assert "hot 3 → 0" in (
        page.get_by_role("img", name=re.compile("Tiers over time")).get_attribute("aria-label") or ""
    )
    page.get_by_text("The same in numbers").click()
    page.get_by_role("columnheader", name="cold").wait_for()
    page.get_by_role("link", name="<b>Anna</b> plays the violin").wait_for()


def test_a_slider_shows_what_would_move_and_keeps_its_place(known: Workspace, serve: Serve, page: "Page") -> None:
    opened(page, serve(known.paths.root), "/decay")
    page.get_by_text("3 facts leave a tier").wait_for()
    page.get_by_label("Days a fact stays hot").focus()
    page.keyboard.press("ArrowRight")
    page.get_by_role("heading", name="3 facts would take another course").wait_for()
    page.get_by_text("decay.hot_days = 8").wait_for()
    page.wait_for_url(re.compile("hot_days=8"))
    page.reload()
    page.get_by_role("heading", name="3 facts would take another course").wait_for()
    page.get_by_role("button", name="Back to what is set").click()
    page.get_by_text("3 facts leave a tier").wait_for()
    assert "hot_days" not in page.url


def test_hot_is_never_longer_than_warm(known: Workspace, serve: Serve, page: "Page") -> None:
    opened(page, serve(known.paths.root), "/decay")
    page.get_by_label("Days a fact stays warm").fill("3")
    page.wait_for_url(re.compile("hot_days=3"))
    page.get_by_role("heading", name="3 facts would take another course").wait_for()


def test_an_empty_memory_says_what_to_do(workspace: Workspace, serve: Serve, page: "Page") -> None:
    opened(page, serve(workspace.paths.root), "/decay")
    page.get_by_text("engram write --entity").wait_for()


def test_nothing_serious_stands_in_the_way_of_anybody(known: Workspace, serve: Serve, page: "Page") -> None:
    from axe_playwright_python.sync_playwright import Axe

    opened(page, serve(known.paths.root), "/decay?hot_days=3")
    page.locator("[data-drawn=yes]").wait_for()
    found = Axe().run(page).response["violations"]
    serious = [
        (one["id"], [node["html"][:120] for node in one["nodes"]])
        for one in found
        if one["impact"] in {"serious", "critical"}
    ]
    assert serious == []
