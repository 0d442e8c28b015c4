"""The daily check of the database: folded from a short journal, left to `engram doctor` where that takes long."""

import duckdb
import pytest

from engram.operations.examine import checkup_of
from engram.services.doctor import store_checks
from engram.services.doctor.check import Checkup
from engram.services.doctor.store_checks import check_database
from engram.services.doctor.store_checks import check_database_lightly
from engram.services.doctor.store_checks import check_decisions
from engram.workspace import Workspace
from engram.workspace import database_access


@pytest.fixture
def tampered(workspace: Workspace) -> Checkup:
    """A store in whose database a fact says something else than in the journal."""
    workspace.submit("write", {"entity": "people/anna", "text": "Anna prefers tea", "create": True})
    with duckdb.connect(str(workspace.paths.database)) as database:
        database.execute("UPDATE facts SET text = 'Anna prefers gin'")
    return checkup_of(workspace, "test")


def test_a_short_journal_is_folded_every_day(tampered: Checkup) -> None:
    with tampered.hold_store():
        assert [finding.code for finding in check_database_lightly(tampered)] == ["database-differs"]


@pytest.mark.parametrize("limit", ["_FOLDED_RECORDS", "_FOLDED_BYTES"])
def test_one_of_many_records_or_of_much_text_is_not(
    tampered: Checkup, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(store_checks, limit, 0)
    with tampered.hold_store():
        assert list(check_database_lightly(tampered)) == []
        assert [finding.code for finding in check_database(tampered)] == ["database-differs"]


def test_the_fold_holds_no_more_of_the_journal_at_once_than_every_replay_does(
    tampered: Checkup, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        workspace.submit("write", {"entity": "people/anna", "text": f"Anna owns {number} boats"})
    monkeypatch.setattr(database_access, "_BATCH_BYTES", 1)
    told: list[int] = []

    def listen(what: str, done: int = 0, total: int = 0, most_s: float | None = None) -> None:
        told.append(done)

    workspace.progress = listen

    with tampered.hold_store():
        found = [finding.code for finding in check_database(tampered)]

    assert found == ["database-differs"]
    assert told == list(range(1, workspace.journal.head()[0] + 1))


@pytest.mark.parametrize("vouch", ["pin", "confirm"])
def test_a_fact_that_a_person_vouched_for_may_be_more_trusted_than_its_source(workspace: Workspace, vouch: str) -> None:
    anna = {"entity": "people/anna", "create": True}
    heard = workspace.submit("write", {**anna, "text": "Anna prefers tea", "trust": "unverified"})
    made = workspace.submit("write", {**anna, "text": "Anna owns a teapot", "derived_from": [str(heard.id)]})
    assert made.fact is not None
    assert made.fact["trust"] == "unverified"

    vouched = workspace.submit(vouch, {"id": str(made.id)})

    assert vouched.fact is not None
    assert vouched.fact["trust"] == "trusted"
    checkup = checkup_of(workspace, "test")
    with checkup.hold_store():
        assert list(check_decisions(checkup)) == []
