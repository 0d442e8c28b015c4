"""The documentation says what the code does."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from engram import __version__
from tests.cases import for_each

ROOT = Path(__file__).resolve().parent.parent
WORDS = (ROOT / "docs" / "WORDS.md").read_text(encoding="utf-8")
CODE = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "engram").rglob("*.py"))).casefold()
VOCABULARY = [
    *("entity", "fact", "draft", "signal", "provenance", "source", "record", "confirm", "supersede", "retract"),
    *("journal", "position", "command", "change", "consumer", "watermark", "projection", "mirror", "envelope", "spool"),
    *("session", "turn", "transcript", "judgement", "contradiction", "tension", "observation", "domain"),
    *("heartbeat", "run", "phase", "hit"),
]


def words() -> dict[str, str]:
    """Return the vocabulary of docs/WORDS.md: word -> meaning."""
    rows = re.findall(r"^\| ([a-z]+) \| (.+) \|$", WORDS, flags=re.MULTILINE)
    return {word: meaning for word, meaning in rows if word != "word"}


@for_each("word", VOCABULARY)
def test_every_word_of_the_vocabulary_has_an_entry(word: str) -> None:
    assert word in words() or any(word in meaning for meaning in words().values())


@for_each("word", sorted(set(words())))
def test_every_entry_is_a_word_that_was_agreed_on_and_stands_in_the_code(word: str) -> None:
    assert word in VOCABULARY
    assert re.search(rf"(?<![a-z]){word}(?:s|es)?(?![a-z])", CODE)


def test_the_generated_pages_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "docs", "--check"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr


@for_each("table", ["recall", "agents", "heartbeat and page"])
def test_what_a_table_of_features_names_is_shown_by_tests_that_are_there(table: str) -> None:
    page = (ROOT / "docs" / "HOW_IT_WORKS.md").read_text(encoding="utf-8")
    rows = page.partition(f"<!-- features: {table} -->\n")[2].partition("<!-- end -->")[0].splitlines()[2:]
    named = [re.findall(r"`(test_\w+)`", row) for row in rows]
    tests = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))

    assert len(named) > 1
    assert all(named)
    assert [name for row in named for name in row if f"def {name}(" not in tests] == []


def test_the_changelog_begins_with_this_version_and_says_what_was_what_is_and_what_to_do() -> None:
    entries = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]

    assert entries[0].startswith(__version__)
    for entry in entries:
        assert all(mark in entry for mark in ("**Was:**", "**Is:**", "**Do:**"))


def test_every_column_of_the_schema_says_what_it_holds() -> None:
    schema = (ROOT / "engram/store/database/sql/schema.sql").read_text(encoding="utf-8")
    columns = [
        line for line in schema.splitlines() if re.match(r"^    \S+ [A-Z]", line) and "PRIMARY KEY (" not in line
    ]

    assert len(columns) > 50
    assert [line for line in columns if "--" not in line] == []


def test_no_file_of_the_repository_names_a_place_on_somebodys_machine() -> None:
    names = re.compile(r"/(?:root|home/\w+|opt|Users/\w+)/|/work/(?:main|shared)")
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("not a git checkout: the list of files comes from git")
    found = []
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if (
            path.is_file()
            and path != Path(__file__)
            and names.search(path.read_text(encoding="utf-8", errors="replace"))
        ):
            found.append(name)

    assert found == []
