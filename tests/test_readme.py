"""The README's tour runs as it is printed: each `$` line is run in a shell, and must say what stands below it."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def steps() -> list[tuple[str, str]]:
    """Return (command, expected output) of every console block in order; `...` stands for anything."""
    found: list[tuple[str, str]] = []
    for block in re.findall(r"```console\n(.*?)```", README, flags=re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            found.append((command, expected))
    return found


def pattern(expected: str) -> str:
    """Return the expected output as a pattern for the whole output."""
    return ".*".join(re.escape(part) for part in expected.rstrip("\n").split("...")) + r"\s*"


def test_the_tour_runs_as_it_is_printed(tmp_path: Path) -> None:
    door = tmp_path / "bin" / "engram"
    door.parent.mkdir()
    door.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m engram "$@"\n', encoding="utf-8")
    door.chmod(0o755)
    path = f"{door.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    folder = tmp_path

    assert len(steps()) > 5
    for command, expected in steps():
        if command.startswith("cd "):
            folder = folder / command.removeprefix("cd ")
            continue
        done = subprocess.run(
            ["/bin/sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (command, done.stderr)
        assert re.fullmatch(pattern(expected), done.stdout, flags=re.DOTALL), (command, done.stdout)


def test_both_commands_of_the_start_are_there_and_can_be_run() -> None:
    for name in re.findall(r"^(scripts/\w+)", README, flags=re.MULTILINE):
        assert os.access(ROOT / name, os.X_OK), name


def test_every_link_to_a_file_leads_to_one() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target
