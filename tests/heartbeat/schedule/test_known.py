"""The workspaces of a host whose heartbeat is installed."""

import plistlib
from pathlib import Path

import pytest

from engram.heartbeat.schedule.cron_text import Call
from engram.heartbeat.schedule.cron_text import agent_file
from engram.heartbeat.schedule.cron_text import cron_line
from engram.heartbeat.schedule.cron_text import unit_files
from engram.heartbeat.schedule.known import known_workspaces
from engram.heartbeat.schedule.known import roots_of_crontab

ROOTS = ["/srv/anna/memory", "/srv/anna/my memory", "/srv/100% mine", '/srv/it\'s "here" $x']


def call(root: str) -> Call:
    command = ("/usr/bin/python3", "-m", "engram", "--workspace", root, "heartbeat", "run")
    return Call(command, Path(root), ("/usr/bin", "/bin"))


def test_the_lines_of_a_crontab_say_which_workspaces_they_are_for() -> None:
    lines = [cron_line(call(root), 1800) for root in ROOTS]
    others = ["0 5 * * * engram --workspace /srv/other heartbeat run", f"#{lines[0]}", "30 4 * * * 'open quote # x"]

    assert roots_of_crontab("\n".join([*others, *lines, ""])) == ROOTS


def test_units_and_launch_agents_are_found_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))  # no crontab
    units, agents = tmp_path / "config" / "systemd" / "user", tmp_path / "Library" / "LaunchAgents"
    units.mkdir(parents=True)
    agents.mkdir(parents=True)
    for root in ROOTS[:3]:
        for name, text in unit_files(call(root), 1800).items():
            (units / name).write_text(text)
    name, text = agent_file(call(ROOTS[3]), 1800)
    (agents / name).write_text(text)
    (agents / "engram-heartbeat-broken.plist").write_bytes(plistlib.dumps({"Label": "x"}))

    assert known_workspaces() == sorted(map(Path, ROOTS))
