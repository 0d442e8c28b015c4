"""The recipes for a server that is always there: systemd takes the unit, and both call commands that there are."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import click
import pytest

from engram.cli.main import cli

ROOT = Path(__file__).resolve().parent.parent
UNIT = ROOT / "deploy/engram.service"
DOCKERFILE = ROOT / "deploy/Dockerfile"


def calls() -> list[list[str]]:
    """Return every call of the command that stands in a recipe or in what is said above it."""
    text = UNIT.read_text(encoding="utf-8") + DOCKERFILE.read_text(encoding="utf-8").replace('\\"', '"')
    found = re.findall(r"(?<![\w./-])engram ((?:init|serve|status)[^&>\n\]]*)", text.replace('", "', " "))
    return [shlex.split(one.rstrip('"')) for one in found if not one.startswith("serve the")]


def test_every_call_in_a_recipe_is_understood() -> None:
    found = calls()

    assert {one[0] for one in found} == {"init", "serve", "status"}
    for name, *args in found:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        command.make_context(name, [*args])


@pytest.mark.integration
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not installed")
    around = {"XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    done = subprocess.run([program, "verify", "--user", UNIT], capture_output=True, text=True, check=False, env=around)

    assert (done.returncode, done.stderr) == (0, "")


def test_the_container_keeps_the_workspace_on_its_volume() -> None:
    text = DOCKERFILE.read_text(encoding="utf-8")

    assert "VOLUME /memory" in text
    assert "ENGRAM_WORKSPACE=/memory" in text
    assert re.search(r"^USER (?!root)", text, flags=re.MULTILINE)
