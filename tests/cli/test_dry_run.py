"""What `--dry-run` shows to a person: sentences, and never the changes as they are stored; and it changes nothing."""

from pathlib import Path

import pytest

from engram.hooks.background.deferred_requests import has_requests
from engram.hooks.background.deferred_requests import leave_status
from engram.hooks.background.deferred_requests import leave_transcripts
from engram.workspace import Workspace
from tests.conftest import Engram

PLANS = [
    (("write", "Clara plays the violin"), ["make people/clara (Clara)", "record people/clara-001: Clara plays the"]),
    (
        ("write", "--entity", "anna", "--attribute", "city", "--value", "Oslo", "--fact", "Anna lives in Oslo"),
        ["record people/anna-004: Anna lives in Oslo", "replace people/anna-001 by people/anna-004"],
    ),
    (("correct", "anna-001", "--fact", "Anna lives in Tartu"), ["replace people/anna-001 by people/anna-004"]),
    (("retract", "anna-001", "--reason", "it was Vera"), ["take back people/anna-001: it was Vera"]),
    (("confirm", "anna-001"), ["count people/anna-001 as confirmed once more"]),
    (("pin", "anna-001"), ["pin people/anna-001"]),
    (("access", "anna-001"), ["count a use of people/anna-001"]),
    (("entity", "add", "people/dora"), ["make people/dora (Dora)"]),
    (("entity", "alias", "anna", "Annie"), ["give people/anna the name Annie"]),
    (("entity", "rename", "anna", "people/annika"), ["make people/annika of people/anna (3 facts)"]),
    (("entity", "merge", "anna", "boris"), ["merge people/anna into people/boris (3 facts)"]),
    (("entity", "archive", "anna"), ["make archives/anna of people/anna (3 facts)"]),
    (("undo",), ["take back people/anna-003: undone"]),
    (("session", "add", "standup"), ["make the session standup"]),
    (("tension", "add", "which?", "--fact1", "anna-002", "--fact2", "anna-003"), ["open tension-0002, for a review"]),
    (("tension", "resolve", "tension-0001", "--outcome", "dissolve"), ["settle tension-0001"]),
    (("review", "answer", "tension-0001", "dissolve"), ["settle tension-0001"]),
    (("observe", "the build is slow on Mondays"), ["note observation-0001: the build is slow on Mondays"]),
    (("note", "add", "Anna was on call"), ["add a line to memory/main/main/", "under Events: Anna was on call"]),
    (("decision", "log", "We use DuckDB"), ["add a line to memory/main/main/decisions.md: We use DuckDB"]),
    (("domain", "add", "nightly", "--type", "cron-task"), ["would make domain nightly (cron-task)"]),
    (("heartbeat", "run"), ["it would run extraction, ", " and review", "0 note entries and 0 turns"]),
    (("hooks", "flush"), ["nothing is changed; it would take in 2 transcripts and 1 status line"]),
    (("hooks", "stop"), ["nothing is changed; no warm process runs"]),
    (("card", "run"), ["nothing is changed; asked now", "card-1: found at place 1"]),
    (("config", "decay.hot_days", "9"), ["it would set decay.hot_days = 9"]),
]


@pytest.fixture(autouse=True)
def _anna_and_boris(engram: Engram) -> None:
    slot = ("--entity", "people/anna", "--create", "--attribute", "city", "--value")
    engram("write", "--fact", "Anna lives in Riga", *slot, "Riga")
    engram("write", "--entity", "people/boris", "--create", "--fact", "Boris sings")
    engram("write", "--entity", "people/anna", "--fact", "Anna drinks coffee")
    engram("tension", "add", "where?", "--fact1", "anna-001", "--fact2", "boris-001")
    engram("write", "--entity", "people/anna", "--fact", "Anna swims")


def test_a_person_is_told_in_sentences_what_would_be_done(
    engram: Engram, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engram.hooks.background.deferred_requests.start_engram", lambda *_: None)
    transcripts = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for transcript in transcripts:
        transcript.touch()
    leave_transcripts(workspace.paths, transcripts)
    leave_status(workspace.paths, domain="nightly", subagent="backup", said="done")
    engram("card", "add", "does Boris sing", "--expect", "boris-001")
    waiting, cards = has_requests(workspace.paths), workspace.paths.cards.read_bytes()
    before = engram("status", "--json", "--now", "2026-12-24T00:00:00Z").json
    for args, told in PLANS:
        answer = engram(*args, "--dry-run")

        assert answer.code == 0, (args, answer.err)
        assert [words for words in told if words not in answer.out] == [], (args, answer.out)
        assert not any(sign in answer.out for sign in ('{"', "['", "None", "fact_", "entity_")), (args, answer.out)
    assert before == engram("status", "--json", "--now", "2026-12-24T00:00:00Z").json
    assert "decay.hot_days = 7" in engram("config", "decay.hot_days").out
    assert not (workspace.paths.memory / "domains").exists()
    assert (has_requests(workspace.paths), workspace.paths.cards.read_bytes()) == (waiting, cards)


def test_what_would_be_refused_is_an_error_and_nothing_else(engram: Engram) -> None:
    answer = engram("retract", "anna-009", "--reason", "x", "--dry-run")

    assert (answer.code, answer.out) == (3, "")
    assert "anna-009" in answer.err


def test_programs_get_the_changes(engram: Engram) -> None:
    found = engram("retract", "anna-001", "--reason", "x", "--dry-run", "--json").json

    assert [change["kind"] for change in found["changes"]] == ["fact_retracted", "tension_resolved"]
    assert found["dry_run"] is True
