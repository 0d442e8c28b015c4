"""What the tools say is said for who calls tools, and their schemas hold no word too many."""

import json
from typing import Any

import pytest

from engram.mcp.answers import Caller
from engram.mcp.arguments import RecallArguments
from engram.mcp.tool_vocabulary import in_tool_words
from engram.mcp.tool_vocabulary import slim_schema
from engram.mcp.tools import TOOLS
from engram.mcp.tools import call_tool
from engram.workspace import Workspace


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("--keep people/a-001 or people/a-002", "keep people/a-001 or people/a-002"),
        ("one new sentence (--text T) takes the place of both", "one new sentence (text T) takes the place of both"),
        ("--as-of 'x' is not a moment", "as_of 'x' is not a moment"),
        ("no entity is called '--force'", "no entity is called '--force'"),  # no argument of a tool
        ("state-of-the-art--create", "state-of-the-art--create"),
        ("engram review list", "memory_review without arguments lists what waits"),
        ("engram correct people/a-002", "memory_correct people/a-002"),
        ("engram session add demo makes it", "engram session add demo makes it"),  # a person's
    ],
)
def test_options_are_arguments_and_lists_come_from_tools(said: str, expected: str) -> None:
    assert in_tool_words(said) == expected


def test_no_answer_names_an_option_of_the_command_line(workspace: Workspace) -> None:
    for text in ("Anna likes tea", "Anna does not like tea"):
        workspace.submit("write", {"entity": "people/anna", "text": text, "create": True})
    workspace.submit("observe", {"text": "Deploys are slow"})
    asked: list[tuple[str, dict[str, Any]]] = [
        ("memory_review", {}),
        ("memory_review", {"id": "tension-0001", "outcome": "merge"}),
        ("memory_review", {"id": "tension-0001", "outcome": "wrong-source"}),
        ("memory_review", {"id": "tension-0001", "outcome": "both-true"}),
        ("memory_review", {"id": "observation-0001", "outcome": "promote"}),
        ("memory_remember", {"entity": "people/boris", "fact": "Boris sings"}),
        ("memory_status", {}),
    ]
    for tool, arguments in asked:
        answer = call_tool(workspace, Caller(), tool, arguments)
        assert "--" not in answer.text + json.dumps(answer.value), (tool, arguments)


@pytest.mark.parametrize("name", TOOLS)
def test_a_schema_says_what_each_argument_is_and_nothing_twice(name: str) -> None:
    arguments = TOOLS[name].arguments
    slim, whole = slim_schema(arguments), arguments.model_json_schema()

    assert (slim["type"], slim["additionalProperties"]) == ("object", False)
    assert slim.get("required") == whole.get("required")
    assert list(slim["properties"]) == list(arguments.model_fields)
    for one in slim["properties"].values():
        assert one["type"] in {"string", "integer", "number", "boolean", "array"}
        assert one["description"]
        assert not {"title", "$ref", "anyOf"} & one.keys()


def test_a_schema_keeps_bounds_choices_and_defaults() -> None:
    recall, write = (slim_schema(TOOLS[f"memory_{name}"].arguments)["properties"] for name in ("recall", "remember"))

    assert (recall["limit"]["minimum"], recall["limit"]["maximum"], recall["limit"]["default"]) == (1, 100, 10)
    assert recall["space"]["enum"] == ["all", "notes", "ops", "self"]
    assert "preference" in write["category"]["enum"]
    assert (write["tags"]["items"]["type"], write["tags"]["maxItems"]) == ("string", 50)
    assert "default" not in write["valid_from"]


def test_null_is_taken_for_what_was_left_out() -> None:
    assert RecallArguments.model_validate({"query": "x", "entity": None}) == RecallArguments(query="x")
