"""Takes pictures of every view of the page: python scripts/page_pictures.py [--into FOLDER] [--large] [--only VIEW].

An empty store, one of four invented weeks and, with --large, one of 2,000 entities and 100,000 facts are shown in
light, in dark and at the width of a phone. Needs the group `browser` and Chromium; touches no network.
"""

import argparse
import datetime as dt
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from typing import NamedTuple

from large_store import make_large_store
from PIL import Image
from playwright.sync_api import Browser
from playwright.sync_api import Page
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.newcomer import history  # noqa: E402 - found through the line above
from tests.newcomer.stand_ins import put_crontab  # noqa: E402
from tests.ui.conftest import OPTIONS  # noqa: E402
from tests.ui.conftest import find_browser  # noqa: E402
from tests.ui.conftest import serving_process  # noqa: E402

PICTURES = ROOT / "docs" / "pictures" / "page"
COLOURS = 128  # of a picture that is kept
SETTLES_MS = 1200  # for what moves, such as a graph that is laid out
WEEKS = 5  # of invented conversations
ANSWERS_S = 60.0


class Screen(NamedTuple):
    """How a view is looked at."""

    name: str
    width: int
    height: int
    colours: str  # light or dark


LIGHT = Screen("light", 1280, 860, "light")
DARK = Screen("dark", 1280, 860, "dark")
PHONE = Screen("phone", 390, 844, "light")
SCREENS = (LIGHT, DARK, PHONE)


class Shown(NamedTuple):
    """A store, and what of it the views that show one thing show."""

    name: str
    root: Path
    entity: str
    fact: str
    question: str

    def views(self) -> Iterator[tuple[str, str]]:
        """Yield the name of each view and its address."""
        for view in ("today", "graph"):
            yield view, f"/{view}"
        if self.entity:
            yield "entity", f"/entity/{self.entity}"
            yield "fact", f"/fact/{self.fact}"
        yield "ask", f"/ask?q={self.question}" if self.question else "/ask"
        for view in ("review", "decay", "heartbeat", "domains", "sessions", "health"):
            yield view, f"/{view}"


def main() -> int:
    """Make the stores, open each view and write what stands on the screen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=PICTURES)
    parser.add_argument("--large", action="store_true", help="also a store of 100,000 facts; made in two minutes")
    parser.add_argument("--store", type=Path, help="a workspace of your own instead, such as one of real notes")
    parser.add_argument("--screen", choices=[one.name for one in SCREENS], help="one of them")
    parser.add_argument("--only", help="one view")
    options = parser.parse_args()
    options.into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="engram-") as scratch, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=OPTIONS)
        for shown in stores(Path(scratch), options):
            with serving_process(shown.root) as link:
                for screen in SCREENS:
                    if options.screen in {None, screen.name}:
                        take_all(browser, link, shown, screen, options)
        browser.close()
    return 0


def stores(scratch: Path, options: argparse.Namespace) -> Iterator[Shown]:
    """Yield the stores that are shown."""
    if options.store:
        yield named(options.store.name, options.store)
        return
    yield Shown("empty", make_empty(scratch / "empty"), "", "", "")
    yield named("demo", make_demo(scratch / "home"), entity="projects/tidewatch", question="what runs tidewatch")
    if options.large:
        workspace = make_large_store(scratch / "large", 2000, 100_000)
        workspace.index.complete()
        yield named("large", workspace.paths.root, entity="people/name-7")


def named(name: str, root: Path, entity: str = "", question: str = "") -> Shown:
    """Return a store with an entity and a fact of it to show: those given, else those that most is known of."""
    listed = engram_json(root, "entity", "list")["entities"]
    path = entity or max(listed, key=lambda one: one["facts"])["path"]
    facts = engram_json(root, "facts", "--entity", path)["facts"]
    fact = max(facts, key=lambda one: one["version"])
    return Shown(name, root, path, fact["id"], question or fact["text"][:60])


def take_all(browser: Browser, link: str, shown: Shown, screen: Screen, options: argparse.Namespace) -> None:
    """Take a picture of every view on one screen."""
    size = {"width": screen.width, "height": screen.height}
    context = browser.new_context(viewport=size, color_scheme=screen.colours, locale="en-GB")
    page = context.new_page()
    page.goto(link)
    begin = link.partition("?")[0].rstrip("/")
    for view, place in shown.views():
        if options.only in {None, view}:
            page.goto(f"{begin}{place}")
            settle(page)
            keep(page.screenshot(), options.into / f"{shown.name}-{view}-{screen.name}.png")
    context.close()


def settle(page: Page) -> None:
    """Wait until nothing is loaded any more and what moves has come to rest."""
    page.locator("main h1, main .empty").first.wait_for(timeout=ANSWERS_S * 1000)
    page.locator("main .loading").first.wait_for(state="detached", timeout=ANSWERS_S * 1000)
    page.wait_for_timeout(SETTLES_MS)


def keep(picture: bytes, file: Path) -> None:
    """Write a picture in few colours: it is read as well, and is a third as large."""
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)


def make_empty(root: Path) -> Path:
    """Make a workspace in which nothing was said."""
    engram(root.parent, "init", str(root), "--owner", "Mara Lind")
    return root


def make_demo(home: Path) -> Path:
    """Make a workspace as `engram setup` does, of conversations that ended today, and let a week of changes follow."""
    today = dt.datetime.now(dt.UTC).date()
    monday = today - dt.timedelta(days=today.weekday() + 7 * WEEKS)
    history.MONDAY = monday  # type: ignore[attr-defined] # the invented past ends this week
    history.write_past(home)
    put_crontab(home / "bin", home / "kept-crontab")
    (home / ".gitconfig").write_text("[user]\n\tname = Mara Lind\n", encoding="utf-8")
    engram(home, "setup", "--yes", home=home)
    history.write_changes(home)
    engram(home, "capture", "--discover", "--yes", home=home)
    engram(home, "heartbeat", "run", home=home)
    root = home / "engram"
    engram(
        root, "domain", "add", "release", "--type", "dev-project", "--description", "Ships the next release", home=home
    )
    engram(root, "domain", "log", "release", "The branch for 2.0 is cut", home=home)
    engram(root, "domain", "propose", "release", "Tidewatch is released on Thursdays", home=home)
    return root


def engram(folder: Path, *arguments: str, home: Path | None = None) -> str:
    """Run one command as a process; end the script when it fails."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "TZ": "UTC"}
    if home is not None:
        environment |= {"HOME": str(home), "PATH": f"{home / 'bin'}:/usr/bin:/bin"}
        environment.pop("XDG_CONFIG_HOME", None)
    command = [sys.executable, "-m", "engram", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)} left with {done.returncode}: {done.stderr}")
    return done.stdout


def engram_json(root: Path, *arguments: str) -> Any:
    """Run one command on a workspace and return what it says as JSON."""
    return json.loads(engram(root, *arguments, "--json"))


if __name__ == "__main__":
    sys.exit(main())
