"""A runner that is killed: the next run ends where one clean run ends. `scripts/soak kills` tries every point."""

from pathlib import Path
from typing import Any

import pytest

from tests.heartbeat import killing

pytestmark = pytest.mark.soak

# One of each kind of step, spread over the run: shares of the way through it.
SHARES = (0.0, 0.12, 0.25, 0.5, 0.67, 0.93)


class Clean:
    """What a run that nobody killed leaves."""

    def __init__(self, folder: Path) -> None:
        self.prepared = killing.prepare(folder / "workspace")
        root = killing.copy(self.prepared, folder / "clean")
        self.points = killing.points_of_one_run(root, folder / "points")
        self.state: dict[str, Any] = killing.state(root)


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Clean:
    return Clean(tmp_path_factory.mktemp("kills"))


def test_a_run_passes_points_before_and_after_every_kind_of_durable_write(clean: Clean) -> None:
    kinds = {"lease", "rename", "journal", "commit", "spool-removal", "index-flush", "note"}

    assert {f"{side}-{kind}" for kind in kinds for side in ("before", "after")} <= set(clean.points)


def test_the_clean_run_found_work_for_all(clean: Clean) -> None:
    assert "life/projects/billing/summary.md" in clean.state
    notes = {f"note:memory/main/main/{day}.md" for day in ("2026-02-24", "2026-03-01")}
    assert notes | {"session:demo"} <= set(clean.state["read"])
    assert clean.state["waiting"] == 0


@pytest.mark.parametrize("share", SHARES)
def test_the_run_after_a_kill_ends_where_a_clean_run_ends(clean: Clean, share: float, tmp_path: Path) -> None:
    point = 1 + round(share * (len(clean.points) - 1))
    found = killing.state_after_kill(clean.prepared, tmp_path, point)

    assert killing.difference(found, clean.state) == [], (point, clean.points[point - 1])
