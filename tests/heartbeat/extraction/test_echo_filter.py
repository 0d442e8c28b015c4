"""What recall gave out and what comes back in notes and turns: who wrote it decides whether it is news."""

from typing import Any

import pytest

from engram.heartbeat.extraction.batches import Batch
from engram.heartbeat.extraction.echo_filter import leave_out_recalled
from engram.heartbeat.run.options import RunOptions
from engram.heartbeat.run.runner import run_heartbeat
from engram.language.names.mentions import Known
from engram.language.names.mentions import NameIndex
from engram.language.screen.recall_echo import Recalled
from engram.language.screen.recall_echo import prints_of
from engram.model.conversation import NoteEntry
from engram.model.conversation import Turn
from engram.model.document import Hit
from engram.model.handoff import HandoffFact
from engram.ports.database import FactFilter
from engram.services.commands.access_counts import RecallReceipt
from engram.workspace import Workspace
from tests.heartbeat.notes import put_note

pytestmark = pytest.mark.usefixtures("children_here")

TEA = "Anna prefers green tea to coffee"
INDEX = NameIndex([Known("people/anna", ("Anna",)), Known("people/boris", ("Boris",))])


def note(text: str) -> Batch:
    entry = NoteEntry(id="note/1", path="a.md", text=text, sha256="0", start=0, end=1, line=1)
    return Batch([entry], [], [])


def turn(text: str) -> Batch:
    return Batch([], [Turn(id="turn/1", session="demo", text=text, ordinal=0, speaker="user")], [])


def fact(quote: str = TEA, entity: str = "people/anna", entry: str | None = None) -> HandoffFact:
    return HandoffFact(entity=entity, fact=quote, quote=quote, entry=entry)


@pytest.mark.parametrize(
    ("batch", "given_out_as", "entity", "is_news", "why"),
    [
        (note(f"- {TEA}"), None, "people/anna", True, "nobody was told"),
        (note(f"- {TEA}"), "people/anna-001", "people/anna", False, "the agent repeats what it was told"),
        (note(f"- {TEA}"), "people/anna-001", "Anna", False, "by whatever name"),
        (note(f"- {TEA}"), "turn/1-2", "people/anna", False, "a turn was given out, and stands there already"),
        (note(f"- {TEA}"), "people/anna-001", "people/boris", False, "the agent repeats it in a wrong place"),
        (turn(TEA), "people/anna-001", "people/anna", True, "the user says again what she said: she confirms it"),
        (turn(TEA), "people/anna-001", "Anna", True, "by whatever name"),
        (turn(TEA), "people/boris-001", "people/anna", False, "the same fact of somebody else"),
        (turn(TEA), "turn/1-2", "people/anna", True, "she said it before, and says it again"),
        (turn(TEA), "note/0a-12", "people/anna", True, "the same"),
        (
            turn(f"=== recalled: 1 ===\n| {TEA}\n=== end ==="),
            None,
            "people/anna",
            False,
            "she pasted what was recalled",
        ),
        (turn(f"=== recalled: 1 ===\n| ok\n=== end ===\n{TEA}"), None, "people/anna", True, "she said it below"),
    ],
)
def test_who_wrote_it_decides_whether_it_is_news(
    batch: Batch, given_out_as: str | None, entity: str, is_news: bool, why: str
) -> None:
    recalled = Recalled(dict.fromkeys(prints_of(TEA), given_out_as) if given_out_as else {})

    left = leave_out_recalled([fact(entity=entity)], batch, INDEX, recalled.find)

    assert bool(left) == is_news, why


def test_a_quote_that_stands_nowhere_is_left_to_those_who_refuse_it() -> None:
    recalled = Recalled(dict.fromkeys(prints_of(TEA), "people/anna-001"))

    assert leave_out_recalled([fact()], note("- something else"), INDEX, recalled.find) == [fact()]


def test_a_quotation_in_other_words_is_known_by_the_fact_that_was_made_of_it() -> None:
    recalled = Recalled(dict.fromkeys(prints_of(TEA), "people/anna-001"))
    told = HandoffFact(entity="people/anna", fact=TEA, quote="green tea, as always", entry="note/1")

    assert leave_out_recalled([told], note("- green tea, as always"), INDEX, recalled.find) == []


# --- in a run ----------------------------------------------------------------------------------------------------


def run(workspace: Workspace) -> dict[str, Any]:
    (phase,) = run_heartbeat(workspace, RunOptions(phases=("extraction",))).phases
    return phase.stats


def give_out(workspace: Workspace, text: str, fact_id: str) -> None:
    hit = Hit(id=fact_id, kind="fact", text=text, score=1.0)
    workspace.answers.note([RecallReceipt([hit], 8, "what does Anna drink")])


def test_a_run_makes_no_fact_of_what_recall_said(workspace: Workspace) -> None:
    decided = "We decided to host Billing in Frankfurt."
    workspace.submit("entity-add", {"path": "projects/billing", "title": "Billing"})
    workspace.submit("entity-add", {"path": "projects/ledger", "title": "Ledger"})
    workspace.submit("write", {"entity": "projects/ledger", "text": decided})
    give_out(workspace, decided, "projects/ledger-001")
    put_note(
        workspace, "main/main/2026-02-24.md", f"## Decisions\n\n- {decided}\n- We decided to pay Billing in euros.\n"
    )

    stats = run(workspace)
    with workspace.reading() as database:
        facts = [(one.entity, one.text) for one in database.list_facts(FactFilter(status="all"))]
        usages = database.usages()

    assert facts == [
        ("projects/billing", "We decided to pay Billing in euros."),
        ("projects/ledger", decided),
    ]
    assert (stats["recalled"], stats["created"]) == (1, 1)
    assert usages == {}
