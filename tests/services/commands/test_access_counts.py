"""What recall gave out: rows of the log, counted exactly once in the journal, and known again when it comes back."""

import datetime as dt
from typing import Any

import pytest

from engram.base.text import fingerprint
from engram.base.text import sha256_hex
from engram.model.changes.change import FactAccessed
from engram.model.document import Hit
from engram.model.fact import Actor
from engram.model.fact import Usage
from engram.operations.use_count import fold_accesses
from engram.rules.life.decay import HOT
from engram.services.commands.access_counts import RecallReceipt
from engram.services.commands.access_counts import access_row
from engram.services.commands.access_counts import count_uses
from engram.services.commands.access_counts import marks_watermark
from engram.services.commands.access_counts import read_marks
from engram.services.commands.access_counts import recalled_lately
from engram.services.facts.listing import FactQuery
from engram.services.facts.listing import Moment
from engram.services.facts.listing import list_facts
from engram.workspace import Workspace
from tests.making import NOW

TEA = "Anna prefers green tea to coffee"


def hit(fact_id: str = "people/anna-001", text: str = TEA, kind: str = "fact") -> Hit:
    return Hit(id=fact_id, kind=kind, text=text, score=0.5)


def given(*hits: Hit, **fields: Any) -> RecallReceipt:
    return RecallReceipt(hits, tokens=8, **{"question": "what does Anna drink", **fields})


def row(*hits: Hit, at: dt.datetime = NOW, keep_words: bool = False, **fields: Any) -> dict[str, Any]:
    return access_row(given(*hits, **fields), at=at, keep_words=keep_words)


# --- rows --------------------------------------------------------------------------------------------------------


def test_a_row_says_what_was_given_to_whom_and_not_what_was_asked() -> None:
    found = row(hit(), session="demo")

    assert (found["at"], found["door"], found["session"], found["tokens"]) == (
        "2026-03-02T10:00:00Z",
        "recall",
        "demo",
        8,
    )
    assert [one["id"] for one in found["hits"]] == ["people/anna-001"]
    assert "drink" not in str(found)
    assert "green" not in str(found)
    assert found["question"] == sha256_hex(fingerprint("what does Anna drink"))[:16]


def test_words_are_kept_when_the_owner_wants_them() -> None:
    assert row(hit(), keep_words=True)["words"] == "what does Anna drink"


def test_a_secret_in_a_question_is_not_kept() -> None:
    secret = "ghp_" + "".join("aB3dE5fG7h"[n % 10] for n in range(36))

    assert secret not in str(row(question=f"who owns the token {secret}", keep_words=True))


@pytest.mark.parametrize("again", ["What does Anna drink", " what  does anna drink. "])
def test_equal_questions_have_one_mark(again: str) -> None:
    assert row(question=again)["question"] == row()["question"]


def test_what_was_not_asked_for_has_no_question() -> None:
    assert row(question="", door="standing")["question"] is None


# --- counting ----------------------------------------------------------------------------------------------------


def test_uses_are_counted_by_fact_with_the_latest_instant() -> None:
    earlier, later = NOW - dt.timedelta(hours=3), NOW - dt.timedelta(hours=1)
    rows = [row(hit(), hit("people/b-001"), at=later), row(hit(), at=earlier), row(hit("turn/1", kind="turn"), at=NOW)]

    assert count_uses(rows) == [
        {"id": "people/anna-001", "at": "2026-03-02T09:00:00Z", "count": 2},
        {"id": "people/b-001", "at": "2026-03-02T09:00:00Z", "count": 1},
    ]


@pytest.mark.parametrize("door", ["standing", "context", "", None])
def test_what_is_shown_unasked_proves_no_use(door: str | None) -> None:
    assert count_uses([{**row(hit()), "door": door}]) == []


@pytest.mark.parametrize(
    "damage",
    [
        {"at": "yesterday"},
        {"at": None},
        {"at": "2026-03-02T10:00:00"},
        {"hits": None},
        {"hits": "people/anna-001"},
        {"hits": [None, 3, [], {"id": 3, "kind": "fact"}, {"kind": "fact"}]},
    ],
)
def test_a_row_that_somebody_damaged_counts_for_nothing(damage: dict[str, Any]) -> None:
    broken = {**row(hit()), **damage}

    assert count_uses([broken]) == []
    assert recalled_lately([broken], NOW).find(TEA) is None


def test_marks_come_back_from_their_watermark() -> None:
    marks = {"b.jsonl": 7, "a.jsonl": 0}
    mark = marks_watermark(marks)

    assert read_marks({mark.key: mark.value}) == marks
    assert read_marks({}) == {}


# --- in a workspace ----------------------------------------------------------------------------------------------


def write(workspace: Workspace, text: str = TEA, actor: Actor = Actor.USER, entity: str = "people/anna") -> Any:
    return workspace.submit("write", {"entity": entity, "text": text, "create": True}, actor=actor)


def usage(workspace: Workspace, fact_id: str = "people/anna-001") -> Usage:
    with workspace.reading() as database:
        return database.usages([fact_id]).get(fact_id) or Usage(fact_id=fact_id)


def test_each_use_is_counted_once_however_often_is_folded(workspace: Workspace) -> None:
    write(workspace)
    workspace.answers.note([given(hit()), given(hit())])

    first, second = fold_accesses(workspace), fold_accesses(workspace)
    position = workspace.journal.head()[0]
    workspace.answers.note([given(hit())])
    third = fold_accesses(workspace)

    assert (first["answers"], first["facts"], second["answers"], third["answers"]) == (2, 1, 0, 1)
    assert usage(workspace).access_count == 3
    assert workspace.journal.head()[0] == position + 1


def test_a_fold_that_broke_off_before_its_record_counts_later(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(workspace)
    workspace.answers.note([given(hit())])
    with monkeypatch.context() as patched:
        patched.setattr(workspace.journal, "append", lambda records: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            fold_accesses(workspace)

    fold_accesses(workspace)

    assert usage(workspace).access_count == 1


def test_uses_that_are_counted_late_do_not_take_the_clock_back(workspace: Workspace) -> None:
    write(workspace)
    workspace.answers.note([given(hit())])
    workspace.now = lambda: NOW + dt.timedelta(days=1)
    workspace.submit("access", {"id": "people/anna-001"})

    fold_accesses(workspace)

    found = usage(workspace)
    assert (found.access_count, found.last_accessed_at) == (2, NOW + dt.timedelta(days=1))


def test_what_an_older_version_wrote_was_one_use() -> None:
    assert FactAccessed.model_validate_json(f'{{"id": "people/anna-001", "at": "{NOW.isoformat()}"}}').count == 1


def test_nothing_is_written_when_nothing_was_asked(workspace: Workspace) -> None:
    write(workspace)
    position = workspace.journal.head()[0]

    assert fold_accesses(workspace) == {"answers": 0, "facts": 0, "files_removed": 0}
    assert workspace.journal.head()[0] == position


def test_a_fact_that_is_not_there_is_passed_over(workspace: Workspace) -> None:
    write(workspace)
    workspace.answers.note([given(hit("people/nobody-007"), hit())])

    fold_accesses(workspace)

    assert (usage(workspace).access_count, usage(workspace, "people/nobody-007").access_count) == (1, 0)


def test_a_fact_that_was_recalled_stays_hot(workspace: Workspace) -> None:
    write(workspace)
    write(workspace, "Anna prefers long meetings")
    days = [NOW + dt.timedelta(days=day) for day in range(1, 41)]
    workspace.now = lambda: day
    with workspace.writing("test") as recorder:
        for day in days:  # the store is used every day
            rain = {"entity": "people/b", "text": f"It rained on {day:%d %B}", "create": True}
            recorder.record([workspace.envelope("write", rain)])
    workspace.answers.note([given(hit())])
    fold_accesses(workspace)
    with workspace.reading() as database:
        settings = workspace.settings
        moment = Moment(now=days[-1], decay=settings.decay, zone=settings.zone, caller=None)
        tier_of = {fact["id"]: fact["tier"] for fact in list_facts(database, FactQuery(entity="people/anna"), moment)}

    assert tier_of == {"people/anna-001": HOT, "people/anna-002": "cold"}


def test_a_log_that_cannot_be_written_is_a_warning(workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    workspace.paths.accesses.write_text("no folder")

    workspace.answers.note([given(hit())])

    assert "not in the access log" in capsys.readouterr().err


def test_the_settings_can_turn_it_off(workspace: Workspace) -> None:
    recall = workspace.settings.recall.model_copy(update={"log_accesses": False})
    workspace.settings = workspace.settings.model_copy(update={"recall": recall})

    workspace.answers.note([given(hit())])

    assert not workspace.paths.accesses.exists()


# --- what comes back ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("days", "known"), [(0, "people/anna-001"), (29, "people/anna-001"), (31, None)])
def test_what_was_given_out_is_known_for_a_bounded_time(days: int, known: str | None) -> None:
    rows = [row(hit(), at=NOW - dt.timedelta(days=days))]

    assert recalled_lately(rows, NOW).find(f"- {TEA}") == known


def test_of_a_fact_and_a_turn_with_the_same_words_it_is_the_fact() -> None:
    turn = hit("turn/1", kind="turn")

    assert recalled_lately([row(turn), row(hit()), row(turn)], NOW).find(TEA) == "people/anna-001"


@pytest.mark.parametrize(
    ("actor", "given_out", "uses", "confirmed"),
    [
        (Actor.AGENT, True, 1, 0),
        (Actor.TOOL, True, 1, 0),
        (Actor.AGENT, False, 0, 1),
        (Actor.USER, True, 0, 1),
    ],
)
def test_an_agent_that_repeats_what_it_was_told_confirms_nothing(
    workspace: Workspace, actor: Actor, given_out: bool, uses: int, confirmed: int
) -> None:
    write(workspace)
    if given_out:
        workspace.answers.note([given(hit())])

    result = write(workspace, f"{TEA}.", actor)

    assert (result.status, result.id) == ("confirmed", "people/anna-001")
    assert ("counted as a use" in result.reason) == bool(uses)
    assert (usage(workspace).access_count, usage(workspace).confirm_count) == (uses, confirmed)


def test_the_same_words_about_somebody_else_are_a_new_fact(workspace: Workspace) -> None:
    write(workspace, "Uses PostgreSQL 16")
    workspace.answers.note([given(hit(text="Uses PostgreSQL 16"))])

    assert write(workspace, "Uses PostgreSQL 16", Actor.AGENT, entity="projects/billing").status == "created"


def test_what_the_same_process_gives_out_later_is_known_too(workspace: Workspace) -> None:
    write(workspace)
    assert workspace.answers.recalled()(TEA) is None
    workspace.answers.note([given(hit())])

    assert workspace.answers.recalled()(TEA) == "people/anna-001"
