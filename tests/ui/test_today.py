"""The views Today, Entity, Fact and Ask in a browser: by keyboard, kept in the address, and what is changed is seen."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from engram.base.clock import utc_now
from engram.ports.database import FactFilter
from engram.workspace import Workspace
from tests.conftest import WorkspaceWith
from tests.ui.accessibility import barriers
from tests.ui.conftest import Serve
from tests.ui.conftest import enter
from tests.ui.conftest import press

if TYPE_CHECKING:
    from playwright.sync_api import Page

ANNA = "people/anna"
TURN = {"id": f"turn/{'c' * 32}", "speaker": "user", "text": "Good morning. Always answer me in English. Thank you!"}
HOSTILE = "<img src=x onerror=alert(1)> <b>bold</b> {{7*7}}"
TURNED = "The shop opens \u202egnp.exe"  # quarantined: a person is shown it, on its own page


def fill(workspace: Workspace) -> None:
    """A person with an order that was said in a conversation, a home that changed, a project, and hostile words."""
    said = {"create": True}
    workspace.submit("capture", {"session": "claude-code/x", "turns": [TURN]})
    source = {"actor": "user", "session": "claude-code/x", "turn": TURN["id"]}
    order = {"text": "Always answer me in English.", "category": "instruction", "trust": "unverified"}
    workspace.submit("write", {**said, "entity": ANNA, **order, "source": source})
    for city, since in (("Riga", "2025-01-01"), ("Tallinn", "2026-01-01")):
        home = {"attribute": "home", "value": city, "valid_from": since}
        workspace.submit("write", {**said, "entity": ANNA, "text": f"Anna lives in {city}", **home})
    project = {"entity": "projects/shop", "category": "decision", "related": [ANNA]}
    workspace.submit("write", {**said, **project, "text": "The shop runs on PostgreSQL"})
    workspace.submit("write", {**said, "entity": "projects/shop", "text": f"The shop says {HOSTILE}"})
    workspace.submit("write", {**said, "entity": "projects/shop", "text": TURNED})


@pytest.fixture
def filled(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(fill)


@pytest.fixture
def opened(filled: Workspace, serve: Serve, page: "Page") -> Callable[[str], "Page"]:
    """Open the page at a path, entered by its link."""
    link = serve(filled.paths.root)

    def open_at(path: str) -> "Page":
        enter(page, link)
        page.goto(re.sub(r"/today\?.*|/\?.*", path, link))
        return page

    return open_at


def texts(workspace: Workspace, status: str = "active") -> set[str]:
    with workspace.reading() as database:
        return {fact.text for fact in database.list_facts(FactFilter(status=status))}


def test_one_thing_is_corrected_by_keyboard_and_stands_in_the_next_start_block(
    filled: Workspace, opened: Callable[[str], "Page"]
) -> None:
    page = opened("/today?since=all")
    block = page.locator(".start")
    block.get_by_text("Always answer me in English").wait_for()

    while "in English" not in (
        page.locator(".fact.chosen").inner_text() if page.locator(".fact.chosen").count() else ""
    ):
        page.keyboard.press("j")
    page.keyboard.press("e")
    page.get_by_label("What is true instead").fill("Always answer me in Latvian.")
    page.locator("dialog .plan").get_by_text("Latvian").first.wait_for()
    assert texts(filled) >= {"Always answer me in English."}
    page.keyboard.press("Control+Enter")

    block.locator(".fresh").get_by_text("Always answer me in Latvian").wait_for()
    assert block.get_by_text("in English").count() == 0
    assert "Always answer me in Latvian." in texts(filled)
    corrected = page.locator(".fact", has_text="Latvian")
    corrected.wait_for()
    assert corrected.locator("del, ins").all_inner_texts() == ["English", "Latvian"]


@pytest.mark.parametrize(("key", "status"), [("c", "active"), ("x", "retracted")])
def test_a_fact_is_kept_or_rejected_by_a_key(
    filled: Workspace, opened: Callable[[str], "Page"], key: str, status: str
) -> None:
    page = opened(f"/fact/{ANNA}-001")
    page.get_by_role("heading", name="Always answer me in English.").wait_for()
    press(page, key)
    page.locator("dialog .plan").wait_for()
    page.keyboard.press("Control+Enter")
    page.locator(".toast").wait_for()

    with filled.reading() as database:
        (fact,) = database.find_facts(f"{ANNA}-001")
    assert (fact.status.value, fact.trust.value) == (status, "trusted" if key == "c" else "unverified")


def test_a_fact_shows_the_words_it_was_read_in_and_what_became_of_it(opened: Callable[[str], "Page"]) -> None:
    page = opened(f"/fact/{ANNA}-001")
    page.locator(".passage mark").get_by_text("Always answer me in English.").wait_for()
    assert "Good morning." in page.locator(".passage blockquote").inner_text()

    page = opened(f"/fact/{ANNA}-003")
    versions = page.locator(".version")
    versions.nth(1).wait_for()
    assert versions.nth(0).locator("del, ins").all_inner_texts() == ["Riga", "Tallinn"]
    press(page, "[")
    page.wait_for_url(re.compile(f"/fact/{ANNA}-002$"))
    page.get_by_role("heading", name="Anna lives in Riga").wait_for()
    press(page, "b")
    page.wait_for_url(re.compile(f"/entity/{ANNA}$"))


def test_a_fact_is_forgotten_for_good_after_its_plan(filled: Workspace, opened: Callable[[str], "Page"]) -> None:
    page = opened("/fact/projects/shop-002")
    page.get_by_role("heading", level=1).wait_for()
    press(page, "F")
    page.locator("dialog .plan").wait_for()
    page.keyboard.press("Control+Enter")
    page.wait_for_url(re.compile("/entity/projects/shop$"), timeout=60_000)
    assert not any("onerror" in text for text in texts(filled, "all"))


def test_an_entity_shows_when_its_facts_held_and_keeps_its_filters_over_a_reload(
    opened: Callable[[str], "Page"],
) -> None:
    page = opened(f"/entity/{ANNA}")
    lane = page.locator(".lane", has_text="home")
    lane.locator(".span").nth(1).wait_for()
    assert lane.locator(".span").all_inner_texts() == ["Riga", "Tallinn"]
    page.get_by_role("link", name="Shop", exact=True).wait_for()
    page.get_by_label("State of the facts").select_option("all")
    page.get_by_label("Words in facts").fill("riga")
    page.wait_for_url(re.compile("q=riga"))
    page.reload()
    page.locator("#facts").wait_for()
    assert page.locator(".chain .fact-text").all_inner_texts() == ["Anna lives in Riga"]


def test_a_question_is_answered_as_of_two_days_side_by_side(opened: Callable[[str], "Page"]) -> None:
    page = opened("/ask")
    page.get_by_label("Question").fill("Where does Anna live?")
    page.keyboard.press("Enter")
    page.locator(".hit", has_text="Tallinn").wait_for()
    page.get_by_label("Compare with the answer on").fill("2025-06-01")
    then = page.get_by_role("region", name=re.compile("As of.*2025"))
    then.locator(".hit", has_text="Riga").wait_for()
    assert then.locator(".leg").count() > 0
    page.reload()
    then.locator(".hit", has_text="Riga").wait_for()
    page.get_by_role("region", name="As of now").locator(".hit", has_text="Tallinn").wait_for()


@pytest.mark.parametrize(
    "path", ["/today?since=all", "/entity/projects/shop", "/fact/projects/shop-002", "/ask?q=What+does+the+shop+say"]
)
def test_hostile_text_is_text(opened: Callable[[str], "Page"], path: str) -> None:
    page = opened(path)
    page.get_by_text("onerror=alert(1)").first.wait_for()
    assert page.locator("main img, main b").count() == 0


def test_signs_that_turn_text_round_are_shown_as_signs(opened: Callable[[str], "Page"]) -> None:
    page = opened("/fact/projects/shop-003")
    assert page.locator("h1 .control").inner_text() == "U+202E"
    assert page.get_by_text("quarantined").first.is_visible()


def test_signs_that_belong_to_a_script_are_left_as_they_are(workspace: Workspace, serve: Serve, page: "Page") -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    persian, hindi = "\u0645\u06cc\u200c\u062e\u0648", "\u0915\u094d\u200d\u0937"
    written = f"{family} {persian} {hindi} (\u05d0)\u200f"
    hidden = "pass\u200dword, tab\u200cs, left\u200fright, \U000e0049\U000e0067, \U0001f468\u200d ends"
    for text in (written, hidden):
        workspace.submit("write", {"entity": ANNA, "text": text, "create": True})
    page.goto(serve(workspace.paths.root).replace("/?", f"/entity/{ANNA}?"))
    page.locator(f"[data-fact='{ANNA}-002'] .control").first.wait_for()

    signs = [page.locator(f"[data-fact='{ANNA}-00{number}'] .fact-text .control") for number in (1, 2)]

    assert signs[0].count() == 0
    assert signs[1].all_inner_texts() == ["U+200D", "U+200C", "U+200F", "U+E0049", "U+E0067", "U+200D"]


def test_what_was_said_names_its_conversation_and_the_day_that_its_words_name(
    workspace: Workspace, serve: Serve, page: "Page"
) -> None:
    session = "claude-code/shop-0a1b2c3d-0000-4000-8000-000000000000"
    workspace.submit("capture", {"session": session, "turns": [TURN]})
    source = {"actor": "user", "session": session, "turn": TURN["id"], "path": "~/t.jsonl"}
    args = {"entity": ANNA, "text": "Anna moves to Tartu", "create": True, "trust": "unverified", "source": source}
    day = utc_now().date().isoformat()
    workspace.submit("write", {**args, "valid_from": day})
    link = serve(workspace.paths.root)
    page.goto(link.replace("/?", "/today?since=all&"))

    said = page.locator(".source").first
    said.wait_for()
    assert re.search(r"claude-code/shop-0a1b2c3d · from \d+ [A-Z]", said.inner_text())
    page.get_by_role("link", name="Anna moves to Tartu").first.click()
    page.locator(".passage").get_by_role("link", name="claude-code/shop-0a1b2c3d").click()
    page.wait_for_url(re.compile(f"/sessions/{session}$"))
    page.goto(re.sub(r"/\?.*", "/ask?q=where+does+Anna+move", link))
    hit = page.locator(".hit", has_text="Tartu").first
    hit.wait_for()
    assert "claude-code/shop-0a1b2c3d" in hit.inner_text()
    assert "~/" not in hit.inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["/today?since=all", f"/entity/{ANNA}", f"/fact/{ANNA}-003", "/ask?q=Where+is+Anna"])
def test_nothing_serious_stands_in_anybodys_way(opened: Callable[[str], "Page"], path: str, scheme: str) -> None:
    page = opened(path)
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.locator("main .fact-text").first.wait_for()
    page.evaluate("Promise.allSettled(document.getAnimations().map((one) => one.finished))")  # colours change by and by
    assert barriers(page) == []


@pytest.mark.parametrize("path", ["/today?since=all", f"/entity/{ANNA}", f"/fact/{ANNA}-003", "/ask?q=Where+is+Anna"])
def test_it_fits_the_width_of_a_phone(opened: Callable[[str], "Page"], path: str) -> None:
    page = opened(path)
    page.set_viewport_size({"width": 360, "height": 740})
    page.locator("main .fact-text").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_an_empty_memory_says_how_to_begin(workspace: Workspace, serve: Serve, page: "Page") -> None:
    page.goto(serve(workspace.paths.root))
    page.get_by_text("The memory is empty").wait_for()
    assert page.get_by_text("engram setup").is_visible()


def test_what_was_seen_is_no_news_any_more_and_what_comes_then_is(
    filled: Workspace, opened: Callable[[str], "Page"]
) -> None:
    page = opened("/today")
    page.locator("#learnt").wait_for()
    page.evaluate(
        "localStorage.setItem('engram.look workspace', JSON.stringify("
        "{since: new Date().toISOString(), seen: new Date().toISOString()}))"
    )
    page.reload()
    page.get_by_text("Nothing new since").wait_for()

    filled.now = utc_now
    filled.submit("write", {"entity": ANNA, "text": "Anna sails on Sundays"})
    page.get_by_role("link", name="Anna sails on Sundays", exact=True).wait_for()  # without a reload
    page.keyboard.press("m")
    page.get_by_text("Nothing new since").wait_for()
