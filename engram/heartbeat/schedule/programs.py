"""Runs a program of the system; commands are argument lists, no shell is used."""

import os
import subprocess
from collections.abc import Sequence

from engram.errors import EngramError

_TIMEOUT_S = 60.0  # of one program


def run(command: Sequence[str], *, stdin: str = "") -> None:
    """Run a program to its end; raise EngramError when it fails."""
    done = call_program(command, stdin=stdin)
    if done.returncode != 0:
        raise failure(command, done)


def call_program(command: Sequence[str], *, stdin: str = "") -> subprocess.CompletedProcess[bytes]:
    """Run a program and return how it ended; raise EngramError when it cannot be run, or takes a minute."""
    environment = {**os.environ, "LC_ALL": "C"}  # messages that can be recognised
    data = stdin.encode("utf-8", "surrogateescape")  # bytes of others' lines go back as they came
    try:
        return subprocess.run(
            list(command), input=data, capture_output=True, env=environment, timeout=_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise EngramError(f"{command[0]} could not be run: {problem}", hint=f"try {command[0]} by hand") from problem


def failure(command: Sequence[str], done: subprocess.CompletedProcess[bytes]) -> EngramError:
    """Return the error that says how a program failed."""
    said = " ".join(text_of(done.stderr or done.stdout).split()) or f"exit code {done.returncode}"
    return EngramError(f"{' '.join(command)} failed: {said}", hint=f"try {' '.join(command)} by hand")


def text_of(data: bytes) -> str:
    """Return what a program printed; bytes that are no text come back as they were when it is given them again."""
    return data.decode("utf-8", "surrogateescape")
