"""Setting up is killed at every durable step: `--undo` finds whatever stands outside of the workspace then."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.newcomer.stand_ins import put_crontab

OWN = {".claude/settings.json": '{"model": "opus"}\n', ".codex/AGENTS.md": "# Mine\n"}
MOST_POINTS = 100

# In a process of its own: a child is forked for each point and killed there, and its parent takes everything back.
PROGRAM = """
import json, os, shutil, sys
from pathlib import Path

from engram.base.disk import faults
from engram.onboarding.execution import carry_out
from engram.onboarding.plan import Wishes, make_plan
from engram.onboarding.undo import undo
from engram.operations.setup import make_workspace
from engram.workspace import open_workspace
from tests.onboarding.test_kills import files_of, make_home
from tests.making import NOW

home, most = Path(os.environ["HOME"]), int(sys.argv[1])
made = home.with_name("made")


def opened(root):
    return open_workspace(str(root), now=lambda: NOW)


wishes = Wishes(capture=False, instructions=True, settings={"owner": "people/anna"})


def set_up(point):
    plan = make_plan(home / "engram", wishes, now=lambda: NOW, home=home)
    faults._IS_ON, faults._AT = True, str(point)
    # The schedule is the last that is put outside of the workspace.
    carry_out(plan, opened, lambda step: step.name == "schedule" and os._exit(0), now=lambda: NOW)


make_workspace(home / "engram", wishes.settings, now=lambda: NOW, force=False, dry_run=False)
shutil.move(home / "engram", made)
for point in range(1, most):
    make_home(home)
    shutil.copytree(made, home / "engram")
    child = os.fork() or set_up(point)
    _, status = os.waitpid(child, 0)
    there = files_of(home)
    undo(opened(home / "engram"), home=home, remove=None, dry_run=False)
    print(json.dumps({"point": point, "status": status, "there": there, "after": files_of(home)}), flush=True)
    if status == 0:
        break
    shutil.rmtree(home)
"""


def make_home(home: Path) -> None:
    """Make somebody's home with Claude Code and Codex, and a crontab."""
    for name, text in OWN.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    put_crontab(home / "bin", home / "kept-crontab")
    (home / "kept-crontab").write_text("0 1 * * * backup\n")


def files_of(home: Path) -> dict[str, str]:
    """Return every file outside of the workspace, but those that were being written when the process died."""
    own = (path for path in home.rglob("*") if path.is_file() and home / "engram" not in path.parents)
    return {str(path.relative_to(home)): path.read_text() for path in own if not path.name.startswith(".tmp-")}


def test_whatever_a_kill_leaves_is_taken_back(tmp_path: Path) -> None:
    home = tmp_path / "home"
    environment = {
        **{name: value for name, value in os.environ.items() if name not in {"CLAUDE_CONFIG_DIR", "CODEX_HOME"}},
        "HOME": str(home),
        "PATH": f"{home / 'bin'}{os.pathsep}/usr/bin:/bin",
        "XDG_CONFIG_HOME": str(home / ".config"),
        "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
        "ENGRAM_EMBEDDINGS": "none",
    }
    command = [sys.executable, "-c", PROGRAM, str(MOST_POINTS)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    make_home(tmp_path / "untouched")
    untouched = files_of(tmp_path / "untouched")

    rows = [json.loads(line) for line in done.stdout.splitlines()]

    assert [9] * (len(rows) - 1) + [0] == [row["status"] for row in rows]
    assert len(rows) > 20
    assert untouched != rows[-1]["there"]
    for row in rows:
        assert {**untouched, "bin/crontab": ""} == {**row["after"], "bin/crontab": ""}, row["point"]
