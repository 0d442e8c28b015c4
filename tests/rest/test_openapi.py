"""The description of the server is valid, whole, and names each thing once."""

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator  # type: ignore[import-untyped] # the package has no types

from engram.cli.main import COMMANDS
from engram.rest.openapi import description
from engram.rest.operations import OPERATIONS

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


def test_the_description_in_the_docs_is_the_one_that_is_served() -> None:
    kept = json.loads((ROOT / "docs/openapi.json").read_text(encoding="utf-8"))

    assert kept == json.loads(json.dumps(description()))
