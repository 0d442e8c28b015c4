"""Light commands load nothing heavy: checked in real processes, by what they have imported when they are done."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engram.workspace import Workspace

HEAVY = {"duckdb", "qdrant_edge", "qdrant_client", "fastembed", "networkx", "pydantic", "portalocker", "numpy"}
RUN = """
import json, sys
from engram.cli.main import main
code = main(json.loads(sys.argv[1]))
print(json.dumps({"code": code, "loaded": sorted(sys.modules)}), file=sys.stderr)
"""


def loaded_by(args: list[str], folder: Path, stdin: str = "") -> set[str]:
    """Return the top-level modules that a process has imported after running the command line."""
    command = [sys.executable, "-c", RUN, json.dumps(args)]
    path = os.pathsep.join(filter(None, [str(Path(__file__).resolve().parent.parent), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(
        command, input=stdin, capture_output=True, text=True, cwd=folder, env=environment, check=False
    )
    said = json.loads(done.stderr.splitlines()[-1])
    assert said["code"] == 0, done.stderr
    return {name.partition(".")[0] for name in said["loaded"]}


PROMPT = json.dumps({"prompt": "I prefer short meetings", "session_id": "demo"})


@pytest.mark.parametrize(
    ("args", "stdin"),
    [
        (["signal", "I prefer short meetings, no more than 20 minutes"], ""),
        (["signal", "--json", "Предпочитаю короткие встречи"], ""),
        (["hooks", "run", "user-prompt"], PROMPT),
        (["hooks", "run", "session-start"], "{}"),
        (["hooks", "run", "no-such-event"], "not JSON"),
        (["write", "--entity", "people/anna", "--fact", "Anna prefers tea", "--wait", "0"], ""),
        (["--help"], ""),
    ],
)
def test_light_commands_load_nothing_heavy(workspace: Workspace, args: list[str], stdin: str) -> None:
    loaded = loaded_by(args, workspace.paths.root, stdin)

    assert "click" in loaded
    assert not loaded & HEAVY


def test_the_check_sees_what_a_heavy_command_loads(workspace: Workspace) -> None:
    assert {"duckdb", "pydantic"} <= loaded_by(["facts"], workspace.paths.root)
