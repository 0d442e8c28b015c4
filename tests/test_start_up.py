"""Light commands load nothing heavy: checked in real processes, by what they have imported when they are done."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engram.workspace import Workspace

HEAVY = {
    *(
        "duckdb",
        "qdrant_edge",
        "qdrant_client",
        "fastembed",
        "networkx",
        "pydantic",
        "portalocker",
        "numpy",
        "psutil",
        "rich",
    )
}
RUN = """
import json, sys
from engram.cli.main import main
code = main(json.loads(sys.argv[1]))
print(json.dumps({"code": code, "loaded": sorted(sys.modules)}), file=sys.stderr)
"""


def loaded_by(args: list[str], folder: Path, stdin: str = "", **variables: str) -> set[str]:
    """Return the top-level modules that a process has imported after running the command line."""
    command = [sys.executable, "-c", RUN, json.dumps(args)]
    path = os.pathsep.join(filter(None, [str(Path(__file__).resolve().parent.parent), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path, **variables}
    done = subprocess.run(
        command, input=stdin, capture_output=True, text=True, cwd=folder, env=environment, check=False
    )
    said = json.loads(done.stderr.splitlines()[-1])
    assert said["code"] == 0, done.stderr
    return {name.partition(".")[0] for name in said["loaded"]}


STOP = json.dumps({"session_id": "demo", "transcript_path": "/none.jsonl", "hook_event_name": "Stop"})
ASKED = json.dumps({"session_id": "demo", "prompt": "I prefer tea. What does Anna prefer to drink?"})
PROMPT = json.dumps({"prompt": "I prefer short meetings", "session_id": "demo"})


@pytest.mark.parametrize(
    ("args", "stdin"),
    [
        (["signal", "I prefer short meetings, no more than 20 minutes"], ""),
        (["signal", "--json", "Предпочитаю короткие встречи"], ""),
        (["hooks", "run", "user-prompt"], PROMPT),
        (["hooks", "run", "session-start"], "{}"),
        (["hooks", "run", "no-such-event"], "not JSON"),
        (["hooks", "run", "stop", "--host", "claude-code"], STOP),
        (["hooks", "run", "user-prompt", "--host", "claude-code"], ASKED),
        (["write", "--entity", "people/anna", "--fact", "Anna prefers tea", "--wait", "0"], ""),
        (["--help"], ""),
    ],
)
def test_light_commands_load_nothing_heavy(workspace: Workspace, args: list[str], stdin: str) -> None:
    loaded = loaded_by(args, workspace.paths.root, stdin)

    assert "click" in loaded
    assert not loaded & HEAVY


def test_a_prompt_that_is_kept_loads_no_parser_no_dates_and_no_sockets(workspace: Workspace, tmp_path: Path) -> None:
    root = workspace.paths.root
    workspace.paths.settings.write_text('owner = "people/anna"\n[hooks]\nrecall = "off"\n')
    keeping = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(tmp_path / "compiled")}
    prompt = json.dumps({"prompt": "I prefer short meetings, no more than 20 minutes", "session_id": "demo"})
    args = ["hooks", "run", "user-prompt", "--host", "claude-code"]

    before, after = (loaded_by(args, root, prompt, **keeping) for _ in range(2))

    assert len(workspace.spool.waiting()) == 2 * 2
    assert "tomllib" in before
    assert not {"tomllib", "zoneinfo", "socket"} & after


def test_the_check_sees_what_a_heavy_command_loads(workspace: Workspace) -> None:
    assert {"duckdb", "pydantic"} <= loaded_by(["facts"], workspace.paths.root)


def test_the_client_of_a_warm_process_loads_the_standard_library_and_settings_paths_alone() -> None:
    code = "import sys; import engram.warm.client; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    loaded = done.stdout.split()
    assert not {name.partition(".")[0] for name in loaded} & {*HEAVY, "click"}
    assert {name for name in loaded if name.startswith("engram.")} == {
        *("engram.config", "engram.config.paths", "engram.errors"),
        *("engram.warm", "engram.warm.client", "engram.warm.protocol"),
    }


def test_a_question_to_a_warm_process_loads_no_engine() -> None:
    code = "import sys; import engram.cli.recall.recall; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert not {name.partition(".")[0] for name in done.stdout.split()} & {*HEAVY, "ahocorasick_rs"}


def test_commands_are_made_without_pydantic_and_dataclasses() -> None:
    light = "engram.model.commands.envelope, engram.model.commands.write_command"
    code = f"import sys; import {light}; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert not {name.partition(".")[0] for name in done.stdout.split()} & {*HEAVY, "click", "dataclasses", "inspect"}


def test_a_plain_write_loads_nothing_that_it_does_not_need(workspace: Workspace) -> None:
    words = ["--workspace", str(workspace.paths.root), "write", "--entity", "people/anna", "--fact", "x", "--wait", "0"]
    code = (
        "import os, sys; os._exit = lambda code: print(code, *sorted(sys.modules), file=sys.stderr);"
        "from engram.cli.entry import run; run()"
    )
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)

    code_of_it, *loaded = done.stderr.split()
    assert code_of_it == "0"
    unneeded = {"base64", "copy", "dataclasses", "signal", "tomllib", "weakref", "zlib", "engram.base.telemetry"}
    assert not unneeded & {*loaded}
    assert not {name.partition(".")[0] for name in loaded} & {*HEAVY, "click"}
