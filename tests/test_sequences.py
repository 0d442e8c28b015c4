"""Whatever is commanded: what is folded step by step is what a rebuild gives, life/ and the index included."""

from collections.abc import Callable
from pathlib import Path

import pytest

from engram.store.database.duck_database import DuckFactDatabase
from tests.sequence_checks import differences
from tests.sequence_checks import problems_of
from tests.sequence_checks import rebuild_differences
from tests.sequences import Sequence


@pytest.mark.parametrize("seed", range(3))  # the second is archived as well, the third made anew
def test_sound_18_a_random_sequence_leaves_what_a_rebuild_makes(seed: int, tmp_path: Path) -> None:
    problems, counts = problems_of(tmp_path, seed, commands=15)

    assert problems == []
    assert sum(count for name, count in counts.items() if "refused" not in name) > 5


def _spoil_page(sequence: Sequence) -> None:
    page = sequence.workspace.paths.life / "people/anna/summary.md"
    page.write_text("# Anna\n\n- Anna prefers nothing\n")


def _spoil_row(sequence: Sequence) -> None:
    with sequence.workspace.reading() as database:
        assert isinstance(database, DuckFactDatabase)
        database._run("UPDATE facts SET confidence = 0.1")


def _spoil_index(sequence: Sequence) -> None:
    with sequence.workspace.index.searching() as index:
        index.set_live(["people/anna-001"], live=False)


@pytest.mark.parametrize(
    ("spoil", "told"), [(_spoil_page, "life/"), (_spoil_row, "table facts"), (_spoil_index, "the index")]
)
def test_sound_18_the_comparison_tells_a_store_that_is_not_what_its_journal_says(
    spoil: Callable[[Sequence], None], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sequence = Sequence(tmp_path, seed=0)
    sequence.memory.write("people/anna", "Anna plays the cello")
    assert differences(sequence) == []
    monkeypatch.setattr(sequence.memory, "rebuild", lambda _what: {})  # which would take it for an edit

    spoil(sequence)

    assert any(told in one for one in differences(sequence))
    sequence.close()


def test_sound_18_a_rebuild_tells_what_the_journal_does_not_make(tmp_path: Path) -> None:
    sequence = Sequence(tmp_path, seed=0)
    assert differences(sequence) == []
    assert rebuild_differences(sequence) == []

    with sequence.workspace.apart(), sequence.workspace.writing("test") as recorder:
        assert isinstance(recorder.database, DuckFactDatabase)
        recorder.database._run("DELETE FROM journal_tail WHERE position = 2")

    assert rebuild_differences(sequence) == ["table journal_tail differs from a rebuild"]
    sequence.close()


def test_sound_18_commands_that_wait_are_taken_in_together(tmp_path: Path) -> None:
    sequence = Sequence(tmp_path, seed=0)
    at = sequence.workspace
    before, _ = at.journal.head()
    at.commands.waits = 1.0
    said = [sequence.memory.write("people/anna", f"Anna {does}") for does in ("sings", "skis")]

    assert [result.status for result in said] == ["accepted", "accepted"]
    assert at.journal.head()[0] == before
    with at.reading():
        assert [result.status for result in at.store.applied] == ["created", "created"]
    assert at.journal.head()[0] == before + 2
    sequence.close()
