"""A long answer over HTTP is the one that it would be whole, and is made row by row."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import pytest
from starlette.responses import JSONResponse
from starlette.testclient import TestClient

from engram.cli.invocation.asked import json_line
from engram.cli.invocation.long_answer import packed_body
from engram.errors import DamagedDatabaseError
from engram.operations.answers.packed_text import json_pieces
from engram.rest.long_answer import answered
from engram.workspace import Workspace
from tests.rest.making import connect

ROWS: list[dict[str, Any]] = [
    {"id": f"people/anna-{number:03d}", "text": "Żółć, чай, 茶\u2028"} for number in range(40)
]


def rows(*, broken_at: int | None = None) -> Iterator[dict[str, Any]]:
    for number, row in enumerate(ROWS):
        if number == broken_at:
            raise DamagedDatabaseError("a page does not read")
        yield row


@pytest.mark.parametrize("value", [{"facts": ROWS}, {"at": None, "facts": [], "more": {"a": [1, {"b": ROWS}]}}])
def test_rows_make_the_same_answer_as_a_list(value: dict[str, Any]) -> None:
    whole = JSONResponse(value)
    lazy = {name: iter(one) if isinstance(one, list) else one for name, one in value.items()}
    client = TestClient(answered(lazy, HTTPStatus.OK))

    answer = client.get("/")

    assert answer.content == bytes(whole.body)
    names = ("content-length", "content-type")
    assert [answer.headers[name] for name in names] == [whole.headers[name] for name in names]


def test_a_row_is_written_before_the_next_is_made() -> None:
    made: list[int] = []

    def rows_of() -> Iterator[int]:
        for number in range(9):
            made.append(number)
            yield number

    pieces = json_pieces({"facts": rows_of()}, str)

    for piece in pieces:
        if piece.endswith("3"):
            break

    assert made == [0, 1, 2, 3]


def test_what_fails_halfway_is_no_half_of_an_answer() -> None:
    with pytest.raises(DamagedDatabaseError):
        answered({"facts": rows(broken_at=20)}, HTTPStatus.OK)


def test_rows_within_rows_are_printed_as_a_list_is() -> None:
    held = packed_body({"facts": rows(), "what_if": {"changed": rows(), "tiers": {"hot": 1}}})

    assert "".join(held.pieces()) == json_line({"facts": ROWS, "what_if": {"changed": ROWS, "tiers": {"hot": 1}}})


def test_facts_over_http_are_read_in_pages(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        text = f"Anna owns boat number {number}"
        workspace.submit("write", {"entity": "people/anna", "create": True, "text": text})
    client = connect(workspace)
    whole = client.get("/v1/facts").json()
    monkeypatch.setattr("engram.services.facts.listing._PAGE", 2)
    monkeypatch.setattr("engram.services.facts.listing.list_facts", lambda *_: pytest.fail("all are read at once"))
    monkeypatch.setattr("engram.operations.answers.listing.list_facts", lambda *_: pytest.fail("all are read at once"))

    answer = client.get("/v1/facts")

    assert (answer.status_code, len(whole["facts"])) == (200, 5)
    assert answer.json() == whole
    refused = client.get("/v1/facts", params={"entity": "nobody"})
    assert (refused.status_code, refused.json()["status"]) == (404, 404)
