"""The same words get the same answer at each door: the command line, the tools of MCP, and Python."""

import json
from collections.abc import Callable

import pytest

from engram import Memory
from engram import open as open_memory
from engram.cli.options import check_text
from engram.errors import BadValueError
from engram.errors import EngramError
from engram.mcp.answers import Caller
from engram.mcp.tools import call_tool
from engram.workspace import Workspace
from tests.conftest import Engram

REFUSED = {
    "C0": "\x07",
    "the first": "\x00",
    "an escape": "\x1b",
    "delete": "\x7f",
    "C1, a new line": "\x85",
    "C1, an escape": "\x9b",
    "half a pair": "\ud800",
    "a byte that is no UTF-8": "\udce9",
}
TAKEN = {"tab": "\t", "new line": "\n", "carriage return": "\r", "no-break space": "\xa0"}
ASKED = "What does Anna{}drink?"
SAID = "Anna prefers{}tea"


def tool(workspace: Workspace, name: str, **arguments: object) -> str:
    try:
        answer = call_tool(workspace, Caller(), name, arguments)
    except EngramError as problem:
        return problem.code
    return str(answer.value.get("error") or "")


def python(workspace: Workspace, call: Callable[[Memory], object]) -> str:
    with open_memory(workspace.paths.root) as memory:
        try:
            call(memory)
        except EngramError as problem:
            return problem.code
    return ""


@pytest.mark.parametrize("sign", REFUSED.values(), ids=REFUSED)
def test_a_question_with_a_control_character_is_refused_at_each_door(
    engram: Engram, workspace: Workspace, sign: str
) -> None:
    asked = ASKED.format(sign)

    line = engram("recall", asked, "--json")

    assert line.code == BadValueError.exit_code
    assert tool(workspace, "memory_recall", query=asked) == "BadValue"
    assert python(workspace, lambda memory: memory.recall(asked)) == "BadValue"


@pytest.mark.parametrize("sign", REFUSED.values(), ids=REFUSED)
def test_a_statement_with_a_control_character_is_refused_at_each_door(
    engram: Engram, workspace: Workspace, sign: str
) -> None:
    said = SAID.format(sign)

    line = engram("write", "--entity", "people/anna", "--create", "--fact", said, "--json")

    assert line.code == BadValueError.exit_code
    assert tool(workspace, "memory_remember", entity="people/anna", fact=said) == "BadValue"
    assert python(workspace, lambda memory: memory.write("people/anna", said, create=True)) == "BadValue"
    assert not workspace.paths.spool.exists() or not workspace.spool.waiting()


@pytest.mark.parametrize("sign", TAKEN.values(), ids=TAKEN)
def test_white_space_is_taken_at_each_door(engram: Engram, workspace: Workspace, sign: str) -> None:
    said, asked = SAID.format(sign), ASKED.format(sign)

    first = engram("write", "--entity", "people/anna", "--create", "--fact", said, "--json")

    assert first.code == 0
    assert tool(workspace, "memory_remember", entity="people/anna", fact=said) == ""
    assert python(workspace, lambda memory: memory.write("people/anna", said)) == ""
    assert engram("recall", asked, "--json").code == 0
    assert tool(workspace, "memory_recall", query=asked) == ""
    assert python(workspace, lambda memory: memory.recall(asked)) == ""


@pytest.mark.parametrize("sign", [*REFUSED.values(), "\ufffe", "\u2028"], ids=ascii)
def test_questions_in_lines_are_refused_as_those_of_the_command_line_are(
    engram: Engram, workspace: Workspace, sign: str
) -> None:
    """They come as JSON, which can write down any character."""
    workspace.submit("write", {"entity": "people/anna", "create": True, "text": "Anna prefers tea"})
    try:
        check_text("query", ASKED.format(sign))
        expected = 0
    except BadValueError as problem:
        expected = problem.exit_code
    line = json.dumps({"id": "1", "query": ASKED.format(sign)})

    assert engram("recall", "--jsonl", "-", stdin=line).code == expected
