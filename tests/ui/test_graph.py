"""The view Graph in a browser: drawn, filtered, moved through by keyboard and in time, kept in its address."""

import re
from typing import TYPE_CHECKING

import pytest

from engram.base.clock import utc_now
from engram.workspace import Workspace
from tests.ui.conftest import Serve
from tests.ui.conftest import enter

if TYPE_CHECKING:
    from playwright.sync_api import Page

HOSTILE = "<img src=x onerror=alert(1)>"
DRAWN = "[data-drawn=yes]"


@pytest.fixture
def known(workspace: Workspace) -> Workspace:
    """Anna and billing are joined; dan knows nobody, and has a name that is hard to print."""
    workspace.now = utc_now
    workspace.submit("entity-add", {"path": "people/dan", "title": HOSTILE})
    for args in (
        {"entity": "people/anna", "text": "Anna prefers tea", "tags": ["home"], "valid_from": "2026-01-01"},
        {"entity": "people/anna", "text": "Anna grows roses", "valid_from": "2026-02-01"},
        {
            "entity": "projects/billing",
            "text": "Anna runs billing",
            "related": ["people/anna"],
            "valid_from": "2026-03-01",
        },
        {"entity": "people/dan", "text": HOSTILE, "valid_from": "2026-03-01"},
    ):
        workspace.submit("write", {**args, "create": True})
    return workspace


def opened(page: "Page", link: str, place: str) -> None:
    enter(page, link)
    page.goto(re.sub(r"/\?.*", "", link) + place)


def says(page: "Page", words: str) -> None:
    page.get_by_role("status").filter(has_text=words).wait_for()


def test_the_graph_is_drawn_and_says_how_much_it_shows(known: Workspace, serve: Serve, page: "Page") -> None:
    opened(page, serve(known.paths.root), "/graph")
    page.locator(DRAWN).wait_for()
    says(page, "3 entities · 1 relation")


def test_arrows_go_to_neighbours_and_enter_opens_one(known: Workspace, serve: Serve, page: "Page") -> None:
    opened(page, serve(known.paths.root), "/graph")
    page.locator(DRAWN).wait_for()
    page.get_by_role("application").focus()
    page.keyboard.press("ArrowRight")
    page.get_by_role("complementary", name="Anna").wait_for()
    page.get_by_text("Anna grows roses").wait_for()
    for key in ("ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"):
        page.keyboard.press(key)
        if "billing" in page.url:
            break
    page.get_by_role("complementary", name="Billing").wait_for()
    page.reload()
    page.get_by_role("complementary", name="Billing").wait_for()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/entity/projects/billing$"))


def test_filters_stand_in_the_address_and_survive_a_reload(known: Workspace, serve: Serve, page: "Page") -> None:
    opened(page, serve(known.paths.root), "/graph")
    page.get_by_label("Kind").select_option("projects")
    says(page, "1 entity · 0 relations")
    page.reload()
    says(page, "1 entity · 0 relations")
    page.get_by_label("Kind").select_option("")
    page.get_by_label("Tag").select_option("home")
    says(page, "1 entity")
    page.get_by_label("Tag").select_option("")
    page.get_by_label("Tier").select_option("cold")
    says(page, "0 entities")


def test_the_slider_replays_the_days(known: Workspace, serve: Serve, page: "Page") -> None:
    opened(page, serve(known.paths.root), "/graph?day=2026-01-15&entity=people/anna")
    says(page, "1 entity · 0 relations")
    card = page.get_by_role("complementary", name="Anna")
    card.get_by_text("Anna prefers tea").wait_for()
    assert card.get_by_text("Anna grows roses").count() == 0
    page.get_by_label("What held on").focus()
    for _ in range(17):
        page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("day=2026-02-01"))
    card.get_by_text("Anna grows roses").wait_for()


def test_an_earlier_knowledge_is_asked_of_the_server(known: Workspace, serve: Serve, page: "Page") -> None:
    opened(page, serve(known.paths.root), "/graph")
    page.get_by_label("As it was known on").focus()
    page.keyboard.press("Home")  # the first day that anything held on: nothing was written down then
    page.wait_for_url(re.compile("known=2026-01-"))
    says(page, "0 entities · 0 relations")
    page.get_by_label("As it was known on").focus()
    page.keyboard.press("End")
    page.wait_for_url(lambda url: "known=" not in url)
    page.get_by_role("button", name="As a list").click()
    page.get_by_role("button", name="Billing").wait_for()


def test_the_list_says_the_same_in_a_table(known: Workspace, serve: Serve, page: "Page") -> None:
    opened(page, serve(known.paths.root), "/graph")
    page.get_by_role("button", name="As a list").click()
    rows = page.get_by_role("row")
    rows.nth(3).wait_for()
    assert rows.nth(1).inner_text().split() == ["Anna", "People", "2", "1", "hot"]
    page.get_by_label("Find in the graph").fill("bill")
    says(page, "1 found")
    page.get_by_role("button", name="Billing").click()
    page.get_by_role("complementary", name="Billing").wait_for()


def test_a_hostile_name_is_text(known: Workspace, serve: Serve, page: "Page") -> None:
    opened(page, serve(known.paths.root), "/graph?entity=people/dan")
    card = page.locator("aside")
    card.get_by_text("<img src=x onerror=alert(1)>").first.wait_for()
    assert card.locator("img").count() == 0


def test_an_empty_memory_says_what_to_do_also_where_its_owner_has_a_name(
    workspace: Workspace, serve: Serve, page: "Page"
) -> None:
    workspace.submit("entity-add", {"path": "people/mara-lind", "title": "Mara Lind"})
    opened(page, serve(workspace.paths.root), "/graph")
    page.get_by_text("engram write --entity").wait_for()


@pytest.mark.parametrize("place", ["/graph?entity=people/anna", "/graph?list=1"])
def test_nothing_serious_stands_in_the_way_of_anybody(known: Workspace, serve: Serve, page: "Page", place: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    opened(page, serve(known.paths.root), place)
    page.get_by_role("status").first.wait_for()
    page.locator("table" if "list" in place else f"{DRAWN}[data-laid=done]").first.wait_for()
    page.locator("main .loading").first.wait_for(state="detached")
    found = Axe().run(page).response["violations"]
    serious = [
        (one["id"], [node["html"][:120] for node in one["nodes"]])
        for one in found
        if one["impact"] in {"serious", "critical"}
    ]
    assert serious == []
