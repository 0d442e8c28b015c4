"""What is done from the page by keyboard alone: taken back at once, split off, and the heartbeat started."""

from typing import TYPE_CHECKING

import pytest

from engram.heartbeat.child.run_records import RunRecords
from engram.ports.database import FactFilter
from engram.workspace import Workspace
from tests.conftest import WorkspaceWith
from tests.ui.conftest import Serve
from tests.ui.conftest import enter
from tests.ui.conftest import press

if TYPE_CHECKING:
    from playwright.sync_api import Page

ANNA = "people/anna"
PLAN_AFTER_MS = 250  # of rest, as in Change.tsx


def fill(workspace: Workspace) -> None:
    for text in ("Anna prefers tea", "Anna flies gliders"):
        workspace.submit("write", {"entity": ANNA, "text": text, "create": True})
    turn = {"id": f"turn/{1:032x}", "session": "demo", "text": "I prefer green tea", "speaker": "user"}
    workspace.submit("capture", {"session": "demo", "turns": [turn]})


@pytest.fixture
def filled(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(fill)


def show(page: "Page", link: str, path: str) -> None:
    enter(page, link)
    page.goto(f"{link.partition('?')[0].rstrip('/')}{path}")
    page.locator("main h1").wait_for()


def texts(workspace: Workspace) -> set[str]:
    with workspace.reading() as database:
        return {fact.text for fact in database.list_facts(FactFilter())}


@pytest.mark.parametrize("key", ["e", "x"])
def test_a_slip_on_a_fact_is_taken_back_by_the_next_key(
    filled: Workspace, serve: Serve, page: "Page", key: str
) -> None:
    show(page, serve(filled.paths.root), f"/fact/{ANNA}-001")
    press(page, key)
    page.locator("dialog textarea, dialog input").first.fill("Anna prefers coffee")
    page.locator("dialog .plan").wait_for()
    page.keyboard.press("Control+Enter")
    page.locator(".toast").get_by_role("button", name="Undo").wait_for()
    assert "Anna prefers tea" not in texts(filled)
    press(page, "u")
    page.locator(".toast", has_text="Taken back").wait_for()
    assert texts(filled) == {"Anna prefers tea", "Anna flies gliders"}


def test_a_correction_that_nobody_typed_yet_is_neither_planned_nor_refused(
    filled: Workspace, serve: Serve, page: "Page"
) -> None:
    show(page, serve(filled.paths.root), f"/fact/{ANNA}-001")
    press(page, "e")
    field = page.locator("dialog textarea")
    field.wait_for()
    page.wait_for_timeout(2 * PLAN_AFTER_MS)
    assert page.locator("dialog .problem, dialog .plan").count() == 0

    field.fill("Anna prefers coffee")

    page.locator("dialog .plan").wait_for()
    field.fill("Anna prefers tea")
    page.locator("dialog .plan").wait_for(state="detached")


def test_what_was_done_is_taken_back_also_when_its_message_is_gone(
    filled: Workspace, serve: Serve, page: "Page"
) -> None:
    show(page, serve(filled.paths.root), f"/fact/{ANNA}-001")
    press(page, "x")
    page.get_by_role("dialog").locator(".plan").wait_for()
    page.keyboard.press("Control+Enter")
    done = page.locator(".toast", has_text="Done: Reject this fact")
    done.get_by_role("button", name="Close").click()
    page.locator(".state.retracted").first.wait_for()

    press(page, "u")

    page.locator(".fact-line .state.active").first.wait_for()
    page.keyboard.press("u")
    page.get_by_text("Nothing was done in this tab that can be taken back.").wait_for()


def test_a_part_of_an_entity_is_split_off_by_keyboard(filled: Workspace, serve: Serve, page: "Page") -> None:
    show(page, serve(filled.paths.root), f"/entity/{ANNA}")
    press(page, "s")
    page.get_by_label("Whom they are about").fill("Anna Schmidt")
    page.keyboard.press("Tab")
    chosen = page.get_by_role("checkbox", name="Anna flies gliders")
    while not chosen.evaluate("(box) => box === document.activeElement"):
        page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.locator("dialog .plan", has_text="people/anna-schmidt").wait_for()
    page.keyboard.press("Control+Enter")
    page.get_by_role("heading", level=1, name="Anna Schmidt").wait_for()
    page.get_by_role("link", name="Anna flies gliders").first.wait_for()


def test_a_heartbeat_is_started_by_a_key_and_its_run_is_shown(filled: Workspace, serve: Serve, page: "Page") -> None:
    show(page, serve(filled.paths.root), "/today")
    press(page, "H")
    page.locator("dialog .plan", has_text="extraction").wait_for()
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/heartbeat")
    page.get_by_role("table").get_by_text("Extraction").first.wait_for()
    page.locator("main").get_by_role("button", name="Run the heartbeat now").wait_for()
    assert [one["status"] for one in RunRecords(filled.paths.runs).latest(5)] == ["ok"]


def test_the_palette_starts_a_heartbeat(filled: Workspace, serve: Serve, page: "Page") -> None:
    show(page, serve(filled.paths.root), "/today")
    page.locator('html[data-keys~="H"]').wait_for(state="attached")
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Find").fill("heartbeat now")
    page.get_by_role("option", name="Run the heartbeat now").wait_for()
    page.keyboard.press("Enter")
    page.locator("dialog .plan", has_text="extraction").wait_for()


def test_who_reads_as_a_session_is_offered_no_heartbeat(filled: Workspace, serve: Serve, page: "Page") -> None:
    show(page, serve(filled.paths.root, "--session", "demo"), "/today")
    page.get_by_text("demo").first.wait_for()
    assert page.locator('html[data-keys~="H"]').count() == 0
