"""A review in a real browser: ten things decided and taken back by keyboard, with what changed in another tab told."""

import re
from typing import TYPE_CHECKING

import pytest

from engram.model.domain import DomainType
from engram.model.fact import Status
from engram.ports.database import FactFilter
from engram.services.domains.desk import DomainCommands
from engram.services.domains.desk import NewDomain
from engram.workspace import Workspace
from tests.conftest import Engram
from tests.conftest import WorkspaceWith
from tests.making import NOW
from tests.ui.accessibility import barriers
from tests.ui.conftest import Serve
from tests.ui.conftest import looking
from tests.ui.conftest import press

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page

OLD, NEW = "Anna likes working in the evening", "Anna does not like working in the evening"
HOSTILE = "<img src=x onerror=alert(1)> \u202eevil"


def fill(workspace: Workspace) -> None:
    """A tension, an observation, and eight candidates."""
    workspace.submit("write", {"entity": "people/anna", "text": OLD, "create": True})
    workspace.submit("write", {"entity": "people/anna", "text": NEW})
    workspace.submit("observe", {"text": f"Deploys are slow on Mondays {HOSTILE}"})
    for number in range(8):
        text = f"Billing sends report number {number} to the bank"
        args = {"entity": "projects/billing", "create": True, "text": text, "candidate": True}
        workspace.submit("write", args)


@pytest.fixture
def filled(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(fill)


def texts(workspace: Workspace, status: str = "active") -> set[str]:
    with workspace.reading() as database:
        return {fact.text for fact in database.list_facts(FactFilter(status=status))}


@pytest.mark.parametrize("width", [360, 1280])
def test_every_answer_can_be_clicked_and_a_link_leads_to_what_it_names(
    filled: Workspace, serve: Serve, browser: "Browser", width: int
) -> None:
    with looking(browser, locale="en-GB", viewport={"width": width, "height": 800}) as page:
        page.goto(serve(filled.paths.root))
        page.goto(page.url.replace("/today", "/review?id=observation-0001"))

        page.get_by_role("heading", name="Is it worth keeping?").wait_for()
        assert page.get_by_text("observation-0001", exact=True).is_visible()
        for name in ("Keep it for good", "Dismiss it", "Another says the same", "Skip"):
            assert page.get_by_role("button", name=name).is_visible(), name


def decide(page: "Page", key: str, left: int) -> None:
    """Press the key of an outcome, read the plan, do it, and wait for the next thing."""
    page.keyboard.press(key)
    dialog = page.get_by_role("dialog")
    dialog.locator(".plan").wait_for()
    page.keyboard.press("Enter")
    dialog.wait_for(state="detached")
    if left:
        page.get_by_text(f"{left} left", exact=True).wait_for()


def test_ten_things_are_decided_and_taken_back_by_keyboard(filled: Workspace, serve: Serve, page: "Page") -> None:
    page.goto(serve(filled.paths.root))
    page.get_by_role("navigation").wait_for()
    page.keyboard.press("g")
    page.keyboard.press("r")
    page.get_by_text("10 left", exact=True).wait_for()
    assert page.get_by_role("heading", name="Can both hold?").is_visible()

    decide(page, "2", 9)
    assert HOSTILE.partition(">")[0] in page.locator(".statement").inner_text()
    decide(page, "x", 8)
    for left in range(7, -1, -1):
        decide(page, "y" if left % 2 else "x", left)
    page.get_by_text("Nothing waits", exact=True).wait_for()
    assert len(texts(filled, Status.CANDIDATE)) == 0
    assert OLD not in texts(filled)

    for left in range(1, 11):
        page.keyboard.press("u")
        page.get_by_text(f"{left} left", exact=True).wait_for()
    assert len(texts(filled, Status.CANDIDATE)) == 8
    assert texts(filled) == {OLD, NEW}


def test_what_was_skipped_waits_and_a_reload_keeps_the_place(filled: Workspace, serve: Serve, page: "Page") -> None:
    page.goto(serve(filled.paths.root))
    page.get_by_role("navigation").wait_for()
    page.keyboard.press("g")
    page.keyboard.press("r")
    page.get_by_role("heading", name="Can both hold?").wait_for()
    page.keyboard.press("s")
    page.get_by_text("9 left", exact=True).wait_for()
    page.wait_for_url(re.compile("skip=tension-0001"))
    page.reload()
    page.get_by_text("9 left", exact=True).wait_for()
    page.get_by_role("button", name="Bring back 1 skipped").click()
    page.get_by_role("heading", name="Can both hold?").wait_for()
    assert barriers(page) == []


def test_an_answer_that_another_was_faster_with_is_refused(filled: Workspace, serve: Serve, browser: "Browser") -> None:
    with browser.new_context(locale="en-GB") as context:  # the refusal stands in the browser's console
        page = context.new_page()
        page.goto(serve(filled.paths.root).replace("/?", "/review?"))
        page.get_by_role("heading", name="Can both hold?").wait_for()
        page.keyboard.press("b")
        dialog = page.get_by_role("dialog")
        dialog.locator(".plan").wait_for()
        filled.submit("review-answer", {"id": "tension-0001", "outcome": "dissolve", "note": "never meant so"})
        with page.expect_response("**/api/apply") as told:
            page.keyboard.press("Enter")
        assert told.value.status == 409
        dialog.get_by_role("alert").get_by_text("never meant so").wait_for()


def test_a_proposal_of_a_domain_is_decided_where_it_stands(workspace: Workspace, serve: Serve, page: "Page") -> None:
    desk = DomainCommands(workspace.files, now=NOW, role=None)
    desk.add(NewDomain("backup", DomainType.CRON_TASK))
    desk.propose("backup", "Keep copies on two disks")
    page.goto(serve(workspace.paths.root))
    page.get_by_role("navigation").wait_for()
    page.keyboard.press("g")
    page.keyboard.press("o")
    page.get_by_role("link", name="backup").wait_for()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Proposals").wait_for()
    page.keyboard.press("y")
    page.get_by_label("Why").fill("disks fail")
    page.get_by_role("dialog").locator(".plan").get_by_text("Keep copies on two disks").wait_for()
    page.keyboard.press("Control+Enter")
    page.get_by_text("1 decided").click()
    page.get_by_text("(disks fail)", exact=True).wait_for()
    assert barriers(page) == []


def test_no_earlier_answer_is_taken_back_in_the_place_of_one_to_a_proposal(
    workspace: Workspace, engram: Engram, serve: Serve, page: "Page"
) -> None:
    workspace.submit("observe", {"text": "The build is slow", "category": "friction"})
    for step in (
        ("domain", "add", "backup", "--type", "cron-task"),
        ("domain", "propose", "backup", "Keep two copies"),
    ):
        assert engram(*step).code == 0
    page.goto(serve(workspace.paths.root).replace("/?", "/review?"))
    for question, key in (("Is it worth keeping?", "x"), ("A domain proposes this.", "y")):
        page.get_by_role("heading", name=question).wait_for()
        press(page, key)
        page.get_by_role("dialog").locator(".plan").wait_for()
        page.keyboard.press("Control+Enter")
        page.get_by_role("dialog").wait_for(state="detached")
    page.get_by_text("Nothing waits").wait_for()

    page.keyboard.press("u")

    page.get_by_text("An answer to a proposal stays").wait_for()
    assert page.get_by_text("Is it worth keeping?").count() == 0
    page.keyboard.press("u")
    page.get_by_role("heading", name="Is it worth keeping?").wait_for()


def test_statements_that_differ_keep_their_direction_and_show_what_would_turn_it(
    workspace: Workspace, serve: Serve, page: "Page"
) -> None:
    for place, text in enumerate(("הפגישה ביום שלישי \u202eevil", "הפגישה ביום רביעי")):
        workspace.submit("write", {"entity": "people/anna", "text": text, "create": place == 0})
    workspace.submit("tension-add", {"text": "which", "fact1": "people/anna-001", "fact2": "people/anna-002"})
    page.goto(serve(workspace.paths.root).replace("/?", "/review?"))
    page.get_by_role("heading", name="Can both hold?").wait_for()
    sides = page.locator(".side-text .said")
    assert "U+202E" in sides.first.inner_text()
    assert "\u202e" not in page.locator("main").inner_text()
    assert sides.evaluate_all("all => all.map(one => getComputedStyle(one).direction)") == ["rtl", "rtl"]
    assert page.locator(".side-text mark").last.inner_text().strip() == "רביעי"
