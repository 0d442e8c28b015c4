"""JSON that is nested without end is refused by everything that reads JSON from outside, and nothing else suffers."""

import json
from typing import Any

import pytest

from engram.base.json_values import MOST_DEPTH
from engram.base.json_values import TooDeepError
from engram.base.json_values import load_json


def nested(depth: int, kind: str = "list") -> str:
    return "[" * depth + "]" * depth if kind == "list" else '{"a":' * depth + "1" + "}" * depth


@pytest.mark.parametrize("kind", ["list", "object"])
@pytest.mark.parametrize("depth", [MOST_DEPTH + 1, 500, 5000, 200_000])
def test_deep_json_is_refused(kind: str, depth: int) -> None:
    for data in (nested(depth, kind), nested(depth, kind).encode()):
        with pytest.raises(TooDeepError, match="nested too deeply"):
            load_json(data)


@pytest.mark.parametrize(
    "value",
    [
        json.loads(nested(MOST_DEPTH)),
        json.loads(nested(MOST_DEPTH, "object")),
        ["[" * 10_000, {"{" * 10_000: 1}],
        [[]] * 10_000,
        None,
        "text",
    ],
)
def test_what_is_wide_or_only_looks_deep_is_read(value: Any) -> None:
    assert load_json(json.dumps(value)) == value


def test_what_is_no_json_is_refused_as_before() -> None:
    with pytest.raises(json.JSONDecodeError):
        load_json("{not")
