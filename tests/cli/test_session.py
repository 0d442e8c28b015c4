"""`engram session`."""

import pytest

from engram.model.fact import Actor
from engram.workspace import Workspace
from tests.conftest import Engram


def test_add_list_and_show(engram: Engram) -> None:
    assert engram("session", "add", "demo", "--platform", "telegram", "--id", "47").code == 0

    assert [row["name"] for row in engram("session", "list", "--json").json["sessions"]] == ["demo"]
    assert engram("session", "show", "demo", "--json").json["platform"] == "telegram"
    assert "telegram" in engram("session", "show", "demo").out


def test_a_session_that_is_there_is_refused_a_bad_name_is_usage_and_an_unknown_one_not_found(engram: Engram) -> None:
    engram("session", "add", "demo")

    assert engram("session", "add", "demo").code == 4
    assert engram("session", "add", "../demo").code == 2
    assert engram("session", "add", "a b").code == 2
    assert engram("session", "show", "dema", "--json").code == 3
    assert engram("session", "show", "dema", "--json").error["details"]["near"] == ["demo"]


def test_a_dry_run_makes_nothing(engram: Engram) -> None:
    assert engram("session", "add", "demo", "--dry-run").code == 0

    assert engram("session", "list", "--json").json == {"sessions": []}


def test_an_empty_list_says_so(engram: Engram) -> None:
    assert engram("session", "list").out == "no sessions yet\n"


@pytest.fixture
def family(engram: Engram) -> Engram:
    """A chat that is kept apart with three facts, of which one is shared besides and one contradicts a shared one."""
    engram("entity", "add", "people/anna")
    engram("session", "add", "family", "--kind", "group")
    engram("session", "add", "other")
    port = ("write", "--entity", "people/anna", "--attribute", "residence")
    engram(*port, "--value", "Paris", "--fact", "Anna lives in Paris")
    engram("write", "--entity", "people/anna", "--fact", "Anna likes tea")
    for words in (
        (*port, "--value", "Rome", "--fact", "Anna lives in Rome"),
        ("write", "--entity", "people/anna", "--fact", "Anna likes tea"),
        ("write", "--entity", "people/anna", "--fact", "Anna plays chess"),
    ):
        assert engram(*words, "--session", "family").code == 0
    return engram


def _seen(engram: Engram) -> list[str]:
    """Return what another session finds."""
    return [one["text"] for one in engram("facts", "--session", "other", "--json").json["facts"]]


def test_a_session_that_is_kept_apart_can_be_opened_and_that_be_undone(family: Engram, workspace: Workspace) -> None:
    shared = ["Anna lives in Paris", "Anna likes tea"]
    assert _seen(family) == shared
    assert "let the session family be open" in family("session", "open", "family", "--dry-run").out
    assert _seen(family) == shared

    done = family("session", "open", "family", "--json").json
    assert (done["details"]["facts"], len(done["tensions"])) == (2, 1)
    assert sorted(_seen(family)) == sorted([*shared, "Anna lives in Rome", "Anna plays chess"])
    assert family("session", "show", "family", "--json").json["kind"] is None
    assert "Anna plays chess" in family("recall", "what does Anna play", "--session", "other").out

    family("write", "--entity", "people/anna", "--fact", "Anna has a cat", "--session", "family")
    assert "already open" in family("session", "open", "family").out

    assert family("undo", done["command_id"]).code == 0
    assert _seen(family) == [*shared, "Anna has a cat"]
    assert family("session", "show", "family", "--json").json["kind"] == "group"
    assert family("tension", "list", "--json").json["tensions"] == []
    assert "Anna plays chess" not in family("recall", "what does Anna play", "--session", "other").out
    assert family("verify").code == 0


def test_only_a_person_opens_a_session(family: Engram, workspace: Workspace) -> None:
    refused = workspace.submit("session-open", {"name": "family"}, actor=Actor.AGENT)

    assert (refused.error, refused.reason) == ("Refused", "a person opens a session")
    assert family("session", "show", "family", "--json").json["kind"] == "group"


def test_who_adds_a_session_that_is_kept_apart_once_more_is_told_how_to_open_it(family: Engram) -> None:
    assert family("session", "add", "family", "--kind", "open", "--json").error["hint"] == "engram session open family"
    assert family("session", "add", "work", "--kind", "open", "--json").code == 0
    assert family("session", "open", "nobody").code == 3
