"""Changes by hand, entities, tensions, rebuild and verify, through the real command line."""

import json
import subprocess
import sys
from typing import Any

import pytest

from engram.workspace import Workspace
from tests.conftest import Engram
from tests.conftest import WorkspaceWith
from tests.conftest import engram_in


def write_tea(workspace: Workspace) -> None:
    engram_in(workspace)("write", "--entity", "people/anna", "--create", "--fact", "Anna prefers tea")


@pytest.fixture
def tea(workspace_with: WorkspaceWith) -> str:
    """The id of the fact that Anna prefers tea."""
    workspace_with(write_tea)
    return "people/anna-001"


def show(engram: Engram, fact_id: str) -> dict[str, Any]:
    found: dict[str, Any] = engram("show", fact_id, "--json").json
    return found


def test_correct_writes_the_new_and_retires_the_old_in_one_record(
    engram: Engram, workspace: Workspace, tea: str
) -> None:
    position = workspace.journal.head()[0]

    answer = engram("correct", "anna-001", "Anna", "prefers", "coffee", "--json")

    assert ("superseded", [tea]) == (answer.json["status"], answer.json["superseded"])
    assert position + 1 == workspace.journal.head()[0]
    assert show(engram, tea)["superseded_by"] == "people/anna-002"
    assert show(engram, tea)["was_wrong"]


def test_what_was_replaced_cannot_be_corrected_retracted_or_pinned(engram: Engram, tea: str) -> None:
    engram("correct", tea, "--fact", "Anna prefers coffee")

    for command in (["correct", tea, "--fact", "x"], ["retract", tea, "--reason", "x"], ["pin", tea], ["confirm", tea]):
        answer = engram(*command)
        assert answer.code == 4
        assert "people/anna-002" in answer.err


def test_correcting_into_a_statement_that_is_there_merges_both(engram: Engram, tea: str) -> None:
    engram("write", "--entity", "people/anna", "--fact", "Anna likes milk")

    answer = engram("correct", "anna-002", "--fact", "Anna prefers tea", "--json")

    assert ("superseded", tea) == (answer.json["status"], answer.json["id"])
    assert [fact["text"] for fact in engram("facts", "--json").json["facts"]] == ["Anna prefers tea"]


def test_retract_keeps_the_reason_and_settles_its_tensions(engram: Engram, tea: str) -> None:
    engram("write", "--entity", "people/anna", "--fact", "Anna does not prefer tea")
    assert len(engram("tension", "list", "--json").json["tensions"]) == 1

    engram("retract", tea, "she", "said", "so herself")

    assert show(engram, tea)["reason"] == "she said so herself"
    assert engram("tension", "list", "--json").json["tensions"] == []
    assert len(engram("tension", "list", "--status", "resolved", "--json").json["tensions"]) == 1


@pytest.mark.parametrize("command", ["retract", "correct"])
@pytest.mark.parametrize("ids", [["people/anna-002"], ["people/anna-002", "people/anna-003"], ["people/anna-002", "x"]])
def test_another_id_is_no_reason_and_no_text(engram: Engram, tea: str, command: str, ids: list[str]) -> None:
    answer = engram(command, tea, *ids)

    assert answer.code == 2
    assert f"{command} takes one id, and people/anna-002 is another one; nothing was changed" in answer.err
    assert show(engram, tea)["status"] == "active"


def test_another_id_is_no_reason_as_an_option_or_in_short_either(engram: Engram, tea: str) -> None:
    assert engram("retract", tea, "--reason", "people/anna-002").code == 2
    assert engram("retract", "anna-001", "anna-002").code == 2
    assert engram("forget", tea, "--reason", "people/anna-002", "--yes").code == 2
    assert engram("inbox", "reject", "handoff-0001", "people/anna-002").code == 2
    assert show(engram, tea)["status"] == "active"


def test_a_reason_may_name_another_id(engram: Engram, tea: str) -> None:
    engram("retract", tea, "the", "same", "as", "people/anna-002")

    assert show(engram, tea)["reason"] == "the same as people/anna-002"


def test_access_confirm_and_pin_are_counted_beside_the_version(engram: Engram, tea: str) -> None:
    for command in (["access", tea], ["access", tea], ["confirm", tea], ["pin", tea]):
        assert engram(*command).code == 0

    fact = show(engram, tea)
    assert (fact["access_count"], fact["confirm_count"], fact["pinned"], fact["version"]) == (2, 1, True, 1)

    engram("unpin", tea)
    assert not show(engram, tea)["pinned"]


def test_an_alias_is_as_good_as_the_path(engram: Engram, tea: str) -> None:
    engram("entity", "alias", "people/anna", "Аня")

    answer = engram("write", "--entity", "аня", "--fact", "Anna prefers tea", "--json")

    assert ("confirmed", tea) == (answer.json["status"], answer.json["id"])


def test_a_name_of_two_entities_is_ambiguous(engram: Engram) -> None:
    for path in ("people/mercury", "projects/mercury"):
        engram("entity", "add", path)

    answer = engram("write", "--entity", "mercury", "--fact", "a", "--json")

    assert answer.code == 3
    assert answer.error["details"]["near"] == ["people/mercury", "projects/mercury"]


def test_an_entity_shows_its_facts_and_relations(engram: Engram) -> None:
    engram(
        "write", "--entity", "people/anna", "--create", "--fact", "Anna leads billing", "--related", "projects/billing"
    )

    view = engram("entity", "show", "people/anna", "--json").json

    assert view["related"] == ["projects/billing"]
    assert [fact["text"] for fact in view["active_facts"]] == ["Anna leads billing"]
    assert [one["path"] for one in engram("entity", "list", "--json").json["entities"]] == ["people/anna"]


@pytest.mark.parametrize(
    "command", [["correct", "anna-001", "--fact", "b"], ["retract", "anna-001", "--reason", "b"], ["pin", "anna-001"]]
)
def test_a_dry_run_changes_nothing(engram: Engram, workspace: Workspace, tea: str, command: list[str]) -> None:
    head = workspace.journal.head()

    answer = engram(*command, "--dry-run", "--json")

    assert answer.code == 0, tea
    assert answer.json["changes"]
    assert head == workspace.journal.head()


def test_rebuild_all_gives_the_same_digests(engram: Engram, tea: str) -> None:
    engram("correct", tea, "--fact", "Anna prefers coffee")
    engram("rebuild", "index")
    before = engram("verify", "--json").json

    answer = engram("rebuild", "all", "--json")

    assert {"database", "index", "mirror"} == set(answer.json["rebuilt"])
    assert before["digests"] == engram("verify", "--json").json["digests"]


def test_verify_finds_a_row_that_the_journal_does_not_know(engram: Engram, workspace: Workspace, tea: str) -> None:
    import duckdb

    with duckdb.connect(str(workspace.paths.database)) as tampered:
        tampered.execute("UPDATE facts SET text = 'Anna prefers gin' WHERE id = ?", [tea])

    answer = engram("verify", "--json")

    assert answer.code == 6
    assert answer.json["problems"] == ["table facts is not what the journal says"]


def test_verify_finds_a_broken_chain(engram: Engram, workspace: Workspace, tea: str) -> None:
    engram("pin", tea)
    segment = next(workspace.paths.journal.glob("*.jsonl"))
    segment.write_bytes(segment.read_bytes().replace(b"prefers tea", b"prefers gin", 1))

    answer = engram("verify", "--json")

    assert answer.code == 6
    assert "doctor" in answer.error["hint"]


def test_lines_are_answered_one_by_one_while_the_writer_is_still_writing(workspace: Workspace) -> None:
    command = [
        sys.executable,
        "-m",
        "engram",
        "--workspace",
        str(workspace.paths.root),
        "write",
        "--jsonl",
        "-",
        "--json",
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        for number in range(3):
            line = {"entity": "people/anna", "create": True, "fact": f"Anna has {number} cats at home {number}"}
            child.stdin.write(json.dumps(line).encode() + b"\n")
            child.stdin.flush()
            assert json.loads(child.stdout.readline())["status"] == "created"
        child.stdin.close()
        assert child.wait(timeout=60) == 0


def test_lines_can_be_planned_or_only_made_durable(engram: Engram, workspace: Workspace) -> None:
    lines = "".join(
        json.dumps({"entity": "people/anna", "create": True, "fact": text}) + "\n" for text in ("one cat", "two dogs")
    )

    planned = engram("write", "--jsonl", "-", "--dry-run", "--json", stdin=lines)
    assert [json.loads(line)["status"] for line in planned.out.splitlines()] == ["created", "created"]
    assert workspace.journal.head()[0] == 0

    accepted = engram("write", "--jsonl", "-", "--wait", "0", "--json", stdin=lines)
    assert [json.loads(line)["status"] for line in accepted.out.splitlines()] == ["accepted", "accepted"]
    assert workspace.journal.head()[0] == 0
    assert [fact["text"] for fact in engram("facts", "--json").json["facts"]] == ["one cat", "two dogs"]


def test_a_write_waits_as_long_as_the_settings_say(workspace: Workspace) -> None:
    with workspace.paths.settings.open("a") as settings:
        settings.write("\n[store]\nwait_s = 0.2\n")
    engram = [sys.executable, "-m", "engram", "--workspace", str(workspace.paths.root)]
    command = [*engram, "write", "--entity", "people/anna", "--create", "--fact", "a", "--json"]
    with workspace.locks.named("store", "holder").hold(wait_s=0):
        # Ended before the default of 30 s would be over, so it was not the default that was waited for.
        done = subprocess.run(command, capture_output=True, timeout=25, check=True)

    assert json.loads(done.stdout)["status"] == "accepted"


@pytest.mark.parametrize("settings", ["timezone = [broken", "[store]\nwait_s = 'soon'\n", "[store]\nwait_s = -1\n"])
def test_a_write_that_is_refused_for_its_settings_is_not_spooled(
    engram: Engram, workspace: Workspace, settings: str
) -> None:
    workspace.paths.settings.write_text(settings)

    answer = engram("write", "--entity", "people/anna", "--create", "--fact", "a")

    assert answer.code == 2
    assert workspace.spool.waiting() == []


def test_a_fact_that_is_durable_already_is_said_to_be_kept(engram: Engram, workspace: Workspace) -> None:
    good = workspace.paths.settings.read_text()
    workspace.paths.settings.write_text("colour = 'red'\n")

    answer = engram("write", "--entity", "people/anna", "--create", "--fact", "a", "--json")
    workspace.paths.settings.write_text(good)

    assert answer.code == 2
    assert "kept as command" in answer.error["message"]
    assert engram("status", answer.error["details"]["command_id"], "--json").json["status"] == "created"


def test_a_damaged_index_state_is_named_and_never_taken_for_none(
    engram: Engram, workspace: Workspace, tea: str
) -> None:
    engram("rebuild", "index")
    (workspace.paths.index / "state.json").write_text("{broken")

    assert any("damaged" in word for word in engram("verify", "--json").json["degraded"]), tea
    assert "damaged" in engram("status").err


def test_an_index_that_cannot_be_used_does_not_keep_a_fact_out(engram: Engram, workspace: Workspace, tea: str) -> None:
    engram("rebuild", "index")
    (workspace.paths.index / "state.json").write_text("{broken")

    answer = engram("write", "--entity", "people/anna", "--fact", "Anna likes milk", "--semantic-check", "--json")

    assert (answer.code, answer.json["status"]) == (0, "created"), tea
    assert "damaged" in answer.err


def test_a_semantic_check_in_a_dry_run_makes_nothing(engram: Engram, workspace: Workspace) -> None:
    answer = engram(
        "write", "--entity", "people/anna", "--create", "--fact", "a", "--semantic-check", "--dry-run", "--json"
    )

    assert answer.code == 0
    assert not workspace.paths.database.exists()
    assert list(workspace.paths.index.iterdir()) == []


def test_a_fact_of_another_category_is_a_new_version_in_the_same_words(engram: Engram) -> None:
    engram(
        "write", "--entity", "projects/x", "--create", "--fact", "Retries hid the real error", "--category", "context"
    )

    same = engram("correct", "x-001", "--fact", "Retries hid the real error", "--category", "context")
    other = engram("correct", "x-001", "--fact", "Retries hid the real error", "--category", "lesson", "--json")

    assert same.code == 4
    assert (other.json["status"], other.json["superseded"]) == ("superseded", ["projects/x-001"])
    assert other.json["fact"]["category"] == "lesson"


def test_adding_an_entity_names_the_one_that_may_be_the_same(engram: Engram) -> None:
    engram("entity", "add", "people/meera")

    added = engram("entity", "add", "people/mira")

    assert added.code == 0
    assert "people/meera may be the same" in added.out
    assert "engram entity merge people/mira people/meera" in added.out
    assert "may be the same" not in engram("entity", "add", "people/boris").out


def test_the_list_of_entities_counts_one_fact_as_one(engram: Engram, tea: str) -> None:
    assert tea
    [anna] = [line for line in engram("entity", "list").out.splitlines() if line.startswith("people/anna")]
    assert anna.split() == ["people/anna", "Anna", "1", "fact"]


@pytest.mark.usefixtures("tea")
@pytest.mark.parametrize("command", [("show",), ("history",), ("correct", "Anna prefers coffee"), ("pin",)])
def test_a_name_in_place_of_an_id_is_told_from_one_that_nobody_has(engram: Engram, command: tuple[str, ...]) -> None:
    named = engram(command[0], "anna", *command[1:])
    nobody = engram(command[0], "anna-999", *command[1:])

    assert (named.code, nobody.code) == (3, 3)
    assert "'anna' names people/anna, and no fact" in named.err
    assert "engram facts people/anna lists what is known of it, with ids" in named.err
    assert "no fact has the id 'anna-999'" in nobody.err


@pytest.mark.usefixtures("tea")
@pytest.mark.parametrize("command", [("correct", "prefers tea", "prefers coffee"), ("forget", "prefers tea", "--yes")])
def test_words_in_place_of_an_id_are_answered_with_what_finds_it(engram: Engram, command: tuple[str, ...]) -> None:
    answer = engram(*command)

    assert (answer.code, answer.err) == (
        3,
        "error: no fact has the id 'prefers tea'\nhint: engram recall 'prefers tea' finds the id by these words\n",
    )
    assert "people/anna-001" in engram("recall", "prefers tea").out


def test_a_tension_in_a_pipe_has_no_style(engram: Engram) -> None:
    for text in ("Lantern has 12 seats", "Lantern has 15 seats"):
        engram("write", "projects/lantern", text, "--category", "status")
    engram("tension", "add", "lantern-001", "lantern-002", "--reason", "they count differently")

    for command in (("list",), ("show", "tension-0001")):
        told = engram("tension", *command).out
        assert "projects/lantern-001" in told
        assert "[2m" not in told
