"""Whoever reads Russian reads no English sentence of Engram's own: neither in a view nor in a plan nor in a refusal."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from engram.ports.database import FactFilter
from engram.workspace import Workspace
from tests.cases import for_each
from tests.ui.conftest import looking
from tests.ui.conftest import press
from tests.ui.conftest import serving
from tests.ui.stores import make_store
from tests.ui.test_every_view import VIEWS
from tests.ui.test_every_view import show

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page

SENTENCE = re.compile(r"\b[a-z]{2,}[ ,]+[a-z]{2,}\b")
COMMAND = re.compile(r"\b(?:engram|scripts/\w+) [\w. -]+")
SAID = ("Ships the next release", "The branch for 2.0", "Billing is released", "the site moves to", "provider none")
WORKS = (
    "facts,",
    "write",
    "rebuild",
    "doctor",
    "heartbeat run",
    "hook",
    "note add",
    "import",
    "capture",
    "correct",
    "MCP",
)
FACT = "/fact/projects/billing-003"
PLANS = {
    "keep": (FACT, "c", {}),
    "correct": (FACT, "e", {"textarea": "Billing runs on PostgreSQL 17"}),
    "reject": (FACT, "x", {"textarea, dialog input": "it was a dream"}),
    "pin": (FACT, "p", {}),
    "forget": (FACT, "F", {"textarea, dialog input": "it is to go"}),
    "heartbeat": ("/heartbeat", "H", {}),
    "domain": ("/domains/release", "y", {}),
}

REFUSED = {"fact": "/fact/people/anna-999", "entity": "/entity/people/nobody", "session": "/sessions/nowhere"}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return make_store(tmp_path_factory.mktemp("language") / "store")


@pytest.fixture(scope="module")
def link(store: Workspace) -> Iterator[str]:
    with serving(store.paths.root) as shown:
        yield shown


@pytest.fixture
def russian(browser: "Browser") -> Iterator["Page"]:
    with looking(browser, locale="ru-RU", viewport={"width": 1280, "height": 800}) as page:
        yield page


def english(page: "Page", store: Workspace, within: str = "body") -> list[str]:
    """Return the lines with English sentences that nobody said to the memory."""
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    with store.reading() as database:
        said = [fact.text for fact in database.list_facts(FactFilter(status="all"))]
        said += [one.text for one in database.list_observations()]
    lines = page.locator(within).inner_text().splitlines()
    own = [line for line in lines if not any(text[:40] in line for text in (*said, *SAID))]
    return [line for line in own if SENTENCE.search(COMMAND.sub("", line)) and not _is_name_of_work(line)]


def _is_name_of_work(line: str) -> bool:
    """Tell whether it is a row of the crash table, which names commands."""
    cells = line.split("\t")
    return len(cells) == 4 and not SENTENCE.search(cells[0]) and cells[1].startswith(WORKS)


@for_each("view", VIEWS)
def test_a_view_says_nothing_in_english(link: str, store: Workspace, russian: "Page", view: str) -> None:
    show(russian, link, VIEWS[view])
    assert english(russian, store) == []


@for_each("kind", PLANS)
def test_a_plan_says_nothing_in_english(link: str, store: Workspace, russian: "Page", kind: str) -> None:
    place, key, fields = PLANS[kind]
    show(russian, link, place)
    press(russian, key)
    for field, text in fields.items():
        russian.locator(f"dialog {field}").first.fill(text)
    russian.locator("dialog .plan").wait_for()
    spoken = "\n".join(english(russian, store, "dialog"))
    assert [line for line in spoken.splitlines() if not any(text in line for text in fields.values())] == []


def test_what_doctor_finds_is_not_said_in_english(link: str, store: Workspace, russian: "Page") -> None:
    (store.paths.root / "life" / "index.md").unlink()
    show(russian, link, "/health")
    press(russian, "d")
    russian.locator(".finding").first.wait_for()
    assert english(russian, store) == []
    press(russian, "f")
    russian.locator("dialog .plan").wait_for()
    assert english(russian, store, "dialog") == []


@for_each("kind", REFUSED)
def test_a_refusal_is_not_said_in_english(link: str, store: Workspace, browser: "Browser", kind: str) -> None:
    context = browser.new_context(
        locale="ru-RU"
    )  # not `looking`: an address that is not there is an error in the console
    page = context.new_page()
    page.goto(link)
    page.get_by_role("navigation").first.wait_for()
    page.goto(f"{link.partition('?')[0].rstrip('/')}{REFUSED[kind]}")
    page.locator("main .problem").wait_for()
    assert english(page, store) == []
    assert re.search("[а-я]", page.locator("main .problem").inner_text())
    context.close()
