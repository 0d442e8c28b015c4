"""The floors of the architecture hold, and every module stands on one."""

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def contract() -> dict[str, object]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        found: dict[str, object] = tomllib.load(file)["tool"]["importlinter"]["contracts"][0]
    return found


def test_no_module_imports_from_a_floor_above_it_or_from_a_sibling() -> None:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]

    done = subprocess.run([*command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr


def test_every_module_of_the_package_stands_on_a_floor() -> None:
    layers = contract()["layers"]
    assert isinstance(layers, list)
    placed = {name.strip() for layer in layers for name in layer.split("|")}
    found = {
        f"engram.{path.stem}"
        for path in (ROOT / "engram").iterdir()
        if path.suffix in {"", ".py"} and path.stem not in {"__init__", "__pycache__"}
    }

    assert found <= placed
