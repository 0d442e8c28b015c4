"""`engram domain`: JSON, exit codes, text."""

from pathlib import Path

import pytest

from engram.workspace import Workspace
from tests.conftest import Engram


@pytest.fixture
def billing(engram: Engram) -> str:
    """A domain that is there."""
    assert engram("domain", "add", "billing", "--type", "dev-project", "--bind", "telegram:47").code == 0
    return "billing"


def test_from_making_to_deciding(engram: Engram, billing: str, workspace: Workspace) -> None:
    folder: Path = workspace.paths.domains / "billing"

    assert engram("domain", "log", billing, "--force is needed", "--role", "subagent", "--json").json == {
        "status": "done",
        "name": "billing",
        "path": "memory/domains/billing/changelog.md",
        "redactions": [],
    }
    assert engram("domain", "status", "telegram:47", "green").code == 0
    proposed = engram("domain", "propose", billing, "use DuckDB", "--json").json["proposal"]
    (waiting,) = engram("domain", "proposals", "--json").json["proposals"]
    decided = engram("domain", "decide", waiting["id"][:-1], "accept", "--note", "small", "--json").json["proposal"]

    assert (waiting["id"], waiting["text"], waiting["status"]) == (proposed["id"], "use DuckDB", "open")
    assert (decided["status"], decided["note"]) == ("accepted", "small")
    assert engram("domain", "proposals").out == "nothing waits to be decided\n"
    assert "--force is needed" in (folder / "changelog.md").read_text()
    assert "use DuckDB" in (folder / "decisions.md").read_text()


def test_a_proposal_cannot_steer_the_terminal(engram: Engram, billing: str, workspace: Workspace) -> None:
    (workspace.paths.domains / "billing" / "decisions.md").write_text("PROPOSAL: use \x1b[2J DuckDB\n")

    shown = engram("domain", "proposals").out

    assert "use \ufffd[2J DuckDB" in shown
    assert "\x1b" not in shown


def test_list_and_show(engram: Engram, billing: str) -> None:
    (row,) = engram("domain", "list", "--json").json["domains"]

    assert {"name", "type", "state", "entity", "bindings", "cadence_s", "active_at", "proposals"} <= set(row)
    assert engram("domain", "show", billing, "--json").json["bindings"] == ["telegram:47"]
    assert "telegram:47" in engram("domain", "show", billing).out
    assert engram("domain", "archive", billing).code == 0
    assert engram("domain", "list").out == "no domains yet\n"
    assert engram("domain", "list", "--all", "--json").json["domains"][0]["state"] == "archived"


def test_the_context_is_a_prompt(engram: Engram, engram_process: Engram, billing: str) -> None:
    shown = engram("domain", "context", billing, "--json").json

    assert shown["name"] == "billing"
    assert engram_process("domain", "context", billing).out.strip() == shown["context"].strip()
    assert shown["context"].startswith("# Domain billing\n")
    assert "{{" not in shown["context"]


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["add", "billing", "--type", "meta"], 4),
        (["add", "other", "--type", "meta", "--bind", "telegram:47"], 4),
        (["context", "nothing"], 3),
        (["log", "billing", ""], 2),
        (["log", "billing", "x", "--role", "main"], 4),
        (["archive", "nothing"], 3),
    ],
)
def test_exit_codes(engram: Engram, billing: str, args: list[str], code: int) -> None:
    said = engram("domain", *args, "--json")

    assert said.code == code
    assert {"error", "message", "hint", "details"} == set(said.error)


def test_an_unknown_name_lists_near_ones(engram: Engram, billing: str) -> None:
    assert engram("domain", "show", "biling", "--json").error["details"]["near"] == ["billing"]


def test_the_role_may_stand_in_the_environment(engram: Engram, billing: str) -> None:
    assert engram("domain", "log", billing, "x", env={"ENGRAM_ROLE": "main"}).code == 4
    assert engram("domain", "log", billing, "x", env={"ENGRAM_ROLE": "subagent"}).code == 0


def test_a_domain_is_about_the_entity_where_it_stands_now(engram: Engram) -> None:
    engram("entity", "add", "projects/ledger")
    engram("domain", "add", "books", "--type", "meta", "--entity", "projects/ledger")

    engram("entity", "rename", "projects/ledger", "projects/accounts")

    assert "projects/accounts" in engram("domain", "show", "books").out
    [listed] = [one for one in engram("domain", "list", "--json").json["domains"] if one["name"] == "books"]
    assert listed["entity"] == "projects/accounts"


def test_a_plan_to_run_a_domain_changes_nothing(engram: Engram) -> None:
    engram("domain", "add", "nightly", "--type", "cron-task")

    planned = engram("domain", "spawn", "nightly", "--dry-run", "--json").json

    assert (planned["dry_run"], planned["name"], planned["spawning"]["runs"]) == (True, "nightly", 0)
    assert "spawning" not in engram("domain", "show", "nightly", "--json").json
    engram("domain", "spawn", "nightly")
    assert "would not run" in engram("domain", "spawn", "nightly", "--off", "--dry-run").out
    assert "spawning" in engram("domain", "show", "nightly", "--json").json
