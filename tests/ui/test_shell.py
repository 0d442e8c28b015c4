"""The frame of the page: entered by its link, used by keyboard, in four languages and two colours, on any width."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engram.workspace import Workspace
from tests.ui.conftest import Serve
from tests.ui.conftest import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page


def test_the_link_opens_the_page_and_leaves_no_token_in_the_address(
    workspace: Workspace, serve: Serve, page: "Page"
) -> None:
    page.goto(serve(workspace.paths.root))
    page.wait_for_url(re.compile(r"/today$"))
    page.get_by_role("navigation").wait_for()
    page.reload()
    assert page.get_by_role("navigation").get_by_role("link", name="Today").get_attribute("aria-current") == "page"


def test_every_view_is_reached_by_keyboard_and_named_in_the_help(
    workspace: Workspace, serve: Serve, page: "Page"
) -> None:
    page.goto(serve(workspace.paths.root))
    page.get_by_role("navigation").wait_for()
    for key, place in {"g": "graph", "a": "ask", "r": "review", "e": "health", "t": "today"}.items():
        page.keyboard.press("g")
        page.keyboard.press(key)
        page.wait_for_url(re.compile(f"/{place}$"))
        if place == "ask":  # its field takes what is typed, until somebody leaves it
            page.locator("input:focus").wait_for()
            page.keyboard.press("Escape")
    page.keyboard.press("?")
    helping = page.get_by_role("dialog")
    assert "Graph" in helping.inner_text()
    page.keyboard.press("Escape")
    helping.wait_for(state="detached")


def test_the_palette_finds_an_entity_by_any_of_its_names(workspace: Workspace, serve: Serve, page: "Page") -> None:
    workspace.submit("write", {"entity": "people/anna", "text": "Anna prefers tea", "create": True})
    page.goto(serve(workspace.paths.root))
    page.get_by_role("navigation").wait_for()
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Find").fill("ann")
    page.get_by_role("option", name="people/anna").wait_for()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/entity/people/anna$"))


@pytest.mark.parametrize(("language", "today"), [("en", "Today"), ("ru", "Сегодня"), ("zh", "今天"), ("ko", "오늘")])
def test_the_page_speaks_the_language_that_is_chosen_and_keeps_it(
    workspace: Workspace, serve: Serve, page: "Page", language: str, today: str
) -> None:
    page.goto(serve(workspace.paths.root))
    page.get_by_label("Language").select_option(language)
    page.get_by_role("navigation").get_by_role("link", name=today, exact=True).wait_for()
    page.reload()
    page.get_by_role("navigation").get_by_role("link", name=today, exact=True).wait_for()
    assert page.locator("html").get_attribute("lang") == language


def test_colours_are_chosen_and_kept(workspace: Workspace, serve: Serve, page: "Page") -> None:
    page.goto(serve(workspace.paths.root))
    page.get_by_label("Colours").select_option("dark")
    page.reload()
    page.get_by_role("navigation").wait_for()
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"


def test_a_page_without_its_server_says_so(workspace: Workspace, serve: Serve, browser: "Browser") -> None:
    with browser.new_context() as context:  # not `page`: requests that fail stand in its console
        page = context.new_page()
        with serving(workspace.paths.root) as link:
            page.goto(link)
            page.get_by_role("navigation").wait_for()
        page.get_by_text("Not connected").wait_for()


def test_a_link_to_a_view_that_somebody_shared_opens_from_any_page(
    workspace: Workspace, serve: Serve, page: "Page", tmp_path: Path
) -> None:
    link = serve(workspace.paths.root)
    page.goto(link)
    page.get_by_role("navigation").wait_for()
    chat = tmp_path / "chat.html"
    chat.write_text(f"<a href='{link.partition('?')[0].rstrip('/')}/graph'>look at this</a>", encoding="utf-8")
    page.goto(chat.as_uri())
    page.get_by_role("link", name="look at this").click()
    page.get_by_role("navigation").get_by_role("link", name="Graph").wait_for()
