"""`engram handoff`, `working-memory`, `decision` and `context`: what one session leaves for the next."""

from pathlib import Path

import pytest

from engram.workspace import Workspace
from tests.conftest import Engram

DAYS_LATER = "2026-12-01T10:00:00Z"


def test_a_handoff_is_read_with_its_age_and_its_history_stays(engram: Engram) -> None:
    for text in ("first", "second"):
        assert engram("--now", "2026-11-28T09:00:00Z", "handoff", "write", text).code == 0

    found = engram("--now", DAYS_LATER, "handoff", "read", "--json").json
    assert (found["text"], found["version"], found["age_days"]) == ("second", 2, 3)
    assert found["written_at"] == "2026-11-28T09:00:00Z"
    assert "version 2, 3 days old" in engram("--now", DAYS_LATER, "handoff", "read").out
    versions = engram("handoff", "history", "--json").json["versions"]
    assert [(one["version"], one["text"]) for one in versions] == [(2, "second"), (1, "first")]


def test_text_comes_from_standard_input_too(engram: Engram, engram_process: Engram) -> None:
    assert engram_process("handoff", "write", "-", stdin=b"two\n\nlines\n").code == 0
    assert engram("handoff", "read", "--json").json["text"] == "two\n\nlines"
    assert engram("working-memory", "set", "-", stdin=b"branch: main\n").code == 0
    assert engram("working-memory", "show").out.strip() == "branch: main"


def test_working_memory_is_set_updated_and_cleared(engram: Engram) -> None:
    assert engram("working-memory", "show").out.strip() == "nothing is in hand"
    engram("working-memory", "set", "branch: main\ntodo")

    assert engram("working-memory", "update", "branch: reports", "--json").json["text"] == "branch: reports\ntodo"
    assert engram("working-memory", "clear").code == 0
    assert engram("working-memory", "show", "--json").json["text"] == ""


def test_decisions_are_logged_and_listed_by_tag(engram: Engram) -> None:
    engram("decision", "log", "We use DuckDB", "--tag", "billing", "--tag", "db")
    engram("decision", "log", "We ship on Mondays")

    listed = engram("decision", "list", "--json").json["decisions"]
    assert [(one["text"], one["tags"]) for one in listed] == [
        ("We use DuckDB", ["billing", "db"]),
        ("We ship on Mondays", []),
    ]
    assert [one["text"] for one in engram("decision", "list", "--tag", "db", "--json").json["decisions"]] == [
        "We use DuckDB"
    ]
    assert "We ship on Mondays" in engram("decision", "list", "--last", "1").out


@pytest.mark.parametrize(
    "args",
    [
        ("handoff", "write", "a"),
        ("working-memory", "set", "a"),
        ("working-memory", "update", "a"),
        ("working-memory", "clear"),
        ("decision", "log", "a"),
    ],
)
def test_a_dry_run_says_where_and_writes_nothing(engram: Engram, workspace: Workspace, args: tuple[str, ...]) -> None:
    shown = engram(*args, "--dry-run", "--json").json

    assert shown["dry_run"] is True
    assert not (workspace.paths.root / shown["path"]).exists()


def test_each_session_has_its_own(engram: Engram) -> None:
    engram("session", "add", "demo")
    engram("handoff", "write", "for demo", "--session", "demo")
    engram("decision", "log", "for demo", "--session", "demo")
    engram("working-memory", "set", "for demo", "--session", "demo")

    assert engram("handoff", "read").code == 3
    assert engram("decision", "list", "--json").json["decisions"] == []
    assert engram("working-memory", "show", "--json").json["text"] == ""
    text = engram("context", "--session", "demo").out
    assert text.count("for demo") == 3
    assert "for demo" not in engram("context").out


def test_the_context_is_the_same_bytes_and_leaves_what_it_gave_out_in_the_access_log(
    engram: Engram, workspace: Workspace
) -> None:
    write = ("write", "--entity", "people/anna", "--create", "--category", "preference")
    engram(*write, "--fact", "Anna prefers green tea")
    engram("note", "add", "Met Anna about the billing reports of March")
    first = engram("context")

    assert first.out == engram("context").out
    assert engram("context", "--json").json.keys() == {"text", "tokens", "parts"}
    rows = list(workspace.answers.accesses.rows())
    assert [row["door"] for row in rows] == ["context"] * 3
    assert {hit["kind"] for hit in rows[0]["hits"]} == {"fact", "note"}
    assert len(engram("context", "--budget", "60").out) < len(first.out)


def test_a_group_is_shown_neither_memory_md_nor_private_facts(engram: Engram, workspace: Workspace) -> None:
    engram("session", "add", "family", "--kind", "group")
    Path(workspace.paths.self_file).write_text("# Memory\n\nThe safe is behind the mirror\n")
    write = ("write", "--entity", "people/anna", "--create", "--category", "preference")
    engram(*write, "--fact", "Anna prefers gold rings", "--scope", "session:other")
    engram(*write, "--fact", "Anna prefers tea")

    for door in (("context",), ("recall", "Anna prefers rings", "safe mirror"), ("facts",)):
        out = engram(*door, "--session", "family").out
        assert "gold rings" not in out
        assert "mirror" not in out.replace("safe mirror", "")
        assert "Anna prefers tea" in out
    assert engram("show", "anna-001", "--session", "family").code == 3
    assert engram("history", "anna-001", "--session", "family").code == 3
    assert engram("show", "anna-001").code == 0


def test_a_decision_names_who_took_it_and_is_found_by_that(engram: Engram) -> None:
    logged = engram(
        "decision", "log", "We ship on Friday (by noon)", "--by", "reviewer", "--tag", "release", "--json"
    ).json
    engram("decision", "log", "We use DuckDB")

    (found,) = engram("decision", "list", "--by", "reviewer", "--json").json["decisions"]
    assert found == {name: logged[name] for name in ("day", "time", "text", "tags", "by")}
    assert (found["text"], found["by"], found["tags"]) == ("We ship on Friday (by noon)", "reviewer", ["release"])
    assert [one["by"] for one in engram("decision", "list", "--json").json["decisions"]] == ["reviewer", ""]
    assert engram("decision", "log", "x", "--by", "a/b").code == 2
    for empty in (("log", "x"), ("list",)):
        refused = engram("decision", *empty, "--by", "")
        assert (refused.code, "--by is empty" in refused.err) == (2, True), refused.err
    assert len(engram("decision", "list", "--by", "Reviewer", "--json").json["decisions"]) == 1
    assert "no decision matches" in engram("decision", "list", "--by", "nobody").out
    assert "no decision matches" in engram("decision", "list", "--tag", "nothing").out
    assert len(engram("decision", "list", "--json").json["decisions"]) == 2


@pytest.mark.parametrize("by", ["\u0438\u0306van", "a" * 110, "r.2-x_y"])
def test_whoever_may_be_named_is_found_again(engram: Engram, by: str) -> None:
    engram("decision", "log", "We use DuckDB", "--by", by, "--tag", "store")

    (found,) = engram("decision", "list", "--by", by, "--json").json["decisions"]
    assert (found["text"], found["by"], found["tags"]) == ("We use DuckDB", by, ["store"])


@pytest.mark.parametrize("text", ["We ship (by Friday)", "It is sorted (by name)"])
def test_words_in_brackets_at_the_end_of_a_decision_name_nobody(engram: Engram, text: str) -> None:
    assert engram("decision", "log", text).out.endswith(f"{text}\n")

    (found,) = engram("decision", "list", "--json").json["decisions"]
    assert (found["text"], found["by"]) == (text, "")
