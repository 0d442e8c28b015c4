"""Words that people bring along do what is meant, and a mistyped name is answered with the names like it."""

import pytest

from engram.workspace import Workspace
from tests.cases import for_each
from tests.conftest import Engram
from tests.conftest import WorkspaceWith
from tests.conftest import engram_in


def write_tea(workspace: Workspace) -> None:
    engram_in(workspace)("write", "--entity", "people/anna", "--create", "--fact", "Anna prefers green tea")


@pytest.fixture
def tea(workspace_with: WorkspaceWith) -> str:
    """The id of a fact about Anna."""
    workspace_with(write_tea)
    return "people/anna-001"


@pytest.mark.parametrize(
    ("brought", "meant"),
    [
        (["list"], ["facts"]),
        (["list", "--entity", "people/anna"], ["facts", "--entity", "people/anna"]),
        (["list", "entities"], ["entity", "list"]),
        (["List"], ["facts"]),
        (["fact"], ["facts"]),
        (["fact", "anna-001"], ["show", "anna-001"]),
        (["entities"], ["entity", "list"]),
        (["entities", "show", "people/anna"], ["entity", "show", "people/anna"]),
        (["notes"], ["note", "show"]),
        (["summary", "anna"], ["entity", "show", "anna"]),
        (["sessions"], ["session", "list"]),
        (["decisions"], ["decision", "list"]),
        (["tensions"], ["tension", "list"]),
        (["observations"], ["observe", "--list"]),
        (["domains"], ["domain", "list"]),
        (["reviews"], ["review", "list"]),
        (["handoffs"], ["handoff", "history"]),
        (["contradiction", "--entity", "anna", "--fact", "x"], ["contradictions", "--entity", "anna", "--fact", "x"]),
    ],
)
def test_another_word_answers_as_the_command_does(
    engram: Engram, tea: str, brought: list[str], meant: list[str]
) -> None:
    expected, found = engram(*meant, "--json"), engram(*brought, "--json")

    assert (expected.code, expected.out, expected.err) == (found.code, found.out, found.err)
    assert found.code != 2, found.err


def test_search_asks_the_memory(engram: Engram, tea: str) -> None:
    found = engram("search", "what tea does Anna prefer", "--json").json

    assert [tea] == [hit["id"] for hit in found["hits"]]


@pytest.mark.parametrize("word", ["add", "remember"])
def test_add_and_remember_record_a_fact(engram: Engram, word: str) -> None:
    answer = engram(word, "--entity", "people/boris", "--create", "--fact", "Boris plays chess", "--json")

    assert (answer.json["status"], answer.json["fact"]["text"]) == ("created", "Boris plays chess")


def test_the_help_names_each_word_once_beside_its_command(engram: Engram) -> None:
    lines = engram("--help").out.split("Other words for them:")[1].splitlines()

    rows = {line.split("  ")[1]: line.split()[-1] for line in lines if line.startswith("  ") and "engram" not in line}
    assert rows == {"add, remember": "write", "search": "recall", "list": "facts"}


def test_a_summary_of_nothing_is_answered_with_what_shows_one(engram: Engram) -> None:
    answer = engram("summary")

    assert answer.code == 2
    assert "hint: engram entity show NAME " in answer.err


@pytest.mark.parametrize(("typed", "meant"), [("wriet", "write"), ("recal", "recall"), ("hearbeat", "heartbeat")])
def test_a_mistyped_name_is_answered_with_the_one_like_it(engram: Engram, typed: str, meant: str) -> None:
    answer = engram(typed)

    assert answer.code == 2
    assert f"did you mean {meant}" in answer.err


def test_a_mistyped_name_below_a_command_is_answered_too(engram: Engram) -> None:
    assert "did you mean list?" in engram("entity", "lst").err


@pytest.mark.parametrize("args", [["qqqqq"], ["entity", "qqqqq"], [""], ["привет"]])
def test_without_likeness_nothing_is_suggested(engram: Engram, args: list[str]) -> None:
    answer = engram(*args)

    assert answer.code == 2
    assert "did you mean" not in answer.err
    assert f"no command is called {args[-1]!r}" in answer.err


@for_each(
    ("args", "meant"),
    [
        (["recal"], "did you mean recall?"),
        (["instal"], "no command is called 'instal'\n"),
        (["hooks", "instal"], "did you mean install?"),
        (["sesions"], "did you mean session?"),
        (["remove"], "no command is called 'remove'\n"),
        (["delete"], "no command is called 'delete'\n"),
        (["entity", "lsit"], "did you mean list?"),
        (["heartbeat", "rnu"], "did you mean run?"),
        (["facts", "--entitty", "x"], "did you mean --entity? ("),
        (["write", "--categry", "x"], "did you mean --category? ("),
        (["entity", "show", "ana"], "did you mean people/anna? ("),
        (["entity", "show", "zzzzz"], "engram entity list shows what there is"),
        (["config", "decay.hotdays"], "did you mean decay.hot_days? ("),
        (["config", "zzzzz"], "hint: engram config lists every setting"),
        (["hooks"], "engram hooks needs one of its commands: flush, install"),
        (["tensions", "shw"], "did you mean show?"),
    ],
)
def test_a_mistake_is_answered_with_what_is_most_like_it_or_nothing(
    engram: Engram, tea: str, args: list[str], meant: str
) -> None:
    answer = engram(*args)

    assert answer.code in {2, 3}, tea
    assert meant in answer.err


def test_help_is_a_word_for_it(engram: Engram) -> None:
    assert engram("--help").out == engram("help").out
    assert engram("facts", "--help").out == engram("help", "facts").out


@for_each(
    ("said", "meant"),
    [
        (["note", "Anna called today"], "engram note add 'Anna called today'"),
        (["decision", "add", "Use pnpm"], "engram decision log ..."),
        (["decision", "We chose DuckDB"], "engram decision log 'We chose DuckDB'"),
        (["handoff", "Finish the importer"], "engram handoff write 'Finish the importer'"),
        (["entity", "anna"], "engram entity show anna"),
        (["domain", "anna"], "engram domain --help"),
    ],
)
def test_words_behind_a_command_that_has_others_are_led_to_the_one_that_takes_them(
    engram: Engram, said: list[str], meant: str
) -> None:
    answer = engram(*said)

    assert answer.code == 2
    assert f"hint: {meant}\n" in answer.err
