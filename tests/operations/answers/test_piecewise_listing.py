"""A listing that is read piece by piece is the one that is read whole, and its JSON is the same."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.cli.invocation.asked import Invocation
from engram.cli.invocation.long_answer import emit_values
from engram.cli.terminal.packed_text import PackedText
from engram.errors import DamagedDatabaseError
from engram.model.commands.command import Outcome
from engram.operations.answers import listing
from engram.operations.answers.listing import iter_listed_facts
from engram.operations.answers.listing import listed_facts
from engram.services.facts.listing import FactQuery
from engram.services.facts.listing import Moment
from engram.services.facts.listing import iter_fact_pages
from engram.workspace import Workspace
from tests.conftest import WorkspaceWith
from tests.making import NOW

ANNA = "people/anna"


def fill(workspace: Workspace) -> None:
    said: list[tuple[str, dict[str, Any]]] = [
        ("Anna works at Acme", {}),
        ("Anna no longer works at Acme", {}),
        ("Always answer Anna in German", {"category": "instruction"}),
        ("Anna will send the report by 1 February 2026", {"category": "commitment"}),
        ("Anna is on holiday from 5 May 2026", {"valid_from": "2026-05-05T00:00:00Z"}),
        ("Anna plays chess", {"tags": ["game", "instruction"]}),
    ]
    for text, fields in said:
        result = workspace.submit("write", {"entity": ANNA, "create": True, "text": text, **fields})
        assert result.status != Outcome.REFUSED
    workspace.submit("write", {"entity": "projects/billing", "create": True, "text": "Billing runs on port 8080"})


@pytest.fixture
def filled(workspace_with: WorkspaceWith) -> Workspace:
    """A workspace with facts of every standing."""
    return workspace_with(fill)


def moment_of(workspace: Workspace) -> Moment:
    return Moment(now=NOW, decay=workspace.settings.decay, zone=workspace.settings.zone, caller=None)


@pytest.mark.parametrize("most_compared", [1, 1000])
def test_piece_by_piece_it_is_the_same_listing(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch, most_compared: int
) -> None:
    monkeypatch.setattr("engram.services.facts.listing._PAGE", 2)
    monkeypatch.setattr("engram.operations.answers.listing.MOST_COMPARED", most_compared)
    monkeypatch.setattr("engram.services.recall.validity.outdated_now.MOST_COMPARED", most_compared)
    queries = [FactQuery(status=one) for one in ("active", "planned", "all", "superseded")]
    queries += [FactQuery(entity="anna"), FactQuery(tier="cold"), FactQuery(limit=2), FactQuery(as_known=NOW)]

    for query in queries:
        whole = listed_facts(filled, query, moment_of(filled))
        assert list(iter_listed_facts(filled, query, moment_of(filled))) == whole


def test_the_first_facts_come_before_the_last_are_read(filled: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engram.services.facts.listing._PAGE", 2)
    read: list[int] = []
    within = iter_fact_pages

    def watched(*args: Any) -> Iterator[list[dict[str, Any]]]:
        for page in within(*args):
            read.append(len(page))
            yield page

    monkeypatch.setattr(listing, "iter_fact_pages", watched)
    views = iter_listed_facts(filled, FactQuery(status="all"), moment_of(filled))
    next(views)
    before = len(read)

    assert len(list(views)) == 6
    assert len(read) > before


@pytest.mark.parametrize("values", [[], [{"text": "a"}], [{"text": "\x85 ü"}, {"n": [1, None]}, 3]])
def test_json_in_pieces_is_the_json_of_the_whole(values: list[object], capsys: pytest.CaptureFixture[str]) -> None:
    asked = Invocation()
    asked.as_json = True

    asked.emit({"facts": values}, "")
    whole = capsys.readouterr().out
    emit_values("facts", iter(values))

    assert capsys.readouterr().out == whole
    assert json.loads(whole) == {"facts": values}


def test_nothing_is_printed_while_the_store_is_held(filled: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    printed: list[str] = []

    def print_where_others_may_write(words: str) -> None:
        with filled.writing("whoever writes while the answer is read slowly", wait_s=0):
            printed.append(words)

    monkeypatch.setattr("engram.cli.invocation.long_answer.print_piece", print_where_others_may_write)
    emit_values("facts", iter_listed_facts(filled, FactQuery(status="all"), moment_of(filled)))

    assert printed


def test_an_answer_that_fails_halfway_is_not_begun(capsys: pytest.CaptureFixture[str]) -> None:
    def values() -> Iterator[int]:
        yield 1
        yield 2
        raise DamagedDatabaseError("the file is damaged")

    with pytest.raises(DamagedDatabaseError):
        emit_values("facts", values())

    assert capsys.readouterr().out == ""


@given(st.lists(st.text(max_size=300), max_size=30))
def test_what_is_packed_comes_out_as_it_was(texts: list[str]) -> None:
    held = PackedText()
    for text in texts:
        held.add(text)

    assert "".join(held.pieces()) == "".join(texts)
