"""A past of which far more is to be kept than one answer of a child may hold."""

from collections import Counter
from typing import Any

import pytest

from engram.heartbeat.answers import extraction
from engram.heartbeat.extraction import phase as extraction_phase
from engram.heartbeat.extraction.batches import built_in_chars
from engram.heartbeat.extraction.batches import split_batches
from engram.heartbeat.intake.unread import collect_unread
from engram.heartbeat.run.options import RunOptions
from engram.heartbeat.run.runner import run_heartbeat
from engram.language.text.statements import split_statements
from engram.model.handoff import Handoff
from engram.model.handoff import HandoffFact
from engram.model.handoff import HandoffStatus
from engram.ports.database import FactFilter
from engram.rules.handoff import handoff
from engram.workspace import Workspace
from tests.heartbeat.in_process import answer_in_process
from tests.heartbeat.notes import put_note

DECISION = "- Decided: the {name} service moves to port {port}\n"
NAMES = ("billing", "search", "mail", "login", "export", "backup")
ONLY = RunOptions(phases=("extraction",))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer holds ten facts, and a batch six statements."""
    answer_in_process(monkeypatch)
    monkeypatch.setattr(handoff, "MAX_ITEMS", 10)
    monkeypatch.setattr(extraction_phase, "BUILT_IN_BATCH_CHARS", 600)


def decisions(first: int, count: int) -> str:
    return "".join(DECISION.format(name=name, port=first + place) for name in NAMES for place in range(count))


def kept(workspace: Workspace) -> Counter[str]:
    with workspace.reading() as database:
        return Counter(fact.source.path or "" for fact in database.list_facts(FactFilter(status="all")))


@pytest.mark.usefixtures("small")
def test_everything_that_is_worth_it_is_kept_although_one_answer_could_not_hold_it(workspace: Workspace) -> None:
    for place in range(3):
        put_note(workspace, f"main/main/2026-01-0{place + 1}.md", decisions(1000 * (place + 1), 4))

    (phase,) = run_heartbeat(workspace, ONLY).phases

    assert phase.status == "ok"
    assert phase.stats["no_room"] == 0
    assert sum(kept(workspace).values()) == phase.stats["facts_written"] > 2 * handoff.MAX_ITEMS
    assert collect_unread(workspace).notes == []


@pytest.mark.usefixtures("small")
def test_what_was_read_is_kept_and_not_read_again_when_a_later_batch_fails(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in range(3):
        put_note(workspace, f"main/main/2026-01-0{place + 1}.md", decisions(1000 * (place + 1), 1))
    answer = extraction.answer

    def fails_at_last(given: dict[str, Any]) -> Handoff:
        failed = "port 3000" in str(given["passages"])
        return Handoff(status=HandoffStatus.FAILED, summary="no") if failed else answer(given)

    with monkeypatch.context() as broken:
        broken.setattr(extraction, "answer", fails_at_last)
        phase = run_heartbeat(workspace, ONLY).phases[0]
    left = {note.path for note in collect_unread(workspace).notes}

    assert phase.status == "failed"
    assert kept(workspace).keys() == {"memory/main/main/2026-01-01.md", "memory/main/main/2026-01-02.md"}
    assert left == {"memory/main/main/2026-01-03.md"}
    assert run_heartbeat(workspace, ONLY).phases[0].status == "ok"
    assert collect_unread(workspace).notes == []


@pytest.mark.usefixtures("small")
def test_of_one_text_that_says_more_than_an_answer_holds_the_surest_is_kept(workspace: Workspace) -> None:
    said = "".join(DECISION.format(name=name, port=place) for name in NAMES for place in range(1000, 1005)).split("- ")
    workspace.submit("capture", {"session": "s", "turns": [{"id": "t", "session": "s", "text": "".join(said)}]})

    (phase,) = run_heartbeat(workspace, ONLY).phases

    assert sum(kept(workspace).values()) <= handoff.MAX_ITEMS
    assert phase.stats["no_room"] > 0
    assert any("least sure" in alert for alert in phase.alerts)
    assert collect_unread(workspace).turns == []


@pytest.mark.usefixtures("small")
def test_it_is_told_how_far_reading_is(workspace: Workspace) -> None:
    put_note(workspace, "main/main/2026-01-01.md", decisions(1000, 3))
    told = []

    def tell(what: str, done: int = 0, total: int = 0, most_s: float | None = None) -> None:
        told.append((what, done, total, most_s))

    workspace.progress = tell
    run_heartbeat(workspace, ONLY)

    assert [(done, all_) for _, done, all_, _ in told if all_] == [(0, 18), (6, 18), (12, 18), (18, 18)]
    assert {what for what, _, total, _ in told if total} == {"reading what is new"}


@pytest.mark.usefixtures("small")
def test_an_entity_of_the_batch_before_is_known_to_the_next_before_it_is_recorded(workspace: Workspace) -> None:
    named = "- The {name} service moves to port {port}\n"
    put_note(workspace, "main/main/2026-01-01.md", "".join(named.format(name="lantern", port=p) for p in range(30)))

    run_heartbeat(workspace, ONLY)

    with workspace.reading() as database:
        entities = [entity.path for entity in database.list_entities()]
        facts = database.list_facts(FactFilter(status="all"))
    assert len(facts) > 10
    assert len([path for path in entities if "lantern" in path]) == 1


def test_the_surest_stay_in_their_order() -> None:
    facts = [
        HandoffFact(entity="people/anna", fact=f"fact {place}", quote="quote", confidence=sure)
        for place, sure in enumerate([0.9, 0.5, 0.8, 0.95])
    ]

    assert [fact.fact for fact in extraction.surest(facts, 2)] == ["fact 0", "fact 3"]
    assert facts == extraction.surest(facts, 4)


def test_a_batch_for_the_built_in_child_holds_a_bounded_number_of_statements(workspace: Workspace) -> None:
    put_note(workspace, "main/main/a.md", "".join(f"- one {place}. Two. Three!\n\n" for place in range(200)))
    unread = collect_unread(workspace)
    batches = list(split_batches(unread, 1000, measure=built_in_chars))

    assert len(batches) > 1
    assert all(sum(len(split_statements(text)) for text in batch.texts) <= 10 for batch in batches)
