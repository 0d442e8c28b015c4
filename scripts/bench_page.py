"""How fast the page answers on a large store, in a real browser: scripts/bench page [--entities N] [--facts N].

Each view is opened anew three times; printed is the slowest: until its data is there, and until it stands on the
screen. Of the graph also how many pictures a second it draws while it is moved.
"""

import argparse
import tempfile
import time
from pathlib import Path

import page_pictures
from large_store import make_large_store
from playwright.sync_api import Page
from playwright.sync_api import sync_playwright

from tests.ui.conftest import OPTIONS
from tests.ui.conftest import find_browser
from tests.ui.conftest import serving_process

ROUNDS = 3
VIEW_S = 1.5  # asked: each view answers within
GRAPH_S = 2.0  # asked: the graph is drawn within
_ANSWERS = """() => performance.getEntriesByType("resource")
    .filter((one) => one.name.includes("/api/") && !one.name.endsWith("/live"))
    .reduce((longest, one) => Math.max(longest, one.responseEnd - one.startTime), 0)"""
_FRAMES = """() => new Promise((done) => {
    let frames = 0;
    const begin = performance.now();
    const next = () => (++frames, performance.now() - begin < 2000 ? requestAnimationFrame(next) : done(frames / 2));
    requestAnimationFrame(next);
})"""


def main() -> None:
    """Make the store, open each view and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entities", type=int, default=2000)
    parser.add_argument("--facts", type=int, default=100_000)
    parser.add_argument("--store", type=Path, help="a workspace that is there already")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="engram-") as scratch, sync_playwright() as playwright:
        root = options.store or _made(Path(scratch) / "large", options.entities, options.facts)
        shown = page_pictures.named("large", root)
        browser = playwright.chromium.launch(executable_path=find_browser(), args=OPTIONS)
        with serving_process(root) as link:
            page = browser.new_context(viewport={"width": 1280, "height": 860}).new_page()
            page.goto(link)
            begin = link.partition("?")[0].rstrip("/")
            print(f"{'view':12}{'data s':>8}{'shown s':>9}{'asked s':>9}")
            for view, place in shown.views():
                rounds = [opened(page, f"{begin}{place}") for _ in range(ROUNDS)]
                data, drawn = (max(one[part] for one in rounds) for part in (0, 1))
                print(f"{view:12}{data:8.2f}{drawn:9.2f}{GRAPH_S if view == 'graph' else VIEW_S:9.1f}", flush=True)
            page.goto(f"{begin}/graph")
            page_pictures.settle(page)
            print(f"graph while it rests: {page.evaluate(_FRAMES):.0f} pictures/s")
        browser.close()


def _made(root: Path, entities: int, facts: int) -> Path:
    """Make a large store as a heartbeat leaves it: with its index."""
    make_large_store(root, entities, facts).index.complete()
    return root


def opened(page: Page, url: str) -> tuple[float, float]:
    """Open a view; return the seconds until its slowest answer was there, and until it stood on the screen."""
    begin = time.monotonic()
    page.goto(url)
    page.locator("main h1, main .empty").first.wait_for()
    page.locator("main .loading").first.wait_for(state="detached")
    drawn = time.monotonic() - begin
    return page.evaluate(_ANSWERS) / 1000, drawn


if __name__ == "__main__":
    main()
