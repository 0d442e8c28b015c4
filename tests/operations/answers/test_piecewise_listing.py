"""A listing that is read piece by piece is the one that is read whole, and its JSON is the same."""

import contextlib
import datetime as dt
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.cli.facts.fact_list import show_facts
from engram.cli.invocation.asked import Invocation
from engram.cli.invocation.long_answer import emit_rows
from engram.cli.invocation.long_answer import emit_values
from engram.cli.invocation.options import table
from engram.errors import DamagedDatabaseError
from engram.errors import UnknownEntityError
from engram.model.commands.command import Outcome
from engram.model.fact import Fact
from engram.operations.answers import listing
from engram.operations.answers.kept_promises import without_kept
from engram.operations.answers.listing import iter_listed_facts
from engram.operations.answers.listing import listed_facts
from engram.operations.answers.packed_text import PackedText
from engram.operations.answers.packed_views import packed_views
from engram.ports.database import FactFilter
from engram.services.facts.held_at import held_at
from engram.services.facts.listing import FactQuery
from engram.services.facts.listing import Moment
from engram.services.facts.listing import iter_fact_pages
from engram.services.facts.listing import list_facts
from engram.services.recall.validity.outdated_now import outdated_now
from engram.workspace import Workspace
from tests.conftest import Engram
from tests.conftest import WorkspaceWith
from tests.making import NOW

ANNA = "people/anna"
LAST_YEAR = NOW - dt.timedelta(days=365)


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
    for city, day in (("Riga", "2024-01-01"), ("Oslo", "2025-01-01"), ("Oslo", "2025-03-01")):
        fields = {"attribute": "city", "value": city, "valid_from": f"{day}T00:00:00Z"}
        workspace.submit("write", {"entity": ANNA, "text": f"Anna lives in {city} since {day}", **fields})
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
    queries += [FactQuery(as_of=NOW), FactQuery(as_of=LAST_YEAR), FactQuery(as_of=LAST_YEAR, as_known=NOW)]
    queries += [FactQuery(as_of=NOW, limit=3), FactQuery(as_of=NOW, status="all", tag="instruction")]

    for query in queries:
        whole = listed_facts(filled, query, moment_of(filled))
        assert list(iter_listed_facts(filled, query, moment_of(filled))) == whole


@pytest.mark.parametrize("page", [1, 3, 1000])
def test_a_past_in_pages_is_what_held_of_all_facts(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch, page: int
) -> None:
    monkeypatch.setattr("engram.services.facts.listing._PAGE", page)
    with filled.reading() as database:
        everything = database.list_facts(FactFilter(status="all"))

    for at in (NOW, LAST_YEAR):
        held = [fact.id for fact in held_at(everything, at, None)]
        listed = [view["id"] for view in listed_facts(filled, FactQuery(as_of=at), moment_of(filled))]
        assert listed == held
        newest = listed_facts(filled, FactQuery(as_of=at, limit=2), moment_of(filled))
        assert [view["id"] for view in newest] == held[-2:]


def test_a_listing_that_newer_facts_may_end_reads_the_whole_store_in_pages(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    until = {"entity": ANNA, "text": "Always call Anna on Fridays until the release is out", "category": "instruction"}
    filled.submit("write", until)
    asked: list[FactFilter] = []

    with filled.reading() as database:
        read_at_once = database.list_facts

        def watched(wanted: FactFilter) -> list[Fact]:
            asked.append(wanted)
            return read_at_once(wanted)

        monkeypatch.setattr(database, "list_facts", watched)
        ids = [fact.id for fact in read_at_once(FactFilter())]
        outdated_now(database, ids, NOW)

    assert asked
    assert all(wanted.ids or wanted.saying or wanted.newest for wanted in asked)


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

    assert len(list(views)) == 9
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


@given(st.lists(st.tuples(st.text("ab/-", min_size=1), st.text(max_size=8), st.text(max_size=40)), max_size=12))
def test_rows_in_pieces_are_the_table_of_the_whole(rows: list[tuple[str, ...]]) -> None:
    asked = Invocation()

    with contextlib.redirect_stdout(io.StringIO()) as whole:
        asked.emit(None, table(rows) or "nothing")
    with contextlib.redirect_stdout(io.StringIO()) as pieces:
        emit_rows(asked, iter(rows), "nothing")

    assert pieces.getvalue() == whole.getvalue()


@pytest.mark.parametrize("as_json", [True, False])
def test_nothing_is_printed_while_the_store_is_held(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch, *, as_json: bool
) -> None:
    printed: list[str] = []

    def print_where_others_may_write(words: str) -> None:
        with filled.writing("whoever writes while the answer is read slowly", wait_s=0):
            printed.append(words)

    monkeypatch.setattr("engram.cli.invocation.long_answer.print_piece", print_where_others_may_write)
    views = iter_listed_facts(filled, FactQuery(status="all"), moment_of(filled))
    emit_values("facts", views) if as_json else show_facts(Invocation(), views, filled.settings.zone)

    assert printed


def test_who_writes_while_a_listing_is_read_is_not_in_half_of_it(
    filled: Workspace, engram: Engram, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = engram("facts").out
    monkeypatch.setattr("engram.services.facts.listing._PAGE", 2)
    within, waiting = iter_fact_pages, list[str]()

    def written_to_meanwhile(*args: Any) -> Iterator[list[dict[str, Any]]]:
        for page in within(*args):
            result = filled.submit("write", {"entity": ANNA, "text": f"Anna has {len(waiting)} boats"}, wait_s=0)
            waiting.append(result.status)
            yield page

    monkeypatch.setattr(listing, "iter_fact_pages", written_to_meanwhile)
    during = engram("facts").out
    monkeypatch.undo()

    assert set(waiting) == {Outcome.ACCEPTED}  # kept at once, and applied when the listing is read
    assert during == before
    assert f"Anna has {len(waiting) - 1} boats" in engram("facts").out


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("words", [("facts",), ("facts", "--json"), ("facts", "--as-of", "2026-01-01")])
def test_a_reader_that_leaves_halfway_is_no_error(workspace: Workspace, words: tuple[str, ...]) -> None:
    read, write = os.pipe()
    os.close(read)

    with os.fdopen(write, "wb") as nobody_reads:
        command = [sys.executable, "-m", "engram", "--workspace", str(workspace.paths.root), *words]
        left = subprocess.run(command, stdout=nobody_reads, stderr=subprocess.PIPE, check=False)

    assert (left.returncode, left.stderr) == (0, b"")


def test_of_no_facts_it_is_said_that_there_are_none(engram: Engram) -> None:
    assert engram("facts").out == engram("facts", "--as-of", "2026-01-01").out == "no facts\n"
    assert engram("facts", "--json").out == '{"facts": []}\n'


def test_an_answer_that_fails_halfway_is_not_begun(capsys: pytest.CaptureFixture[str]) -> None:
    def values() -> Iterator[int]:
        yield 1
        yield 2
        raise DamagedDatabaseError("the file is damaged")

    with pytest.raises(DamagedDatabaseError):
        emit_values("facts", values())
    with pytest.raises(DamagedDatabaseError):
        emit_rows(Invocation(), ((str(one),) for one in values()), "nothing")

    assert capsys.readouterr().out == ""


@given(st.lists(st.text(max_size=300), max_size=30))
def test_what_is_packed_comes_out_as_it_was(texts: list[str]) -> None:
    held = PackedText()
    for text in texts:
        held.add(text)

    assert "".join(held.pieces()) == "".join(texts)


@given(st.lists(st.text(st.characters(exclude_characters="\n", codec="utf-8"), max_size=300), max_size=30))
def test_what_is_packed_comes_out_line_by_line(texts: list[str]) -> None:
    held = PackedText()
    for text in texts:
        held.add(f"{text}\n")

    assert list(held.lines()) == texts


def test_packed_views_are_those_of_the_listing(filled: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engram.services.facts.listing._PAGE", 2)
    queries = [FactQuery(status=one) for one in ("active", "planned", "all", "superseded")]
    queries += [FactQuery(entity="anna"), FactQuery(tier="cold"), FactQuery(limit=2), FactQuery(as_known=NOW)]
    queries += [FactQuery(as_of=NOW), FactQuery(as_of=LAST_YEAR), FactQuery(as_of=NOW, limit=3)]
    moment = moment_of(filled)._replace(now=NOW + dt.timedelta(days=400))
    for text in ("Anna will order the disk by 1 May 2026", "Anna will paint the fence by 1 June 2026"):
        filled.submit("write", {"entity": ANNA, "text": text, "category": "commitment"})
    overdue = 0

    with filled.reading() as database:
        for query in queries:
            views = list_facts(database, query, moment)
            told = views if query.is_of_past else without_kept(database, views, moment)
            assert list(packed_views(database, query, moment)) == told
            overdue += sum(view["overdue_since"] is not None for view in views)

    assert overdue


def test_packed_views_are_of_the_moment_in_which_they_were_asked_for(filled: Workspace) -> None:
    with filled.reading() as database:
        views = packed_views(database, FactQuery(), moment_of(filled))
        count = len(list_facts(database, FactQuery(), moment_of(filled)))
        with pytest.raises(UnknownEntityError):
            packed_views(database, FactQuery(entity="nobody"), moment_of(filled))

    filled.submit("write", {"entity": ANNA, "text": "Anna sings in a choir"})

    assert len([*views]) == count
