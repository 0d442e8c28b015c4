"""The tree of errors is as its module draws it, and every class can be shown to a person."""

import re
from collections.abc import Iterator

import pytest

from engram import errors
from engram.errors import EngramError

TABLE = {0, 1, 2, 3, 4, 5, 6, 7, 8, 10}  # the exit codes of the command line's contract


def descend(kind: type[EngramError]) -> Iterator[type[EngramError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from descend(below)


KINDS = [kind for kind in descend(EngramError) if kind.__module__ == "engram.errors"]


def drawn(kind: type[EngramError], prefix: str = "", lead: str = "") -> Iterator[str]:
    yield f"{lead}{kind.__name__} {kind.exit_code}"
    below = [one for one in kind.__subclasses__() if one in KINDS]
    for place, one in enumerate(below, 1):
        last = place == len(below)
        yield from drawn(one, prefix + ("    " if last else "│   "), prefix + ("└── " if last else "├── "))


def test_the_drawing_at_the_top_of_the_module_is_the_tree() -> None:
    found = [
        re.sub(r" +(\d+)$", r" \1", line)
        for line in (errors.__doc__ or "").splitlines()
        if re.search(r"Error +\d", line)
    ]

    assert found == list(drawn(EngramError))


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_has_a_sentence_a_hint_and_a_code_of_the_table(kind: type[EngramError]) -> None:
    error = kind()

    assert kind.__name__.endswith("Error")
    assert error.message.endswith(".")
    assert error.message[0].isupper()
    assert error.hint
    assert error.exit_code in TABLE - {0}
    assert error.code == kind.__name__.removesuffix("Error")


def test_details_and_given_words_take_the_place_of_the_defaults() -> None:
    error = errors.UnknownFactError("no fact has the id 'x'", hint="engram facts", id="x")

    assert (error.message, error.hint, error.details) == ("no fact has the id 'x'", "engram facts", {"id": "x"})
    assert str(error) == "no fact has the id 'x'"
