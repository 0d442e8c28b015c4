"""Every line that somebody changed in life/ ends as an edit, as a tension, or as passed over with the file kept."""

import re
from pathlib import Path
from typing import Any

import pytest

from engram.model.fact import Fact
from engram.ports.database import FactFilter
from engram.workspace import Workspace

ANNA = "people/anna"


@pytest.fixture
def anna(workspace: Workspace) -> Workspace:
    """A workspace that knows of Anna."""
    workspace.submit("entity-add", {"path": ANNA})
    return workspace


def say(workspace: Workspace, text: str, **more: Any) -> str:
    return workspace.submit("write", {"entity": ANNA, "text": text, **more}).id or ""


def summary(workspace: Workspace) -> Path:
    return workspace.paths.life / ANNA / "summary.md"


def edit(workspace: Workspace, before: str, after: str) -> None:
    text = summary(workspace).read_text(encoding="utf-8")
    assert before in text
    summary(workspace).write_text(text.replace(before, after), encoding="utf-8")


def facts(workspace: Workspace, status: str = "active") -> dict[str, Fact]:
    with workspace.reading() as database:
        return {fact.id: fact for fact in database.list_facts(FactFilter(entity=ANNA, status=status))}


def tensions(workspace: Workspace) -> set[frozenset[str]]:
    with workspace.reading() as database:
        return {frozenset({one.fact1, one.fact2}) for one in database.list_tensions()}


def test_an_edit_onto_the_words_of_another_live_fact_retires_the_old_one_in_its_favour(anna: Workspace) -> None:
    tea, coffee = say(anna, "Anna drinks tea at work"), say(anna, "Anna drinks coffee at work")
    edit(anna, "Anna drinks tea at work", "Anna drinks coffee at work")

    done = anna.store.refresh_mirror()

    assert done["edits"] == 1
    assert list(facts(anna)) == [coffee]
    assert facts(anna, "all")[tea].superseded_by == coffee
    assert summary(anna).read_text(encoding="utf-8").count("coffee") == 1
    assert anna.store.refresh_mirror()["edits"] == 0


def test_an_edit_of_a_line_whose_fact_was_replaced_meanwhile_is_a_tension(anna: Workspace) -> None:
    say(anna, "Anna works at Acme", attribute="employer", value="Acme")
    edited = summary(anna).read_text(encoding="utf-8").replace("at Acme", "at Acme Labs")
    globex = say(anna, "Anna works at Globex", attribute="employer", value="Globex")
    summary(anna).write_text(edited, encoding="utf-8")

    anna.store.refresh_mirror()

    labs = next(fact.id for fact in facts(anna).values() if fact.text == "Anna works at Acme Labs")
    assert globex in facts(anna)
    assert tensions(anna) == {frozenset({globex, labs})}


def test_an_edit_of_a_line_whose_fact_was_taken_back_meanwhile_is_named_and_kept(anna: Workspace) -> None:
    visa = say(anna, "Anna has a visa for Japan")
    edited = summary(anna).read_text(encoding="utf-8").replace("a visa", "a work visa")
    anna.submit("retract", {"id": visa, "reason": "it was a mistake"})
    summary(anna).write_text(edited, encoding="utf-8")

    done = anna.store.refresh_mirror()

    assert facts(anna) == {}
    assert any(visa in sentence for sentence in done["ignored"])
    assert [(anna.paths.root / kept).read_text(encoding="utf-8") for kept in done["kept"]] == [edited]


@pytest.mark.parametrize(
    ("written", "end"), [("2026-09-01", "2026-09-01"), ("2026-10", "2026-10-01"), ("2027", "2027-01-01")]
)
def test_a_changed_end_date_is_read(anna: Workspace, written: str, end: str) -> None:
    flat = say(anna, "Anna rents a flat in Riga", valid_to="2026-05-01")
    edit(anna, "2026-05-01", written)

    done = anna.store.refresh_mirror()

    assert (done["edits"], done["ignored"]) == (1, [])
    (now,) = facts(anna).values()
    assert (now.supersedes, str(now.valid_to)[:10]) == ((flat,), end)
    assert re.search(rf"to {written}\) \[", summary(anna).read_text(encoding="utf-8"))


def test_an_end_that_is_taken_away_is_named_and_the_file_kept(anna: Workspace) -> None:
    flat = say(anna, "Anna rents a flat in Riga", valid_to="2026-05-01")
    edit(anna, " to 2026-05-01", "")

    done = anna.store.refresh_mirror()

    assert any(flat in sentence for sentence in done["ignored"])
    assert len(done["kept"]) == 1
    assert str(facts(anna)[flat].valid_to)[:10] == "2026-05-01"


def test_an_edit_of_letters_only_is_named(anna: Workspace) -> None:
    say(anna, "Anna drinks tea")
    edit(anna, "Anna drinks tea", "Anna drinks TEA")

    done = anna.store.refresh_mirror()

    assert any("in other letters" in sentence for sentence in done["ignored"])
