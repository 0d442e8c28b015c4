"""`heartbeat install`, `uninstall` and `status` with programs of the system that only keep what they are given."""

import json
import os
import plistlib
import subprocess
import sys
from pathlib import Path

import pytest

from engram.cli.main import main
from engram.heartbeat.schedule.installer import heartbeat_call
from engram.workspace import Workspace
from tests.conftest import Engram
from tests.heartbeat.in_process import answer_in_process

CRONTAB = """#!{python}
import pathlib, sys
kept = pathlib.Path({kept!r})
if sys.argv[1:] == ["-l"]:
    if not kept.exists():
        sys.exit("no crontab for anna")
    sys.stdout.buffer.write(kept.read_bytes())
elif sys.argv[1:] == ["-"]:
    kept.write_bytes(sys.stdin.buffer.read())
else:
    sys.exit("usage error")
"""
SYSTEMCTL = """#!{python}
import os, pathlib, sys
with pathlib.Path({kept!r}).open("a") as log:
    log.write(" ".join(sys.argv[1:]) + "\\n")
refused = pathlib.Path({kept!r} + "-refused")  # a part of what is not taken, when there is such a file
unit = pathlib.Path(os.environ["XDG_CONFIG_HOME"], "systemd", "user", sys.argv[-1])
if sys.argv[2] == "restart" and refused.exists() and refused.read_text() in unit.read_text():
    sys.exit("Job failed. See the journal.")
"""
LAUNCHCTL = """#!{python}
import pathlib, plistlib, sys
kept = pathlib.Path({kept!r})  # a folder: the calls, and a file for each agent that is loaded
with (kept / "calls").open("a") as log:
    log.write(" ".join(sys.argv[1:]) + "\\n")
match sys.argv[1:]:
    case ["bootstrap", domain, path]:
        label = plistlib.loads(pathlib.Path(path).read_bytes())["Label"]
        refused = kept / "refused"  # a part of what is not taken, when there is such a file
        if (kept / label).exists() or (refused.exists() and refused.read_text() in pathlib.Path(path).read_text()):
            sys.exit("Bootstrap failed: 5: Input/output error")
        (kept / label).write_text(domain)
    case ["print" | "bootout" as verb, service]:
        loaded = kept / service.rpartition("/")[2]
        if not loaded.exists():
            sys.exit(113)
        if verb == "bootout":
            loaded.unlink()
    case _:
        sys.exit("usage error")
"""
SHUT = "#!{python}\nimport sys\nsys.exit('{kept} you are not allowed')\n"
ODD = "it's 100% «ünï» $HOME `x` #1"


@pytest.fixture
def engram(engram: Engram, monkeypatch: pytest.MonkeyPatch) -> Engram:
    """Commands run in this process; crontab and systemctl are processes of their own."""
    answer_in_process(monkeypatch)
    return engram


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs that stands first in PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return folder


def put(folder: Path, name: str, text: str, kept: Path) -> Path:
    (folder / name).write_text(text.format(python=sys.executable, kept=str(kept)))
    (folder / name).chmod(0o755)
    return kept


@pytest.fixture
def crontab(programs: Path, tmp_path: Path) -> Path:
    """What the user's crontab holds."""
    return put(programs, "crontab", CRONTAB, tmp_path / "kept-crontab")


@pytest.fixture
def systemctl(programs: Path, tmp_path: Path) -> Path:
    """What systemctl was called with."""
    return put(programs, "systemctl", SYSTEMCTL, tmp_path / "kept-calls")


def test_what_was_there_is_given_back(engram: Engram, crontab: Path) -> None:
    mine = b"# mine\n\n0 1 * * * backup >/dev/null\n# \xff no UTF-8\n"
    crontab.write_bytes(mine)
    shown = engram("heartbeat", "install", "--dry-run", "--json").json
    untouched = crontab.read_bytes()
    for _ in range(2):
        assert engram("heartbeat", "install").code == 0
    added = crontab.read_bytes()

    assert untouched == mine
    assert added == mine + shown["adds"]["crontab"].encode() + b"\n"
    assert engram("heartbeat", "uninstall", "--dry-run", "--json").json["removed"] == [shown["adds"]["crontab"]]
    assert crontab.read_bytes() == added
    assert engram("heartbeat", "uninstall").code == 0
    assert crontab.read_bytes() == mine
    assert engram("heartbeat", "uninstall").out == "nothing was installed for this workspace\n"


def test_two_workspaces_stand_side_by_side(engram: Engram, crontab: Path, tmp_path: Path) -> None:
    assert main(["init", str(tmp_path / "other")]) == 0
    assert engram("heartbeat", "install").code == 0
    assert main(["--workspace", str(tmp_path / "other"), "heartbeat", "install", "--every", "2h"]) == 0
    assert engram("heartbeat", "install", "--every", "10m").code == 0
    lines = crontab.read_text().splitlines()
    assert engram("heartbeat", "uninstall").code == 0

    assert [line.split(" /")[0] for line in lines] == ["*/10 * * * *", "0 */2 * * *"]
    assert crontab.read_text().splitlines() == lines[1:]


def test_the_line_runs_as_cron_runs_it_whatever_the_path(crontab: Path, tmp_path: Path) -> None:
    root = tmp_path / ODD
    assert main(["init", str(root)]) == 0
    assert main(["--workspace", str(root), "note", "add", "Billing uses PostgreSQL 16"]) == 0
    assert main(["--workspace", str(root), "heartbeat", "install"]) == 0
    (line,) = crontab.read_text().splitlines()
    command = line.split(" ", 5)[5].replace("\\%", "%")  # what cron itself does with the line
    bare = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "SHELL": "/bin/sh", "LOGNAME": "anna"}
    done = subprocess.run(
        ["/bin/sh", "-c", command], cwd=tmp_path, env={**bare, "ENGRAM_EMBEDDINGS": "none"}, check=False
    )

    assert done.returncode == 0
    assert len(list((root / ".engram" / "runs").glob("*.json"))) == 1


def test_units_are_written_enabled_and_removed(
    engram: Engram, systemctl: Path, tmp_path: Path, workspace: Workspace
) -> None:
    shown = engram("heartbeat", "install", "--with", "systemd", "--every", "45m", "--dry-run", "--json").json
    folder = tmp_path / "config" / "systemd" / "user"
    assert not folder.exists()
    assert engram("heartbeat", "install", "--with", "systemd", "--every", "45m").code == 0
    timer = f"{heartbeat_call(workspace.paths.root).mark}.timer"

    assert {str(file): file.read_text() for file in folder.iterdir()} == shown["adds"]
    assert systemctl.read_text().splitlines() == [
        "--user daemon-reload",
        f"--user enable {timer}",
        f"--user restart {timer}",
    ]
    assert engram("heartbeat", "status", "--json").json["schedule"] == {"every": "45m", "with": "systemd"}
    assert engram("heartbeat", "uninstall").code == 0
    assert list(folder.iterdir()) == []
    assert systemctl.read_text().splitlines()[3:] == [f"--user disable --now {timer}", "--user daemon-reload"]
    assert engram("heartbeat", "status", "--json").json["schedule"] is None


def test_units_that_cannot_be_changed_go_on_as_they_were(engram: Engram, systemctl: Path, tmp_path: Path) -> None:
    assert engram("heartbeat", "install", "--with", "systemd", "--every", "2h").code == 0
    folder = tmp_path / "config" / "systemd" / "user"
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    systemctl.with_name(f"{systemctl.name}-refused").write_text("OnUnitActiveSec=2700s")
    done = len(systemctl.read_text().splitlines())

    changed = engram("heartbeat", "install", "--with", "systemd", "--every", "45m")

    assert (changed.code, "Job failed" in changed.err) == (1, True)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    assert [line.split()[1] for line in systemctl.read_text().splitlines()[done:]] == 2 * [
        "daemon-reload",
        "enable",
        "restart",
    ]
    assert engram("heartbeat", "status", "--json").json["schedule"] == {"every": "2h", "with": "systemd"}


@pytest.fixture
def mac(programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine that says it is a Mac, with its launchctl; returns the folder that holds what is loaded."""
    kept = tmp_path / "loaded"
    kept.mkdir()
    put(programs, "launchctl", LAUNCHCTL, kept)
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setenv("HOME", str(tmp_path))
    return kept


def test_on_a_mac_an_agent_is_written_loaded_and_removed(
    engram: Engram, mac: Path, crontab: Path, tmp_path: Path, workspace: Workspace
) -> None:
    call = heartbeat_call(workspace.paths.root)
    file = tmp_path / "Library/LaunchAgents" / f"{call.mark}.plist"
    shown = engram("heartbeat", "install", "--dry-run", "--json").json
    assert not file.exists()
    for every in ("45m", "2h"):
        assert engram("heartbeat", "install", "--every", every).code == 0
    agent = plistlib.loads(file.read_bytes())

    assert ("launchd", [str(file)]) == (shown["with"], [*shown["adds"]])
    assert not crontab.exists()
    assert (call.mark, call.words(), 7200) == (agent["Label"], agent["ProgramArguments"], agent["StartInterval"])
    assert (mac / call.mark).read_text() == f"gui/{os.getuid()}"
    assert engram("heartbeat", "status", "--json").json["schedule"] == {"every": "2h", "with": "launchd"}
    assert engram("heartbeat", "uninstall").code == 0
    assert not file.exists()
    assert not (mac / call.mark).exists()


def test_the_agent_runs_as_launchd_runs_it_whatever_the_path(mac: Path, tmp_path: Path) -> None:
    root = tmp_path / ODD
    assert main(["init", str(root)]) == 0
    assert main(["--workspace", str(root), "note", "add", "Billing uses PostgreSQL 16"]) == 0
    assert main(["--workspace", str(root), "heartbeat", "install"]) == 0
    (file,) = (tmp_path / "Library/LaunchAgents").iterdir()
    bare = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "ENGRAM_EMBEDDINGS": "none"}
    done = subprocess.run(plistlib.loads(file.read_bytes())["ProgramArguments"], cwd="/", env=bare, check=False)

    assert done.returncode == 0
    assert len(list((root / ".engram" / "runs").glob("*.json"))) == 1


def test_an_agent_that_is_not_loaded_is_removed_all_the_same(engram: Engram, mac: Path, tmp_path: Path) -> None:
    assert engram("heartbeat", "install").code == 0
    for loaded in mac.glob("engram-*"):
        loaded.unlink()

    assert len(engram("heartbeat", "uninstall", "--json").json["removed"]) == 1
    assert [*(tmp_path / "Library/LaunchAgents").iterdir()] == []


def test_an_agent_that_cannot_be_loaded_leaves_no_file(
    engram: Engram, mac: Path, programs: Path, crontab: Path, tmp_path: Path
) -> None:
    put(programs, "launchctl", SHUT, tmp_path / "x")

    assert engram("heartbeat", "install").code == 1
    assert [*(tmp_path / "Library/LaunchAgents").iterdir()] == []
    assert engram("heartbeat", "install", "--with", "cron").code == 0


def test_an_agent_that_cannot_be_changed_goes_on_as_it_was(engram: Engram, mac: Path, tmp_path: Path) -> None:
    assert engram("heartbeat", "install", "--every", "2h").code == 0
    (file,) = (tmp_path / "Library/LaunchAgents").iterdir()
    (mac / "refused").write_text("<integer>2700</integer>")

    changed = engram("heartbeat", "install", "--every", "45m")

    assert (changed.code, "Bootstrap failed" in changed.err) == (1, True)
    assert plistlib.loads(file.read_bytes())["StartInterval"] == 7200
    assert (mac / file.stem).exists()
    assert engram("heartbeat", "status", "--json").json["schedule"] == {"every": "2h", "with": "launchd"}


def test_changing_from_one_to_the_other_leaves_one(
    engram: Engram, crontab: Path, systemctl: Path, tmp_path: Path
) -> None:
    assert engram("heartbeat", "install", "--with", "cron").code == 0
    assert engram("heartbeat", "install", "--with", "systemd").code == 0
    assert crontab.read_text() == ""
    assert engram("heartbeat", "install", "--with", "cron").code == 0

    assert list((tmp_path / "config" / "systemd" / "user").iterdir()) == []
    assert len(crontab.read_text().splitlines()) == 1


def test_a_schedule_that_cannot_be_put_leaves_the_former(
    engram: Engram, crontab: Path, programs: Path, tmp_path: Path
) -> None:
    put(programs, "systemctl", SHUT, tmp_path / "x")
    assert engram("heartbeat", "install", "--with", "cron").code == 0
    line = crontab.read_bytes()

    assert engram("heartbeat", "install", "--with", "systemd").code == 1
    assert crontab.read_bytes() == line
    assert list((tmp_path / "config" / "systemd" / "user").iterdir()) == []
    assert engram("heartbeat", "status", "--json").json["schedule"]["with"] == "cron"
    assert engram("heartbeat", "uninstall").code == 0
    assert crontab.read_bytes() == b""


def test_units_are_removed_where_crontab_is_shut(
    engram: Engram, programs: Path, systemctl: Path, tmp_path: Path
) -> None:
    put(programs, "crontab", SHUT, tmp_path / "x")
    assert engram("heartbeat", "install", "--with", "systemd").code == 0
    removed = engram("heartbeat", "uninstall", "--json")

    assert (removed.code, len(removed.json["removed"])) == (0, 2)
    assert "not allowed" in removed.err
    assert list((tmp_path / "config" / "systemd" / "user").iterdir()) == []


def test_a_line_that_cannot_be_removed_is_not_said_to_be(
    engram: Engram, crontab: Path, programs: Path, workspace: Workspace, tmp_path: Path
) -> None:
    assert engram("heartbeat", "install", "--with", "cron").code == 0
    put(programs, "crontab", SHUT, tmp_path / "x")

    assert engram("heartbeat", "uninstall").code == 1
    assert workspace.paths.schedule.exists()


def test_a_program_that_fails_is_one_sentence_and_nothing_is_noted(
    engram: Engram, programs: Path, workspace: Workspace, tmp_path: Path
) -> None:
    put(programs, "crontab", SHUT, tmp_path / "x")
    answer = engram("heartbeat", "install", "--with", "cron", "--json")

    assert answer.code == 1
    assert "crontab -l failed" in answer.error["message"]
    assert "you are not allowed" in answer.error["message"]
    assert not workspace.paths.schedule.exists()


def test_a_system_without_the_program_says_what_to_do(engram: Engram, tmp_path: Path, workspace: Workspace) -> None:
    (tmp_path / "empty").mkdir()
    answer = engram("heartbeat", "install", "--with", "cron", "--json", env={"PATH": str(tmp_path / "empty")})

    assert answer.code == 4
    assert "no program crontab" in answer.error["message"]
    assert str(workspace.paths.root) in answer.error["hint"]


# --- how it stands -----------------------------------------------------------------------------------------------


def test_status_says_when_it_last_ran_also_of_a_tick_without_work(engram: Engram, workspace: Workspace) -> None:
    for hour in range(10, 15):
        engram("heartbeat", "run", "--now", f"2026-03-02T{hour}:00:00Z")
    standing = engram("heartbeat", "status", "--json", "--now", "2026-03-02T14:30:00Z").json

    assert (standing["last_tick"], standing["overdue"], standing["needs_work"]) == (
        "2026-03-02T14:00:00Z",
        False,
        False,
    )
    assert engram("heartbeat", "status", "--check", "--now", "2026-03-02T15:30:00Z").code == 0
    late = engram("heartbeat", "status", "--check", "--json", "--now", "2026-03-02T16:00:00Z")
    assert (late.code, late.json["overdue"]) == (10, True)
    assert late.error["message"] == "the last was 2 hours ago, and one is due every 30m"


def test_status_knows_the_installed_interval(engram: Engram, crontab: Path) -> None:
    engram("heartbeat", "run", "--now", "2026-03-02T10:00:00Z")
    engram("heartbeat", "install", "--every", "2h", "--now", "2026-03-02T10:00:00Z")
    standing = engram("heartbeat", "status", "--json", "--now", "2026-03-02T11:00:00Z").json

    assert (standing["next_due"], standing["overdue"]) == ("2026-03-02T12:00:00Z", False)
    assert engram("heartbeat", "status", "--check", "--now", "2026-03-02T15:59:00Z").code == 0
    assert engram("heartbeat", "status", "--check", "--now", "2026-03-02T16:01:00Z").code == 10


def test_status_names_the_phase_that_failed_and_why(engram: Engram, workspace: Workspace) -> None:
    engram("note", "add", "Billing moved")
    engram("heartbeat", "run", "--agent-command", "no-such-agent-anywhere", "--phase", "extraction")
    standing = engram("heartbeat", "status", "--json").json
    checked = engram("heartbeat", "status", "--check")

    assert [one["phase"] for one in standing["failed"]] == ["extraction"]
    assert "no-such-agent-anywhere" in standing["failed"][0]["why"]
    assert (checked.code, "extraction failed" in checked.err) == (10, True)
    assert json.loads(engram("heartbeat", "alerts", "--json").out)["alerts"][0]["phase"] == "extraction"
