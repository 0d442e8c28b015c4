"""JSON as text: what is put in comes out again, and no other byte changes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.hooks.installation import json_text

SCALARS = st.none() | st.booleans() | st.integers() | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3), max_leaves=8
)
TEXTS = st.builds(
    lambda value, indent, newline: json.dumps(value, indent=indent, ensure_ascii=False).replace("\n", newline),
    st.dictionaries(st.text(), VALUES, max_size=4),
    st.sampled_from([None, 2, 4, "\t"]),
    st.sampled_from(["\n", "\r\n"]),
)
COMMENTED = """{
    // what I use
    "model": "opus", /* for now */
    "hooks": {
        "Stop": [
            {"command": "say \\"done\\""}, // loud
        ],
    },
}
"""


@given(TEXTS, st.text(), VALUES)
def test_a_member_that_is_put_in_and_taken_out_leaves_the_values(text: str, key: str, value: Any) -> None:
    before = json_text.parse(text).plain()
    if key in before:
        return
    added = json_text.insert(text, [key], value)
    root = json_text.parse(added)
    back = json_text.remove(added, root, len(root.children) - 1)

    assert json.loads(added) == {**before, key: value}
    assert json.loads(back) == before
    if before:
        assert back == text


def test_comments_trailing_commas_and_indentation_stay() -> None:
    added = json_text.insert(COMMENTED, ["hooks", "Stop"], {"command": "engram"})
    lines = added.splitlines()

    assert '            {"command": "say \\"done\\""},' in lines
    assert "            {" in lines
    assert '                "command": "engram"' in lines
    assert "// loud" in added
    assert json_text.parse(added).plain()["hooks"]["Stop"][1] == {"command": "engram"}
    stop = json_text.parse(added).child("hooks").child("Stop")  # type: ignore[union-attr]
    assert stop is not None
    assert json_text.remove(added, stop, 1) == COMMENTED


@pytest.mark.parametrize(
    "text",
    ["", "{", "{]", '{"a" 1}', '{"a": 1 "b": 2}', "{'a': 1}", '{"a": 1} x', "[" * 5000, '{"a": }', "{,}", '{"a": /* }'],
)
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the words are for people
        json_text.parse(text)


def test_a_key_that_stands_there_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="twice"):
        json_text.insert('{"hooks": {}, "hooks": {}}', ["hooks", "Stop"], [])


@pytest.mark.parametrize(("text", "path"), [("[]", ["a"]), ('{"a": 1}', ["a"]), ('{"a": 1}', ["a", "b"])])
def test_nothing_is_put_where_it_cannot_be(text: str, path: list[str]) -> None:
    with pytest.raises(ValueError, match=r"no object|no list"):
        json_text.insert(text, path, 1)
