"""The first minute of somebody new: their transcripts, one heartbeat, and what the next session then begins with."""

import datetime as dt
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import forked
from tests.newcomer.history import after
from tests.newcomer.history import folder_of
from tests.newcomer.history import write_changes
from tests.newcomer.history import write_past

ROOT = Path(__file__).parents[2]

OF_MARA = ("I'm Mara Lind", "answer me in English", "explanations short")
OF_PARCELS = (
    *("tracking service for shipments", "PostgreSQL 16", "250 calls per hour", "make lint before you commit"),
    *("Never push to main", "API of parcels stays on version 2", "Nomad in the Frankfurt region", "heron"),
    *("Jonas Weber is the product owner", "above 300 ms count as a bug", "carrier dashboard by 20 March 2026"),
)
OF_TIDEWATCH = ("TimescaleDB", "500 requests per day", "6.4 metres", "fake gateway", "15 April 2026", "negative values")
OF_LEDGER = ("integers in cents", "CAMT.053", "31 May 2026", "written in Rust")
OF = {"parcels": OF_PARCELS, "tidewatch": OF_TIDEWATCH, "ledger": OF_LEDGER}


class Newcomer:
    """Somebody's home, and the commands that they type."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.workspace = home / "engram"
        self.now = after(4)

    def engram(self, *args: str, folder: Path | None = None) -> str:
        """Run a command in a folder; return what it prints."""
        environment = {
            **{
                name: value for name, value in os.environ.items() if not name.startswith(("ENGRAM_", "CLAUDE", "CODEX"))
            },
            "HOME": str(self.home),
            "PYTHONPATH": str(ROOT),
            "ENGRAM_EMBEDDINGS": "none",
            "ENGRAM_WORKSPACE": str(self.workspace),
        }
        done = forked.run(
            [*args, "--now", self.now.isoformat()],
            cwd=folder or self.home,
            env=environment,
            target="tests.heartbeat.in_process:run_engram",
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.decode()

    def learn(self, now: dt.datetime) -> None:
        """Capture what the programs left, and run a heartbeat."""
        self.now = now
        self.engram("capture", "--discover", "--yes")
        self.engram("heartbeat", "run")

    def start(self, project: str) -> str:
        """Return what a session in a project's folder begins with."""
        return self.engram("context", "--budget", "2000", folder=folder_of(self.home, project))


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory: pytest.TempPathFactory) -> Newcomer:
    made = Newcomer(tmp_path_factory.mktemp("home"))
    write_past(made.home)
    made.engram("init", str(made.workspace), "--owner", "people/mara", "--timezone", "UTC")
    made.learn(after(4))
    return made


def standing(block: str) -> Callable[[tuple[str, ...]], list[str]]:
    """Return a function that says which of some words stand in a block."""
    return lambda words: [one for one in words if one in block]


def test_a_session_begins_with_what_is_true_of_its_project_and_owner(newcomer: Newcomer) -> None:
    shown = standing(newcomer.start("parcels"))

    assert shown(OF_MARA) == [*OF_MARA]
    assert shown(OF_PARCELS) == [*OF_PARCELS]


@pytest.mark.parametrize(("project", "least"), [("parcels", 8), ("tidewatch", 4), ("ledger", 3)])
def test_no_session_is_told_of_another_project(newcomer: Newcomer, project: str, least: int) -> None:
    shown = standing(newcomer.start(project))

    assert len(shown(OF[project])) >= least
    assert [one for other, words in OF.items() if other != project for one in shown(words)] == []


def test_outside_of_any_project_all_are_there(newcomer: Newcomer) -> None:
    block = newcomer.engram("context", "--budget", "3000")

    assert all(standing(block)(words) for words in OF.values())
    assert "nothing is known" not in block


def test_the_hook_of_a_session_says_the_same(newcomer: Newcomer) -> None:
    folder = str(folder_of(newcomer.home, "parcels"))
    event = {"hook_event_name": "SessionStart", "session_id": "0" * 8, "cwd": folder, "source": "startup"}
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "ENGRAM_EMBEDDINGS": "none", "HOME": str(newcomer.home)}
    command = [sys.executable, "-m", "engram", "--workspace", str(newcomer.workspace)]
    done = subprocess.run(
        [*command, "hooks", "run", "session-start", "--host", "claude-code"],
        input=json.dumps(event),
        env=environment,
        cwd=newcomer.home,
        capture_output=True,
        text=True,
        check=False,
    )

    shown = standing(done.stdout.encode().decode("unicode_escape"))
    assert len(shown(OF_PARCELS)) >= 8, done.stderr
    assert shown(OF_TIDEWATCH) + shown(OF_LEDGER) == []


def test_a_week_later_corrections_have_replaced_what_they_corrected(newcomer: Newcomer) -> None:
    write_changes(newcomer.home)
    newcomer.learn(after(5))

    parcels, tidewatch = newcomer.start("parcels"), newcomer.start("tidewatch")

    for new, old, block in (
        ("400 calls per hour", "250 calls per hour for parcels, more", parcels),
        ("PostgreSQL 17", "We decided to keep shipments in PostgreSQL 16", parcels),
        ("27 March 2026", "carrier dashboard by 20 March 2026", parcels),
        ("deployed with Kubernetes", "deployed with Nomad", parcels),
        ("6.1 metres", "threshold of tidewatch is 6.4 metres", tidewatch),
    ):
        assert new in block
        assert not any(old in line.partition(" (")[0] for line in block.splitlines())
