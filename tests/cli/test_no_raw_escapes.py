"""Nothing that is stored reaches a terminal as an order to it, whoever wrote the file that it stands in."""

import pytest

from engram.cli.terminal.streams import without_orders
from engram.workspace import Workspace
from tests.conftest import Engram

ORDER = "\x1b]0;owned\x07\x1b[2J\x9b31mteaspoon\x08\x7f"
DAY = "2026-03-02"


@pytest.fixture
def planted(workspace: Workspace, engram: Engram) -> Workspace:
    """A workspace in whose files somebody wrote orders to a terminal, by hand."""
    engram("write", "--entity", "people/anna", "--create", "--fact", "Anna prefers tea", "--category", "preference")
    engram("note", "add", "Decided: the billing service moves to PostgreSQL 16", "--section", "decisions")
    engram("handoff", "write", "Ship the release")
    engram("working-memory", "set", "The release")
    engram("decision", "log", "Tea it is", "--tag", "tea")
    engram("domain", "add", "shop", "--type", "dev-project")
    paths = workspace.paths
    files = [*paths.memory.rglob("*.md"), *paths.life.rglob("*.md"), paths.self_file]
    for file in files:
        text = file.read_text()
        file.write_text(text.replace("tea", f"tea{ORDER}").replace("release", f"release{ORDER}") + f"- It is {ORDER}\n")
    (paths.memory / "main" / "main" / f"odd\x1b[2J{DAY}.md").write_text("- Anna prefers coffee\n")
    (paths.spool / "00000000000000000001-0-\x1b[2J.json").write_text("no command")
    return workspace


# Not the archive of `engram export -`: its bytes are hashed, and for a file.
DOORS: tuple[tuple[str, ...], ...] = (
    ("note", "show"),
    ("handoff", "read"),
    ("handoff", "history"),
    ("working-memory", "show"),
    ("decision", "list"),
    ("domain", "show", "shop"),
    ("domain", "context", "shop"),
    ("domain", "list"),
    ("context",),
    ("recall", "tea"),
    ("recall", "teaspoon"),
    ("recall", "tea", "--explain"),
    ("heartbeat", "run"),
    ("facts", "--status", "all"),
    ("show", "people/anna-001"),
    ("history", "people/anna-001"),
    ("why", "people/anna-001"),
    ("entity", "show", "people/anna"),
    ("entity", "list"),
    ("timeline", "people/anna"),
    ("graph", "communities"),
    ("graph", "export", "--format", "dot"),
    ("ask", "latest", "people/anna"),
    ("review",),
    ("tension", "list"),
    ("observe", "--list"),
    ("diff", "1..9"),
    ("session", "list"),
    ("heartbeat", "log"),
    ("heartbeat", "alerts"),
    ("status",),
    ("doctor",),
    ("doctor", "--fix"),
    ("verify",),
    ("rebuild", "all"),
    ("sql", "SELECT * FROM facts_all"),
    ("forget", "people/anna-001", "--reason", "asked", "--yes"),
)


def test_no_door_prints_an_order_to_the_terminal(planted: Workspace, engram: Engram) -> None:
    leaks = []
    for command in DOORS:
        for options in ((), ("--json",)):
            answer = engram(*options, *command)
            if any(sign in answer.out + answer.err for sign in "\x1b\x07\x08\x7f\x9b"):
                leaks.append((*options, *command))

    assert leaks == []


@pytest.mark.parametrize(
    ("words", "styled", "shown"),
    [
        ("\x1b[2mdim\x1b[0m \x1b[31mred\x1b[0m", True, "\x1b[2mdim\x1b[0m \x1b[31mred\x1b[0m"),
        ("\x1b[2mdim\x1b[0m", False, "\ufffd[2mdim\ufffd[0m"),
        (
            "\x1b[8mhidden\x1b[2J\x1b]0;title\x07\x9b2J\r",
            True,
            "\ufffd[8mhidden\ufffd[2J\ufffd]0;title\ufffd\ufffd2J\ufffd",
        ),
        ("two\nlines\tand a tab", True, "two\nlines\tand a tab"),
        ("photo\u202egnp.exe \u202dx", True, "photo\ufffdgnp.exe \ufffdx"),  # would read photoexe.png
    ],
)
def test_what_makes_words_dim_or_coloured_stays_where_the_answer_is_styled(
    words: str, styled: bool, shown: str
) -> None:
    assert without_orders(words, styled=styled) == shown
