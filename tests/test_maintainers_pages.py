"""The pages for maintainers name what is there: scripts, decisions, and the files that they send the reader to."""

import re
from pathlib import Path

from tests.cases import for_each

ROOT = Path(__file__).resolve().parent.parent
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("0*.md"))
PAGES = [*(ROOT / "docs").glob("[A-Z]*.md"), *DECISIONS, *ROOT.glob("CONTRIBUTING.md"), ROOT / "scripts/README.md"]
_PLACES = ("engram/", "tests/", "scripts/", "docs/", "references/", "plugins/")


def test_every_script_has_its_line() -> None:
    page = (ROOT / "scripts" / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"^\* `([^`]+?)/?`: \S", page, flags=re.MULTILINE)
    there = [path.name for path in (ROOT / "scripts").iterdir() if path.name not in {"README.md", "__pycache__"}]

    assert sorted(there) == sorted(named)


@for_each("record", DECISIONS)
def test_a_decision_says_in_which_context_what_was_decided_at_what_price(record: Path) -> None:
    text = record.read_text(encoding="utf-8")

    assert re.match(rf"# {record.name[:4]}: \S", text)
    assert re.findall(r"^## (.+)$", text, flags=re.MULTILINE) == ["Context", "Decision", "Price"]
    assert text.partition("## Price")[2].count("\n* ") >= 2


def test_the_list_of_decisions_names_each_by_its_title() -> None:
    page = (ROOT / "docs" / "decisions" / "README.md").read_text(encoding="utf-8")
    titles = {path.name: path.read_text(encoding="utf-8").splitlines()[0][8:] for path in DECISIONS}

    assert len(titles) >= 10
    assert titles == dict(re.findall(r"^\| \[\d{4}\]\((.+?)\) \| (.+?) \|$", page, flags=re.MULTILINE))


@for_each("page", PAGES)
def test_a_file_that_a_page_names_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = [name for name in re.findall(r"`([\w./-]+)`", text) if name.startswith(_PLACES) and "NAME" not in name]
    linked = [link.partition("#")[0] for link in re.findall(r"\]\((?!https?:)([^)]+)\)", text)]

    assert [name for name in named if not (ROOT / name).exists()] == []
    assert [link for link in linked if link and not (page.parent / link).exists()] == []
