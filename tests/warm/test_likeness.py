"""What a caller of another install, or with other settings, is answered."""

from typing import Any

import pytest

from engram.warm.likeness import PROGRAM
from engram.warm.likeness import differences
from engram.warm.likeness import is_answered
from engram.warm.likeness import is_newer

OURS: dict[str, Any] = {
    "protocol": 1,
    "root": "/w",
    "settings": [1, 2, 3],
    "process": {"version": "0.6.0", "installed": [["/a", 1]], "package": [4, 5, 6], "environment": {}},
}


def like_ours(**process: Any) -> dict[str, Any]:
    return {**OURS, "process": {**OURS["process"], **process}}


def test_the_same_words_differ_in_nothing_and_are_answered_everything() -> None:
    assert differences(OURS, like_ours()) == frozenset()
    assert all(is_answered(request, frozenset()) for request in ("recall", "prompt", "ping"))


def test_another_install_is_answered_prompts_but_no_commands() -> None:
    differing = differences(OURS, like_ours(version="0.7.0", installed=[], package=[]))

    assert differing == PROGRAM
    assert [is_answered(request, differing) for request in ("recall", "prompt", "ping")] == [False, True, True]


@pytest.mark.parametrize(
    ("theirs", "differing", "may_look"),
    [
        (like_ours(environment={"ENGRAM_EMBEDDINGS": "none"}), {"environment"}, True),
        ({**OURS, "settings": [1, 2, 4]}, {"settings"}, True),
        ({**OURS, "root": "/copy"}, {"root"}, False),
        ({**OURS, "protocol": 2}, {"protocol"}, False),
        ({**OURS, "more": 1}, {"more"}, False),
        (None, {"protocol", "root", "settings", *PROGRAM, "environment"}, False),
        ({**OURS, "process": "none"}, {*PROGRAM, "environment"}, True),
    ],
)
def test_who_was_told_other_things_is_answered_no_prompt(theirs: object, differing: set[str], may_look: bool) -> None:
    found = differences(OURS, theirs)

    assert found == differing
    assert not is_answered("prompt", found)
    assert is_answered("ping", found) == may_look


@pytest.mark.parametrize(
    ("theirs", "newer"),
    [
        ("0.6.1", True),
        ("0.10.0", True),
        ("1", True),
        ("0.6", False),
        ("0.6.0", False),
        ("0.6.0.dev3+g1", False),
        ("0.5.9", False),
        ("unknown", False),
        (None, False),
    ],
)
def test_releases_are_compared_by_their_numbers(theirs: object, newer: bool) -> None:
    assert is_newer({"process": {"version": theirs}}, "0.6.0") is newer


def test_what_is_no_handshake_is_not_newer() -> None:
    assert not is_newer(["0.7.0"], "0.6.0")
