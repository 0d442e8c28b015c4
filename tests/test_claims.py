"""Each claim of the README has a test or a command that shows it, and the table of them is true."""

import functools
import re
from pathlib import Path

import click

from engram.cli.main import cli
from tests.cases import for_each

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SECURITY = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
TABLE = (ROOT / "docs" / "CLAIMS.md").read_text(encoding="utf-8")
PROMISES = re.findall(
    r"^\| (?!promise|---)(.+?) \| (.+) \|$",
    SECURITY.partition("<!-- promises -->")[2].partition("<!-- end -->")[0],
    flags=re.MULTILINE,
)
CLAIMS = [
    (claim, tuple(re.findall(r"`([^`]+)`", shown)))
    for claim, shown in re.findall(r"^\| (?!claim|---)(.+?) \| (.+) \|$", TABLE, flags=re.MULTILINE)
]


def flat(text: str) -> str:
    """Return text with single spaces, as it is read."""
    return " ".join(text.split())


def section(title: str) -> str:
    """Return what stands below a heading of the README."""
    return README.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def points() -> list[str]:
    """Return every reason, figure and limit of the README."""
    reasons = re.split(r"^\d\. ", section("Five reasons"), flags=re.MULTILINE)[1:]
    figures = re.findall(r"^\| (?!\| |---)(.+)$", section("How it compares"), flags=re.MULTILINE)
    limits = re.split(r"^\* ", section("Limits").partition("\n\n[")[0], flags=re.MULTILINE)[1:]
    return [*reasons, *figures, *limits]


@functools.cache
def all_tests() -> set[str]:
    """Return the names of all tests."""
    files = (path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    return {name for text in files for name in re.findall(r"^def (test_\w+)\(", text, flags=re.MULTILINE)}


def is_there(shown: str) -> bool:
    """Tell whether a test, a script or a command of that name exists."""
    if shown.startswith("test_"):
        return shown in all_tests()
    if shown.startswith("scripts/bench "):
        name = shown.split()[1]
        return name == "start-up" or (ROOT / "scripts" / f"bench_{name.replace('-', '_')}.py").is_file()
    if shown.startswith("engram "):
        return cli.get_command(click.Context(cli), shown.split()[1]) is not None
    return (ROOT / shown).is_file()


def test_the_readme_has_reasons_figures_and_limits() -> None:
    assert len(points()) >= 5 + 2 + 10


@for_each(("claim", "shown"), CLAIMS)
def test_a_claim_stands_in_the_readme_and_what_shows_it_is_there(claim: str, shown: tuple[str, ...]) -> None:
    assert claim in flat(README)
    assert shown
    assert [one for one in shown if not is_there(one)] == []


@for_each("point", points())
def test_no_reason_figure_or_limit_goes_without_a_claim(point: str) -> None:
    assert any(claim in flat(point) for claim, _ in CLAIMS)


@for_each("name", ["test_that_never_was", "scripts/bench nothing", "engram nothing", "scripts/nothing"])
def test_what_is_not_there_is_known_for_missing(name: str) -> None:
    assert not is_there(name)


@for_each(("promise", "shown"), PROMISES)
def test_each_promise_of_security_is_shown_by_tests_that_are_there(promise: str, shown: str) -> None:
    named = re.findall(r"`([^`]+)`", shown)

    assert named, promise
    assert [one for one in named if not is_there(one)] == []
