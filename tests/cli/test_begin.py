"""How `engram setup` talks to a person at a terminal: one screen, one question, and what does not fit is named."""

import os
import select
from pathlib import Path

import pytest

from tests import forked
from tests.newcomer.history import after
from tests.newcomer.history import write_past
from tests.newcomer.stand_ins import put_crontab

ROOT = Path(__file__).resolve().parents[2]
FOREIGN = {"CLAUDE_CONFIG_DIR", "CODEX_HOME", "OPENCLAW_STATE_DIR", "OPENCLAW_HOME", "GEMINI_CLI_HOME"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with conversations of four weeks."""
    write_past(tmp_path)
    put_crontab(tmp_path / "bin", tmp_path / "kept-crontab")
    return tmp_path


def environment(home: Path, **more: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name not in FOREIGN}
    own = {"HOME": str(home), "PYTHONPATH": str(ROOT), "PATH": f"{home / 'bin'}:/usr/bin:/bin"}
    return {**inherited, **own, "XDG_CONFIG_HOME": str(home / ".config"), "LINES": "24", "COLUMNS": "100", **more}


def at_terminal(home: Path, answers: str, *args: str, **more: str) -> str:
    """Run `engram setup` at a terminal, type the answers, and return all that is shown."""
    ours, theirs = os.openpty()
    words = ["setup", *args, "--now", after(4).isoformat()]
    program = forked.start((theirs,) * 3, words, cwd=home, env=environment(home, **more))
    os.close(theirs)
    os.write(ours, answers.encode())
    shown = b""
    while select.select([ours], [], [], 120)[0]:
        try:
            data = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not data:
            break
        shown += data
    os.close(ours)
    assert program.wait() == 0, shown
    return shown.decode().replace("\r\n", "\n")


def test_who_says_no_gets_nothing(home: Path) -> None:
    shown = at_terminal(home, "n\n")

    assert shown.index("conversations") < shown.index("do all this? [Y/n]")
    assert "nothing was changed" in shown
    assert not (home / "engram").exists()


def test_who_says_yes_once_gets_all_of_it_and_a_screen_of_what_was_learnt(home: Path) -> None:
    shown = at_terminal(home, "\n", "--owner", "people/mara")

    assert shown.count("[Y/n]") == 1
    steps = [
        "made the workspace",
        "connected Claude Code",
        "connected Codex",
        "cron calls",
        "read 68 new turns",
        "drew ",
    ]
    places = [shown.index(step) for step in steps]
    assert places == sorted(places)
    assert "Here are ten things I learnt:" in shown
    assert "lines more: engram context --project projects/tidewatch" in shown


def test_a_model_is_asked_for_with_its_size_and_one_that_cannot_be_had_stops_nothing(home: Path) -> None:
    cache = str(home / "cache")

    shown = at_terminal(
        home, "y\ny\n", "--no-capture", ENGRAM_EMBEDDINGS="fastembed", FASTEMBED_CACHE_PATH=cache, HF_HUB_OFFLINE="1"
    )

    assert "fetch the model Xenova/multilingual-e5-small (135 MB)" in shown
    assert "left out: " in shown
    assert "Nothing is known yet." in shown


def test_nobody_is_asked_for_a_model_who_wants_none(home: Path) -> None:
    shown = at_terminal(home, "n\n", "--no-model", ENGRAM_EMBEDDINGS="fastembed", FASTEMBED_CACHE_PATH=str(home / "no"))

    assert "(135 MB) can be fetched" in " ".join(shown.split())
    assert "fetch the model" not in shown
