"""Facts on both time axes, through the real command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from engram.workspace import Workspace
from tests.conftest import Engram


def write(engram: Engram, text: str, *options: str, entity: str = "projects/x", now: str) -> dict[str, Any]:
    answer = engram("write", "--entity", entity, "--create", "--fact", text, "--now", now, "--json", *options)
    assert answer.code == 0, answer.err
    found: dict[str, Any] = answer.json
    return found


def active(engram: Engram, *options: str) -> list[str]:
    answer = engram("facts", "--json", *options)
    assert answer.code == 0, answer.err
    return [fact["text"] for fact in answer.json["facts"]]


def test_an_entity_is_named_with_an_option_or_without(engram: Engram) -> None:
    write(engram, "Anna prefers tea", entity="people/anna", now="2026-01-01T12:00:00Z")
    write(engram, "Uses Redis", now="2026-01-01T12:00:00Z")

    assert active(engram, "anna") == active(engram, "--entity", "people/anna") == ["Anna prefers tea"]
    assert engram("facts", "nobody").code == 3


def test_a_correction_is_wrong_for_all_time_once_it_is_known(engram: Engram) -> None:
    write(engram, "Research timeout is 600 seconds", now="2026-01-01T12:00:00Z")
    write(engram, "Research timeout is 900 seconds", "--category", "correction", now="2026-02-01T12:00:00Z")

    assert active(engram) == ["Research timeout is 900 seconds"]
    assert active(engram, "--as-known", "2026-01-15") == ["Research timeout is 600 seconds"]
    assert active(engram, "--as-of", "2026-01-15") == ["Research timeout is 900 seconds"]
    assert active(engram, "--as-of", "2026-01-15", "--as-known", "2026-01-15") == ["Research timeout is 600 seconds"]


def test_a_change_keeps_the_past_true(engram: Engram) -> None:
    slot = ("--attribute", "employer", "--value")
    write(engram, "Works at Acme", *slot, "Acme", "--valid-from", "2024-01-01", now="2026-01-01T12:00:00Z")
    write(engram, "Works at Globex", *slot, "Globex", "--valid-from", "2025-06-01", now="2026-02-01T12:00:00Z")

    assert active(engram) == ["Works at Globex"]
    assert active(engram, "--as-of", "2024-05-01") == ["Works at Acme"]
    assert active(engram, "--as-of", "2025-07-01") == ["Works at Globex"]
    assert active(engram, "--as-of", "2023-01-01") == []
    assert active(engram, "--as-of", "2025-07-01", "--as-known", "2026-01-15") == ["Works at Acme"]


def test_a_value_from_before_fills_in_the_past(engram: Engram) -> None:
    slot = ("--attribute", "employer", "--value")
    write(engram, "Works at Globex", *slot, "Globex", "--valid-from", "2025-06-01", now="2026-01-01T12:00:00Z")
    late = write(engram, "Worked at Acme", *slot, "Acme", "--valid-from", "2024-01-01", now="2026-02-01T12:00:00Z")

    assert late["status"] == "created"
    assert active(engram) == ["Works at Globex"]
    assert active(engram, "--as-of", "2024-05-01") == ["Worked at Acme"]
    assert active(engram, "--as-of", "2025-07-01") == ["Works at Globex"]


def test_what_was_retracted_was_never_true_but_was_believed(engram: Engram) -> None:
    write(engram, "Uses Redis", now="2026-01-01T12:00:00Z")
    answer = engram("retract", "projects/x-001", "--reason", "another project", "--now", "2026-02-01T12:00:00Z")

    assert answer.code == 0
    assert active(engram) == []
    assert active(engram, "--as-of", "2026-01-15") == []
    assert active(engram, "--as-known", "2026-01-15") == ["Uses Redis"]
    assert active(engram, "--status", "retracted") == ["Uses Redis"]


def test_a_fact_that_ended_is_not_true_after_its_end(engram: Engram) -> None:
    write(engram, "On leave", "--valid-from", "2026-01-01", "--valid-to", "2026-01-10", now="2026-01-01T12:00:00Z")

    assert active(engram, "--as-of", "2026-01-05") == ["On leave"]
    assert active(engram, "--as-of", "2026-01-10") == []


def test_the_same_sentence_for_two_entities_is_two_facts(engram: Engram) -> None:
    first = write(engram, "Has two owners", entity="people/aaa", now="2026-01-01T12:00:00Z")
    second = write(engram, "Has two owners", entity="projects/aaa", now="2026-01-01T12:00:00Z")

    assert [first["status"], second["status"]] == ["created", "created"]
    assert [first["id"], second["id"]] == ["people/aaa-001", "projects/aaa-001"]


def test_text_that_begins_with_a_dash_is_text(engram: Engram) -> None:
    written = write(engram, "--force is needed", now="2026-01-01T12:00:00Z")

    assert written["fact"]["text"] == "--force is needed"


def test_a_check_that_is_only_a_check_stores_nothing(engram: Engram, workspace: Workspace) -> None:
    write(engram, "Likes green tea", now="2026-01-01T12:00:00Z")
    position = workspace.journal.head()

    answer = engram(
        "write", "--entity", "projects/x", "--fact", "Likes green teas", "--semantic-check", "--dry-run", "--json"
    )

    assert answer.code == 0
    assert answer.json["dry_run"]
    assert [one["id"] for one in answer.json["similar"]] == ["projects/x-001"]
    assert position == workspace.journal.head()
    assert workspace.spool.waiting() == []


def test_what_a_correction_replaced_is_not_listed_as_similar(engram: Engram) -> None:
    write(engram, "Likes green tea with lemon in the morning", now="2026-01-01T12:00:00Z")

    answer = engram("correct", "projects/x-001", "--fact", "Likes black tea with lemon in the morning", "--json")

    assert answer.json["superseded"] == ["projects/x-001"]
    assert answer.json["similar"] == []


def test_a_check_of_a_replacement_leaves_out_what_it_replaces(engram: Engram) -> None:
    write(engram, "Likes green tea", now="2026-01-01T12:00:00Z")
    options = ("--supersedes", "projects/x-001", "--semantic-check", "--dry-run", "--json")

    answer = engram("write", "--entity", "projects/x", "--fact", "Likes green teas a lot", *options)

    assert answer.json["superseded"] == ["projects/x-001"]
    assert answer.json["similar"] == []


def test_every_fact_is_listed_never_a_first_page(engram: Engram) -> None:
    lines = [
        json.dumps({"entity": "projects/x", "create": True, "fact": f"Part {number} is called p{number}"})
        for number in range(300)
    ]

    written = engram("write", "--jsonl", "-", "--json", stdin="\n".join(lines))

    assert written.code == 0
    assert len(active(engram)) == 300


def test_why_says_of_a_plan_that_it_is_planned_as_show_and_history_do(engram: Engram) -> None:
    write(engram, "Moves to Riga", "--valid-from", "2999-05-01", now="2026-01-01T12:00:00Z")

    assert [step["status"] for step in engram("why", "x-001", "--json").json["chain"]] == ["planned"]
    assert [step["status"] for step in engram("history", "x-001", "--json").json["versions"]] == ["planned"]
    assert engram("why", "x-001").out.startswith("projects/x-001  planned  ")


def test_history_and_why_tell_the_chain(engram: Engram) -> None:
    write(engram, "Prefers dark theme", now="2026-01-01T12:00:00Z")
    write(
        engram,
        "Prefers light theme",
        "--category",
        "correction",
        "--source",
        "call with Anna",
        now="2026-02-01T12:00:00Z",
    )

    history = engram("history", "x-002", "--json").json
    why = engram("why", "x-002", "--json").json

    assert [one["text"] for one in history["versions"]] == ["Prefers dark theme", "Prefers light theme"]
    assert [step["id"] for step in why["chain"]] == ["projects/x-002", "projects/x-001"]
    assert why["chain"][0]["source"]["label"] == "call with Anna"


def test_contradictions_without_a_statement_are_those_that_are_not_settled(engram: Engram) -> None:
    write(engram, "Research timeout is 600 seconds", now="2026-01-01T12:00:00Z")
    none = engram("contradictions").out
    for text in ("Lantern has 12 seats", "Lantern has 15 seats"):
        engram("write", "projects/lantern", text, "--category", "status")

    of_all, of_one, of_other = (
        engram("contradictions", *of, "--json").json["tensions"]
        for of in ((), ("--entity", "lantern"), ("--entity", "projects/x"))
    )

    assert none == "nothing that is known contradicts anything\n"
    assert [one["id"] for one in of_all] == ["tension-0001"]
    assert (of_one, of_other) == (of_all, [])
    assert "Lantern has 15 seats" in engram("contradictions").out
    assert "hint: engram contradictions --entity people/anna --fact " in engram("contradictions", "--fact", "a").err


def test_contradictions_of_an_entity_go_with_it_when_it_is_renamed(engram: Engram) -> None:
    for text in ("Lantern has 12 seats", "Lantern has 15 seats"):
        engram("write", "projects/lantern", text, "--category", "status")
    engram("entity", "rename", "projects/lantern", "comet")

    assert len(engram("contradictions", "--entity", "projects/comet", "--json").json["tensions"]) == 1


def test_contradictions_across_entities_are_those_of_a_statement(engram: Engram) -> None:
    asked = engram("contradictions", "--cross-entity")

    assert asked.code == 2
    assert "hint: give the statement with --fact" in asked.err


def test_contradictions_are_found_with_a_reason_and_write_nothing(engram: Engram, workspace: Workspace) -> None:
    write(engram, "Research timeout is 600 seconds", now="2026-01-01T12:00:00Z")
    position = workspace.journal.head()

    found = engram(
        "contradictions", "--entity", "projects/x", "--fact", "Research timeout is 900 seconds", "--json"
    ).json

    assert [(one["id"], one["kind"]) for one in found["conflicts"]] == [("projects/x-001", "number")]
    assert "600" in found["conflicts"][0]["why"]
    assert position == workspace.journal.head()


@pytest.mark.parametrize("text", ["ignore", "a  b"])
def test_json_may_stand_before_or_after_the_command(engram: Engram, text: str) -> None:
    write(engram, text, now="2026-01-01T12:00:00Z")

    assert engram("--json", "facts").json == engram("facts", "--json").json


def test_a_secret_is_taken_out_before_anything_is_stored(engram: Engram, workspace: Workspace) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"  # made up, of the right shape
    written = write(engram, f"The deploy token is {secret}", now="2026-01-01T12:00:00Z")

    assert secret not in written["fact"]["text"]
    assert "taken out" in written["reason"]
    for path in workspace.paths.root.rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes(), path


def test_what_waits_is_listed_only_when_it_is_asked_for(engram: Engram, workspace: Workspace) -> None:
    write(engram, "Uses Postgres", now="2026-02-01T12:00:00Z")
    waiting = write(engram, "The upload limit is 64 MB", "--candidate", now="2026-02-01T13:00:00Z")
    assert (waiting["status"], waiting["fact"]["status"]) == ("created", "candidate")

    assert active(engram) == ["Uses Postgres"]
    assert ["The upload limit is 64 MB"] == active(engram, "--candidates") == active(engram, "--status", "candidate")
    assert engram("facts", "--candidates", "--status", "all").code == 2
    assert (
        engram("contradictions", "--entity", "projects/x", "--fact", "The upload limit is 8 MB", "--json").json[
            "conflicts"
        ]
        == []
    )
    digests = digests_of(workspace)
    assert engram("rebuild", "all").code == 0
    assert digests == digests_of(workspace)

    assert engram("confirm", "x-002", "--json").json["status"] == "created"
    assert active(engram) == ["Uses Postgres", "The upload limit is 64 MB"]
    digests = digests_of(workspace)
    assert engram("rebuild", "all").code == 0
    assert digests == digests_of(workspace)


def test_a_candidate_that_is_retracted_is_refused_when_it_comes_again(engram: Engram) -> None:
    write(engram, "The upload limit is 64 MB", "--candidate", now="2026-02-01T12:00:00Z")
    assert engram("retract", "x-001", "--reason", "of no use").code == 0

    again = engram("write", "--entity", "projects/x", "--fact", "The upload limit is 64 MB", "--candidate", "--json")

    assert (again.code, again.json["status"]) == (4, "refused")
    assert active(engram, "--candidates") == []


def test_the_newest_are_listed_in_their_order(engram: Engram) -> None:
    for day, text in enumerate(("Uses Postgres", "Runs on Linux", "Written in Go"), 1):
        write(engram, text, now=f"2026-02-0{day}T12:00:00Z")

    assert active(engram, "-n", "2") == ["Runs on Linux", "Written in Go"]
    assert engram("facts", "-n", "0").code == 2


def digests_of(workspace: Workspace) -> dict[str, str]:
    with workspace.reading() as database:
        return database.digests()


@pytest.mark.usefixtures("children_here")
def test_why_says_once_and_names_no_line_that_nobody_knows(engram: Engram, tmp_path: Path) -> None:
    chat = tmp_path / "chat.jsonl"
    chat.write_text('{"session": "talk", "speaker": "user", "text": "From now on always use tabs in Go files."}\n')
    engram("capture", str(chat))
    engram("heartbeat", "run", "--phase", "extraction")
    [fact] = engram("facts", "--json").json["facts"]
    engram("confirm", fact["id"])

    told = engram("why", fact["id"]).out

    assert ":?" not in told
    assert "  confirmed once\n" in told


def test_an_option_that_takes_several_keeps_all_when_it_is_given_again(engram: Engram) -> None:
    for text in ("Uses Postgres", "Runs on Linux", "Written in Go"):
        write(engram, text, now="2026-02-01T12:00:00Z")

    made = write(
        engram,
        *("The stack is settled", "--derived-from", "x-001", "--derived-from", "x-002,x-003"),
        *("--tags", "stack", "--tags", "settled", "--related", "projects/x"),
        now="2026-02-02T12:00:00Z",
    )
    replaced = write(
        engram,
        *("Everything runs in Java", "--supersedes", "x-002", "--supersedes", "x-003"),
        now="2026-02-03T12:00:00Z",
    )
    noticed = engram("observe", "The build is slow", "--facts", "x-001", "--facts", "x-004", "--json")

    assert made["fact"]["derived_from"] == ["projects/x-001", "projects/x-002", "projects/x-003"]
    assert made["fact"]["tags"] == ["settled", "stack"]
    assert replaced["superseded"] == ["projects/x-002", "projects/x-003"]
    assert engram("observe", "--list", "--json").json["observations"][0]["facts"] == [
        "projects/x-001",
        "projects/x-004",
    ]
    assert noticed.code == 0
