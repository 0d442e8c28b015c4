"""`engram setup` in a fresh home with the conversations of two agents: what it does, does again, and takes back."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests import forked
from tests.acceptance.test_first_minute import OF
from tests.acceptance.test_first_minute import OF_MARA
from tests.acceptance.test_first_minute import OF_PARCELS
from tests.acceptance.test_first_minute import ROOT
from tests.newcomer.history import after
from tests.newcomer.history import folder_of
from tests.newcomer.history import write_past
from tests.newcomer.stand_ins import put_crontab

FOREIGN = {"CLAUDE_CONFIG_DIR", "CODEX_HOME", "OPENCLAW_STATE_DIR", "OPENCLAW_HOME", "GEMINI_CLI_HOME"}
OWN_CRON = "0 1 * * * backup\n"


class Machine:
    """Somebody's machine, and the commands that they type."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.crontab = put_crontab(home / "bin", home / "kept-crontab")

    def use(self) -> None:
        """Let somebody have worked here for four weeks, and set up."""
        home = self.home
        self.crontab.write_text(OWN_CRON)
        (home / ".gitconfig").write_text("[user]\n\tname = Mara Lind\n")
        write_past(home)
        (home / ".claude/settings.json").write_text('{"model": "opus"}\n')
        self.untouched = self.files()
        self.first = self.engram("setup", "--yes")

    def engram(self, *args: str, folder: Path | None = None, stdin: str = "") -> str:
        """Run a command in a folder; return what it prints."""
        done = self.run(*args, folder=folder, stdin=stdin)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def run(self, *args: str, folder: Path | None = None, stdin: str = "") -> subprocess.CompletedProcess[str]:
        environment = {
            **{name: value for name, value in os.environ.items() if name not in FOREIGN},
            "HOME": str(self.home),
            "PYTHONPATH": str(ROOT),
            "PATH": f"{self.home / 'bin'}:/usr/bin:/bin",
            "GIT_CONFIG_GLOBAL": str(self.home / ".gitconfig"),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
        }
        words = [*args, "--now", after(4).isoformat()]
        done = forked.run(words, cwd=folder or self.home, env=environment, stdin=stdin.encode())
        return subprocess.CompletedProcess(words, done.returncode, done.stdout.decode(), done.stderr.decode())

    def files(self) -> dict[str, bytes]:
        """Return every file below the home that is no part of a workspace, nor of what vouches for its journal."""
        memories = {self.home / "engram", self.home / ".config" / "engram"}
        own = [path for path in self.home.rglob("*") if path.is_file() and not memories & {*path.parents}]
        return {str(path.relative_to(self.home)): path.read_bytes() for path in own}


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    made = Machine(tmp_path_factory.mktemp("machine"))
    made.use()
    return made


def hook_command(machine: Machine, config: str, event: str) -> str:
    found: Any = json.loads((machine.home / config).read_text())
    command: str = found["hooks"][event][0]["hooks"][0]["command"]
    return command


def started(machine: Machine, config: str, project: str) -> str:
    """Return what the installed hook of a session's start gives to an agent in a project's folder."""
    folder = str(folder_of(machine.home, project))
    event = {"session_id": "0" * 8, "transcript_path": f"{folder}/new.jsonl", "cwd": folder, "source": "startup"}
    done = subprocess.run(
        ["/bin/sh", "-c", hook_command(machine, config, "SessionStart")],
        input=json.dumps({"hook_event_name": "SessionStart", **event}),
        cwd=folder,
        env={**os.environ, "HOME": str(machine.home)},
        capture_output=True,
        text=True,
        check=True,
    )
    text: str = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
    return text


@pytest.mark.parametrize("config", [".claude/settings.json", ".codex/hooks.json"])
def test_the_next_session_in_a_project_begins_with_what_is_true_of_it_and_its_owner(
    machine: Machine, config: str
) -> None:
    block = started(machine, config, "parcels")

    assert [words for words in OF_MARA if words in block] == [*OF_MARA]
    assert len([words for words in OF_PARCELS if words in block]) >= 8
    assert [words for other in ("tidewatch", "ledger") for words in OF[other] if words in block] == []


def test_it_ends_with_ten_things_and_what_the_next_session_begins_with(machine: Machine) -> None:
    learnt, _, block = machine.first.partition("Your next session of Codex in tidewatch will begin with this:\n\n")

    lines = [line for line in learnt.splitlines() if line.strip()[:1].isdigit()]
    assert len(lines) == 10
    assert all("(said in c" in line for line in lines)
    assert all(any(words in learnt for words in of_one) for of_one in OF.values())
    shown = machine.engram("context", "--budget", "2000", folder=folder_of(machine.home, "tidewatch"))
    look = "engram ui shows all of it in the browser, and lets you correct what is wrong."
    assert block.split() == [*shown.split(), *look.split()]


def test_the_owner_is_whom_git_names_and_cron_calls_the_heartbeat(machine: Machine) -> None:
    assert 'owner = "people/mara-lind"' in (machine.home / "engram/engram.toml").read_text()
    mine, line = machine.crontab.read_text().splitlines()
    assert mine == OWN_CRON.strip()
    assert f"--workspace {machine.home / 'engram'} heartbeat run" in line


def test_run_again_it_says_what_is_there_and_changes_nothing(machine: Machine) -> None:
    before = machine.files()

    again = json.loads(machine.engram("setup", "--yes", "--json"))

    assert {host["host"]: host["state"] for host in again["hosts"]} == {"claude-code": "there", "codex": "there"}
    assert again["new"] is False
    assert again["heartbeat"]["there"] is True
    assert again["captured"] == {"turns": 0, "files": 11, "left": 0}
    assert [step["step"] for step in again["steps"]] == ["conversations", "heartbeat"]
    assert again["steps"][-1]["what"] == "ran, and found no facts in what was new"  # and not for the first time
    assert len(again["learnt"]) == 10
    assert machine.files() == before


def test_a_dry_run_shows_everything_and_changes_nothing(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    write_past(tmp_path)
    before = machine.files()

    shown = json.loads(machine.engram("setup", "--dry-run", "--json"))

    assert shown["workspace"] == str(tmp_path / "engram")
    assert [host["state"] for host in shown["hosts"]] == ["install", "install"]
    assert [(one["tool"], one["files"]) for one in shown["conversations"]] == [("claude-code", 6), ("codex", 5)]
    assert shown["heartbeat"] == {"every": "30m", "with": "cron", "there": False}
    assert machine.files() == before
    assert not (tmp_path / "engram").exists()


def test_nobody_is_set_up_without_being_asked(tmp_path: Path) -> None:
    machine = Machine(tmp_path)

    done = machine.run("setup")

    assert done.returncode == 2
    assert "there is nobody to ask" in done.stderr
    assert not (tmp_path / "engram").exists()


def test_undo_takes_back_all_that_was_installed_and_keeps_the_memories(
    tmp_path: Path,
) -> None:
    machine = Machine(tmp_path)
    machine.use()
    facts = json.loads(machine.engram("facts", "--json", folder=machine.home / "engram"))["facts"]
    assert machine.files() != machine.untouched

    machine.engram("setup", "--undo", "--yes")

    assert machine.files() == machine.untouched
    assert json.loads(machine.engram("facts", "--json"))["facts"] == facts

    refused = machine.run("setup", "--undo", "--yes", "--remove", str(machine.home))

    assert refused.returncode == 2
    assert (machine.home / "engram/engram.toml").exists()

    mine = machine.home / "engram/mine.txt"
    mine.write_text("kept")
    gone = json.loads(machine.engram("setup", "--undo", "--yes", "--json", "--remove", str(machine.home / "engram")))

    assert gone["kept"] == [str(mine)]
    assert [*(machine.home / "engram").iterdir()] == [mine]
