"""Engram in a process of its own: what a hook cannot do while its host waits, or not with what it may load. Light."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import engram
from engram.config.paths import Paths


def own_command(paths: Paths, *words: str) -> list[str]:
    """Return the command line that runs this very Engram, in this Python, on a workspace."""
    return [sys.executable, "-P", "-m", "engram", "--workspace", str(paths.root), *words]


def own_environment() -> dict[str, str]:
    """Return the environment in which that finds this Engram, also when it is run from its source."""
    home = str(Path(engram.__file__).resolve().parent.parent)
    places = [home, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(places))}


def ask_engram(paths: Paths, words: Sequence[str], *, timeout_ms: int) -> str:
    """Return what a command prints; raise OSError when it fails, TimeoutError when it takes longer."""
    import subprocess  # noqa: PLC0415 - most events need no child

    try:
        done = subprocess.run(
            own_command(paths, *words),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=own_environment(),
            timeout=timeout_ms / 1000,
            check=False,
        )
    except subprocess.TimeoutExpired as problem:
        raise TimeoutError(f"engram {words[0]} took longer than {timeout_ms} ms") from problem
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.returncode}"
        raise OSError(f"engram {words[0]}: {said}")
    return done.stdout.decode("utf-8", "replace")


def start_engram(paths: Paths, *words: str) -> None:
    """Start a command that goes on when this process and its host are gone; it reads and prints nothing."""
    command = own_command(paths, *words)
    silent = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    try:
        os.posix_spawn(command[0], command, own_environment(), file_actions=silent, setsid=True)
    except NotImplementedError:  # a system whose posix_spawn knows no sessions
        os.posix_spawn(command[0], command, own_environment(), file_actions=silent, setpgroup=0)
