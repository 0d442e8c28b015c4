"""What holds of every view: it opens, survives a reload, fits a phone, speaks four languages, and bars nobody."""

import contextlib
import functools
import re
import shutil
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engram.workspace import Workspace
from tests.cases import for_each
from tests.ui.accessibility import barriers
from tests.ui.conftest import enter
from tests.ui.conftest import looking
from tests.ui.conftest import serving
from tests.ui.stores import make_hostile_store
from tests.ui.stores import make_store

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page

VIEWS = {
    "today": "/today",
    "graph": "/graph",
    "entity": "/entity/people/anna",
    "fact": "/fact/projects/billing-003",
    "ask": "/ask?q=what%20does%20Anna%20prefer",
    "review": "/review",
    "decay": "/decay",
    "heartbeat": "/heartbeat",
    "domains": "/domains",
    "domain": "/domains/release",
    "sessions": "/sessions",
    "session": "/sessions/chat",
    "health": "/health",
}
HOSTILE = VIEWS | {
    "entity": "/entity/people/eve",
    "fact": "/fact/people/eve-004",
    "ask": "/ask?q=what%20did%20Eve%20say",
}
del HOSTILE["domain"]
PHONE = {"width": 360, "height": 740}
MISSING = re.compile(
    r"\b(?:shell|today|graph|entity|fact|ask|review|decay|heartbeat|domains|sessions|health|parts)\.[a-z][\w-]+"
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return make_store(tmp_path_factory.mktemp("ui") / "store")


@pytest.fixture(scope="module")
def link(store: Workspace) -> Iterator[str]:
    with serving(store.paths.root) as shown:
        yield shown


@pytest.fixture(scope="module")
def hostile_link(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(make_hostile_store(tmp_path_factory.mktemp("hostile") / "store").paths.root) as shown:
        yield shown


def show(page: "Page", link: str, place: str) -> None:
    """Open a view with the link's token, and wait until what it asked for is there."""
    enter(page, link)
    page.goto(f"{link.partition('?')[0].rstrip('/')}{place}")
    settle(page)


def settle(page: "Page") -> None:
    page.locator("main h1, main .empty").first.wait_for()
    page.locator("main .loading").first.wait_for(state="detached")


def heading(page: "Page") -> str:
    return str(page.locator("main h1").first.inner_text())


@for_each("view", VIEWS)
def test_a_view_has_a_heading_no_trouble_and_survives_a_reload(link: str, page: "Page", view: str) -> None:
    show(page, link, VIEWS[view])
    assert page.locator("main .problem").count() == 0
    assert page.locator("main h1").count() == 1
    before, address = heading(page), page.url
    page.reload()
    settle(page)
    assert (heading(page), page.url) == (before, address)


@for_each("view", VIEWS)
def test_a_view_bars_nobody_in_light_and_in_dark(link: str, browser: "Browser", view: str) -> None:
    for colours in ("light", "dark"):
        with looking(browser, color_scheme=colours, locale="en-GB") as page:
            show(page, link, VIEWS[view])
            assert barriers(page) == []


@for_each("view", VIEWS)
def test_a_view_fits_a_phone(link: str, browser: "Browser", view: str) -> None:
    with looking(browser, viewport=PHONE, locale="en-GB") as page:
        show(page, link, VIEWS[view])
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


@for_each("view", VIEWS)
def test_a_view_speaks_every_language(link: str, browser: "Browser", view: str) -> None:
    spoken = set()
    for locale in ("en-GB", "ru-RU", "zh-CN", "ko-KR"):
        with looking(browser, locale=locale) as page:
            show(page, link, VIEWS[view])
            text = page.locator("body").inner_text()
            assert MISSING.findall(text) == []
            spoken.add(page.locator("nav").first.inner_text())
    assert len(spoken) == 4


@for_each("view", HOSTILE)
def test_hostile_text_is_text(hostile_link: str, page: "Page", view: str) -> None:
    show(page, hostile_link, HOSTILE[view])
    assert page.locator("main h1").count() == 1
    assert page.locator("main .problem").count() == 0
    page.evaluate(
        "Promise.allSettled([...document.images].map((one) => one.decode()))"
    )  # one that fails has run its script
    assert page.evaluate("window.hacked") is None
    assert page.locator("main img, main script, main iframe, main b:has-text('0'), main i:has-text('0')").count() == 0
    assert "\u202e" not in page.locator("main").inner_text()


def test_a_page_in_a_frame_shows_nothing(link: str, browser: "Browser", tmp_path: Path) -> None:
    view = f"{link.partition('?')[0].rstrip('/')}/health"
    (tmp_path / "frame.html").write_text(f"<iframe src='{view}'></iframe>", encoding="utf-8")
    # Another port of the same host is the same site: a framed page has its cookie there. Only the policy forbids it.
    with other_site(tmp_path) as site, browser.new_context() as context:  # not `page`: the refusal is in its console
        page = context.new_page()
        page.goto(link)
        page.get_by_role("navigation").wait_for()
        with page.expect_event("console", lambda said: "frame" in said.text.casefold()):
            page.goto(f"{site}/frame.html")
        (framed,) = page.frames[1:]
        assert framed.locator("nav").count() == 0


@contextlib.contextmanager
def other_site(folder: Path) -> Iterator[str]:
    """Serve a folder on another port of loopback."""
    handler = functools.partial(_Silent, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base class calls it
        pass


def test_an_empty_store_says_in_each_view_what_to_do(workspace: Workspace, browser: "Browser", tmp_path: Path) -> None:
    root = tmp_path / "empty"
    shutil.copytree(workspace.paths.root, root)
    with serving(root) as empty, looking(browser, locale="en-GB") as page:
        for view in ("today", "graph", "ask", "review", "decay", "heartbeat", "domains", "sessions", "health"):
            show(page, empty, VIEWS[view].partition("?")[0])
            assert page.locator("main .problem").count() == 0, view
            assert len(page.locator("main").inner_text()) > 40, view
