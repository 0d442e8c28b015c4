"""The same words get the same answer at each door: the command line, the tools of MCP, and Python."""

import json
from collections.abc import Callable
from typing import Any
from typing import get_origin

import pytest

from engram import Memory
from engram import open as open_memory
from engram.cli.invocation.options import check_text
from engram.errors import BadValueError
from engram.errors import EngramError
from engram.mcp import write_tools
from engram.mcp.answers import Caller
from engram.mcp.tools import call_tool
from engram.model.commands.command import Envelope
from engram.model.commands.envelope import make_envelope
from engram.model.commands.write_command import LIST_FIELDS
from engram.model.commands.write_command import WriteCommand
from engram.model.commands.write_command import WriteSource
from engram.model.fact import Actor
from engram.model.fact import Draft
from engram.model.fact import Source
from engram.model.vocabulary import CAN_BE_UNDONE
from engram.workspace import Workspace
from tests.conftest import Engram
from tests.making import NOW

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


STATEMENT: dict[str, Any] = {
    "category": "preference",
    "confidence": 0.8,
    "tags": ["drinks", "morning"],
    "attribute": "favourite_drink",
    "value": "tea",
    "source": "a letter",
    "valid_from": "2026-02-24",
    "create": True,
}
EXPECTED = {
    **STATEMENT,
    "entity": "people/anna",
    "text": "Anna prefers tea",
    "source": {"actor": "agent", "session": "demo", "label": "a letter"},
}


def by_command_line(engram: Engram, workspace: Workspace) -> None:
    named = {**STATEMENT, "tags": ",".join(STATEMENT["tags"]), "actor": "agent", "session": "demo"}
    options = [f"--{name.replace('_', '-')}={value}" for name, value in named.items() if name != "create"]
    engram("write", "--entity=people/anna", "--fact=Anna prefers tea", "--create", "--wait=0", *options)


def by_lines(engram: Engram, workspace: Workspace) -> None:
    said = {"entity": "people/anna", "fact": "Anna prefers tea", "actor": "agent", "session": "demo"}
    engram("write", "--jsonl", "-", "--wait", "0", stdin=json.dumps({**STATEMENT, **said, "title": None}))


def by_tool(engram: Engram, workspace: Workspace) -> None:
    said = {"entity": "people/anna", "fact": "Anna prefers tea", "candidate": False}
    call_tool(workspace, Caller(session="demo"), "memory_remember", {**STATEMENT, **said})


def by_python(engram: Engram, workspace: Workspace) -> None:
    with open_memory(workspace.paths.root, actor="agent") as memory:
        memory.write("people/anna", "Anna prefers tea", wait=0, session="demo", related=[], **STATEMENT)


@pytest.mark.parametrize("door", [by_command_line, by_lines, by_tool, by_python])
def test_the_same_statement_is_the_same_command_from_each_door(
    engram: Engram,
    workspace: Workspace,
    monkeypatch: pytest.MonkeyPatch,
    door: Callable[[Engram, Workspace], None],
) -> None:
    monkeypatch.setattr(write_tools, "_WAIT_S", 0)

    door(engram, workspace)

    (path,) = workspace.spool.waiting()
    spooled = json.loads(path.read_bytes())
    by_hand = {"undoable": True} if door is by_command_line else {}
    assert spooled["args"] == {**EXPECTED, **by_hand}
    assert (spooled["kind"], spooled["actor"]) == ("write", "agent")
    assert spooled == Envelope.model_validate(spooled).model_dump(mode="json")


def test_a_plain_envelope_is_what_the_spool_reads(workspace: Workspace) -> None:
    plain = make_envelope("pin", {"id": "people/anna-001"}, at=NOW, actor=Actor.AGENT, command_id="one")

    assert Envelope.model_validate(plain.as_json()) == Envelope(**plain._asdict())
    assert list(Envelope.model_fields) == [*plain._fields, "crc"]  # which the spool adds
    read = Envelope(**plain._asdict()).model_dump(mode="json", exclude={"crc"})
    assert list(plain.as_json().items()) == list(read.items())


def test_the_light_command_has_the_fields_of_a_draft() -> None:
    assert {*Draft.model_fields, CAN_BE_UNDONE} == set(WriteCommand._fields)
    assert set(Source.model_fields) == set(WriteSource._fields)
    assert {name for name, field in Draft.model_fields.items() if get_origin(field.annotation) is tuple} == LIST_FIELDS


def test_what_nobody_said_is_no_argument() -> None:
    """So that a scope, which counts as said when it stands there, is that of the session."""
    command = WriteCommand("people/anna", "Anna prefers tea", WriteSource(Actor.USER), tags=[], create=False)

    assert command.as_args() == {
        "entity": "people/anna",
        "text": "Anna prefers tea",
        "source": {"actor": "user"},
    }
    assert command._replace(confidence=0, related=("people/bo",)).as_args() == {
        **command.as_args(),
        "confidence": 0,
        "related": ["people/bo"],
    }
