"""The description of the server is valid, whole, and names each thing once."""

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator  # type: ignore[import-untyped] # the package has no types

from engram.api.opened import envelope_of
from engram.cli.main import COMMANDS
from engram.model.fact import Actor
from engram.rest.door import Door
from engram.rest.examples import EXAMPLES
from engram.rest.openapi import description
from engram.rest.operations import OPERATIONS
from engram.workspace import Workspace
from tests.rest.making import connect

ROOT = Path(__file__).resolve().parent.parent.parent


def refs(value: Any) -> set[str]:
    """Return all references below a value."""
    if isinstance(value, dict):
        own = {value["$ref"]} if "$ref" in value else set()
        return own.union(*map(refs, value.values()))
    return set().union(*map(refs, value)) if isinstance(value, list) else set()


def test_every_operation_is_described_once_under_its_own_name() -> None:
    said = description()

    found = {(method, path): one for path, at in said["paths"].items() for method, one in at.items()}
    assert set(found) == {(one.method.lower(), one.path) for one in OPERATIONS}
    names = [one["operationId"] for one in found.values()]
    assert len(names) == len(set(names))
    assert all(one["summary"] and one["responses"]["default"] for one in found.values())


def test_each_stands_for_a_command_that_there_is() -> None:
    assert {one.command.split()[0] for one in OPERATIONS} <= set(COMMANDS)


def test_its_schemas_are_valid_and_every_reference_leads_somewhere() -> None:
    said = description()

    for schema in said["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    known = {f"#/components/schemas/{name}" for name in said["components"]["schemas"]}
    assert refs(said) <= known


def test_a_body_is_needed_where_something_in_it_is() -> None:
    said = description()["paths"]

    needed = {path: said[path]["post"]["requestBody"]["required"] for path in ("/v1/facts", "/v1/facts/{id}/confirm")}
    assert needed == {"/v1/facts": True, "/v1/facts/{id}/confirm": False}


def test_every_body_that_is_needed_has_an_example_and_each_example_is_taken(workspace: Workspace) -> None:
    client = connect(workspace, Door(actor=Actor.USER))
    bodies = [one for one in OPERATIONS if one.method != "GET"]
    needs = {one.name for one in bodies if any(field.is_required() for field in one.takes.model_fields.values())}
    assert needs == set(EXAMPLES)
    with workspace.writing("test") as recorder:
        for text in ("The wall is red", "The wall is green"):
            args = {"entity": "projects/wall", "create": True, "text": text}
            recorder.record([envelope_of(workspace, "write", args, actor=Actor.USER)])
        args = {"text": "one of both", "fact1": "projects/wall-001", "fact2": "projects/wall-002"}
        recorder.record([envelope_of(workspace, "tension-add", args, actor=Actor.USER)])
    ids = {"facts": "projects/billing-001", "review": "tension-0001", "inbox": "handoff-0001"}
    first = ("write", "feedback", "correct")  # what others need, or what others put an end to

    for one in sorted(OPERATIONS, key=lambda one: first.index(one.name) if one.name in first else len(first)):
        if one.name in EXAMPLES:
            path = one.path.replace("{id}", ids.get(one.path.split("/")[2], ""))
            answer = client.request(one.method, path, json=EXAMPLES[one.name])
            assert (one.name, answer.status_code) == (one.name, 200), answer.text
            ids["facts"] = answer.json()["id"] if one.name == "correct" else ids["facts"]


def test_the_description_in_the_docs_is_the_one_that_is_served() -> None:
    kept = json.loads((ROOT / "docs/openapi.json").read_text(encoding="utf-8"))

    assert kept == json.loads(json.dumps(description()))
