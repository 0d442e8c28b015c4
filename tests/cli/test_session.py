"""`engram session`."""

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
