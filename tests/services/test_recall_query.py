"""What a query may hold, and what it makes the index look at."""

import datetime as dt
from typing import Any

import pytest
from pydantic import ValidationError

from engram.services.recall.query import RecallQuery
from engram.services.visibility import Caller
from tests.making import NOW

A_DAY = dt.timedelta(days=1)


def kinds(**fields: Any) -> list[tuple[tuple[str, ...], str]]:
    return [(one.kinds, one.session) for one in RecallQuery(query="tea", **fields).filters(wide=False)]


@pytest.mark.parametrize(
    "fields",
    [
        {"query": ""},
        {"limit": 0},
        {"limit": 1001},
        {"budget": -1},
        {"space": "attic"},
        {"by": "day"},
        {"since": "2026-01-01T00:00:00"},
        {"colour": "green"},
    ],
)
def test_a_bad_value_cannot_be_a_query(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        RecallQuery.model_validate({"query": "tea", **fields})


def test_a_space_is_the_kinds_that_are_searched() -> None:
    assert kinds(space="notes") == [(("fact",), "")]
    assert kinds(space="ops") == [(("note", "turn"), "")]
    assert kinds(space="self") == [(("self",), "")]
    assert kinds() == [(("fact", "candidate", "note", "turn", "self"), "")]


def test_a_session_narrows_raw_text_and_not_facts() -> None:
    assert kinds(session="demo") == [(("fact", "candidate"), ""), (("note", "turn"), "demo"), (("self",), "")]


@pytest.mark.parametrize("caller", [Caller("chat", "main", group=True), Caller("x/main", "x", foreign=True)])
@pytest.mark.parametrize("wide", [False, True])
def test_the_owners_own_is_never_searched_for_a_group_or_another_agent(caller: Caller, *, wide: bool) -> None:
    for space in ("self", "all"):
        asked = RecallQuery.model_validate({"query": "tea", "space": space, "scopes": ("self",)}).asked_by(caller)
        assert not any("self" in wanted.kinds for wanted in asked.filters(wide=wide))


def test_the_asker_sees_what_is_shared_and_its_own() -> None:
    assert RecallQuery(query="tea").visible_scopes() == ("shared", "experience")
    query = RecallQuery(query="tea", session="demo", scopes=("agent:main", "shared"))
    assert query.visible_scopes() == ("shared", "experience", "session:demo", "agent:main")


@pytest.mark.parametrize("moment", ["as_of", "as_known"])
def test_asking_for_the_past_also_looks_at_what_is_no_longer_live(moment: str) -> None:
    facts, raw = RecallQuery.model_validate({"query": "tea", moment: NOW}).filters(wide=False)
    (present,) = RecallQuery(query="tea").filters(wide=False)

    assert (facts.live_only, raw.live_only, present.live_only) == (False, False, True)


@pytest.mark.parametrize(("known", "raw_by"), [(NOW, NOW), (NOW - A_DAY, NOW - A_DAY), (NOW + A_DAY, NOW), (None, NOW)])
def test_of_the_past_nothing_is_searched_that_began_or_was_said_later(known: Any, raw_by: dt.datetime) -> None:
    facts, raw = RecallQuery(query="tea", as_of=NOW, as_known=known).filters(wide=False)

    assert (facts.kinds, facts.said_by) == (("fact",), NOW.timestamp())
    assert (raw.kinds, raw.said_by) == (("note", "turn"), raw_by.timestamp())


def test_a_wide_look_leaves_out_only_scope_and_life() -> None:
    (wide,) = RecallQuery(query="tea", space="notes", entity="people/anna", since=NOW).filters(wide=True)

    assert (wide.scopes, wide.live_only) == ((), False)
    assert (wide.kinds, wide.entity, wide.since) == (("fact",), "people/anna", NOW.timestamp())


@pytest.mark.parametrize("fields", [{"entity": "people/anna"}, {"since": NOW}, {"as_of": NOW}, {"by": "session"}])
def test_the_self_file_has_no_dates_entities_or_sessions(fields: dict[str, Any]) -> None:
    assert RecallQuery(query="tea").wants_self()
    assert not RecallQuery(query="tea", **fields).wants_self()
