"""Every view on a large store opens, and can be used. `scripts/bench page` measures how fast, on five times as much."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cases import for_each
from tests.ui.conftest import serving
from tests.ui.test_every_view import show

if TYPE_CHECKING:
    from playwright.sync_api import Page

MAKER = Path(__file__).resolve().parent.parent.parent / "scripts" / "large_store.py"
VIEWS = {
    "today": "/today",
    "graph": "/graph",
    "entity": "/entity/people/name-7",
    "fact": "/fact/people/name-7-003",
    "ask": "/ask?q=what%20does%20Name%207%20use",
    "review": "/review",
    "decay": "/decay",
    "heartbeat": "/heartbeat",
    "domains": "/domains",
    "sessions": "/sessions",
    "health": "/health",
}


@pytest.fixture(scope="module")
def link(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root = tmp_path_factory.mktemp("large") / "store"
    subprocess.run([sys.executable, str(MAKER), str(root), "--facts", "20000"], check=True)
    with serving(root) as shown:
        yield shown


@for_each("view", VIEWS)
def test_a_view_opens_on_a_large_store(link: str, page: "Page", view: str) -> None:
    show(page, link, VIEWS[view])
    assert page.locator("main .problem").count() == 0
    assert page.locator("main h1").count() == 1


def test_the_palette_finds_one_of_two_thousand(link: str, page: "Page") -> None:
    show(page, link, "/today")
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Find").fill("name 1999")
    page.get_by_role("option", name="people/name-1999").wait_for()


def test_the_graph_says_how_many_of_its_relations_it_draws(link: str, page: "Page") -> None:
    show(page, link, "/graph")
    page.get_by_role("status").get_by_text("showing the strongest 2,500 of").wait_for()
    page.keyboard.press("l")
    page.get_by_role("table").first.wait_for()
    assert page.get_by_text("showing the strongest").count() == 0
