"""A real browser in front of a real `engram ui`: no error in its console, and no request that leaves this machine."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests import forked

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OPTIONS = [
    "--no-sandbox",  # the tests' own pages alone, often as root in a container
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",  # WebGL without a graphics card
]
ENDS_S = 60.0
PATIENCE_MS = 120_000  # for one thing to appear, on a machine that does much else

Serve = Callable[..., str]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what lies here: `scripts/test ui` runs it."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker("browser")


def find_browser() -> str:
    """Return the program of a Chromium on this machine; fail when there is none."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if not found:
        pytest.fail("no Chromium was found: install the package chromium, or name it with CHROMIUM=/path/to/chromium")
    return found


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """One browser for the whole run; each test has a context of its own in it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=find_browser(), args=OPTIONS)
        yield started
        started.close()


@contextlib.contextmanager
def serving(root: Path, *options: str) -> Iterator[str]:
    """Run `engram ui` until the end of the block, in a process that is forked; give its link."""
    words = ["--workspace", str(root), "ui", "--json", "--no-open", *options]
    reading, writing = os.pipe()
    with open(os.devnull, "rb") as nothing, os.fdopen(reading) as said:  # noqa: PTH123 - no file
        process = forked.start((nothing.fileno(), writing, sys.stderr.fileno()), words)
        os.close(writing)
        try:
            yield str(json.loads(said.readline())["url"])
        finally:
            with contextlib.suppress(ProcessLookupError):  # it could not start
                os.kill(process.pid, signal.SIGTERM)
            process.wait()


@contextlib.contextmanager
def serving_process(root: Path, *options: str) -> Iterator[str]:
    """Run `engram ui` as `serving` does, in a process of its own: for who measures it."""
    command = [sys.executable, "-m", "engram", "--workspace", str(root), "ui", "--json", "--no-open", *options]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield str(json.loads(process.stdout.readline())["url"])
        finally:
            process.terminate()
            process.wait(ENDS_S)


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start `engram ui` on a workspace's folder, with options, for the length of the test; returns its link."""
    with contextlib.ExitStack() as stack:
        yield lambda root, *options: stack.enter_context(serving(Path(root), *options))


@contextlib.contextmanager
def looking(browser: "Browser", **how: object) -> Iterator["Page"]:
    """Open a tab with a context of its own; what went wrong in it, or left this machine, fails the test at the end."""
    context = browser.new_context(**how)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda problem: wrong.append(str(problem)))
    page.on("request", lambda asked: wrong.append(asked.url) if _leaves(asked.url) else None)
    try:
        yield page
        assert wrong == []
    finally:
        context.close()


@pytest.fixture
def page(browser: "Browser") -> Iterator["Page"]:
    """A tab of 1280 by 800 in English; see `looking`."""
    with looking(browser, locale="en-GB", viewport={"width": 1280, "height": 800}) as opened:
        yield opened


def enter(page: "Page", link: str) -> None:
    """Let a tab in by its link, as opening it does, but draw nothing: most tests look at another view than its own."""
    assert page.context.request.get(link).ok


def press(page: "Page", key: str) -> None:
    """Press a key as soon as what is shown listens to it."""
    page.locator(f'html[data-keys~="{key}"]').wait_for(state="attached")
    page.keyboard.press(key)


def _leaves(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme not in {"data", "blob", "file"} and parts.hostname != "127.0.0.1"
