"""Whatever is commanded: what is folded step by step is what a rebuild gives, life/ and the index included."""

from pathlib import Path

import pytest

from tests.sequences import Sequence
from tests.sequences import problems_of


@pytest.mark.parametrize("seed", range(3))
def test_sound_18_a_random_sequence_leaves_what_a_rebuild_makes(seed: int, tmp_path: Path) -> None:
    problems, counts = problems_of(tmp_path, seed, commands=15)

    assert problems == []
    assert sum(count for name, count in counts.items() if "refused" not in name) > 5


def test_sound_18_the_comparison_tells_a_store_that_is_not_what_its_journal_says(tmp_path: Path) -> None:
    sequence = Sequence(tmp_path, seed=0)
    sequence.memory.write("people/anna", "Anna prefers tea")
    real = sequence.memory.rebuild

    def rebuild(what: str) -> object:
        done = real(what)
        if what == "mirror":
            (tmp_path / "workspace/life/people/anna/summary.md").write_text("# Anna\n\n- Anna prefers nothing\n")
        return done

    sequence.memory.rebuild = rebuild  # type: ignore[method-assign, assignment]

    assert any("differs from a rebuild" in one or "verify" in one for one in sequence.differences())
    sequence.memory.close()
