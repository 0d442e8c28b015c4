"""Whether installed hooks fire: their own commands run on what hosts would send, in a workspace that is thrown away."""

import datetime as dt
import json
import os
import shlex
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engram.base.clock import to_iso
from engram.base.clock import utc_now
from engram.base.disk.given_files import read_given
from engram.config.paths import Paths
from engram.config.words import NOBODY
from engram.errors import RefusedError
from engram.hooks.background.warm_start import NO_START
from engram.hooks.host import USER_PROMPT
from engram.hooks.installation.entries import commands_in
from engram.hooks.installation.entries import commands_in_handler
from engram.hooks.installation.installer import Target
from engram.hooks.installation.installer import shell_command
from engram.hooks.log import last_firing
from engram.operations.setup import make_workspace

_TIMEOUT_S = 60.0  # of one command
_MOST_SHOWN = 200  # characters of what went wrong


def installed_commands(target: Target) -> dict[str, str]:
    """Return the commands that stand in a host's configuration, by our names of events.

    Raises RefusedError for a configuration that cannot be read.
    """
    config = target.places().config
    file = config / "handler.js" if target.host.files is not None else config
    try:
        text = read_given(file).decode()
        find = commands_in if target.host.files is None else commands_in_handler
        return find(text, target.host)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else problem
        raise RefusedError(f"{file} cannot be read: {why}", hint="mend it by hand") from problem


def status_of(paths: Paths, target: Target) -> dict[str, Any]:
    """Return {"host", "level", "config", "installed", "fires", "events"} of one host at one level.

    Each event has its `command`, whether it was `tried` and `fires`, how long it took in `ms`, `why` not, and `last`
    when the host called it last for this workspace (None: never). A command of another install of Engram is not tried:
    what the host last called tells of it. Nothing is run when nothing is installed.
    """
    commands = installed_commands(target)
    with tempfile.TemporaryDirectory(prefix="engram-hooks-") as folder:
        tried = _try_all(target, commands, Path(folder)) if commands else {}
    events = [
        {"event": event, "command": command, "last": _last(paths, target.host.name, event), **tried[event]}
        for event, command in commands.items()
    ]
    return {
        "host": target.host.name,
        "level": target.level,
        "config": str(target.places().config),
        "installed": bool(commands),
        "fires": bool(commands) and all(one["fires"] for one in events) and not target.host.events.keys() - commands,
        "missing": sorted(target.host.events.keys() - commands) if commands else [],
        "events": events,
    }


def _try_all(target: Target, commands: Mapping[str, str], folder: Path) -> dict[str, dict[str, Any]]:
    root = folder / "workspace"
    make_workspace(root, {"timezone": "UTC", "owner": NOBODY}, now=utc_now, force=False, dry_run=False)
    transcript = folder / "transcript.jsonl"  # not there: nothing is captured
    return {event: _try(target, event, command, root, transcript) for event, command in commands.items()}


def _try(target: Target, event: str, command: str, root: Path, transcript: Path) -> dict[str, Any]:
    """Run one command as the host does, but on another workspace; what this Engram would not install is not run."""
    words = _on_another(command, root)
    if words != _on_another(shell_command(Paths(root), target.host, event), root):
        program = " ".join(words[: words.index("--workspace")]) if "--workspace" in words else command
        why = f"another program was installed: {program}; engram hooks install {target.host.name} puts this one there"
        return {"fires": False, "tried": False, "ms": 0, "why": why}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ENGRAM_")}
    environment |= {"ENGRAM_WORKSPACE": str(root), "ENGRAM_EMBEDDINGS": "none", NO_START: "1"}
    begin = time.monotonic()
    try:
        done = subprocess.run(
            ["/bin/sh", "-c", shlex.join(words)],  # as hosts run it
            input=json.dumps(target.host.sample(event, str(transcript))).encode(),
            capture_output=True,
            cwd=transcript.parent,
            env=environment,
            timeout=_TIMEOUT_S,
            check=False,
        )
        why = _why_not(target, event, done, Paths(root))
    except (OSError, subprocess.TimeoutExpired) as problem:
        why = str(problem)
    return {
        "fires": not why,
        "tried": True,
        "ms": round((time.monotonic() - begin) * 1000),
        "why": why[:_MOST_SHOWN] or None,
    }


def _on_another(command: str, root: Path) -> list[str]:
    """Return the words of a command with another workspace; empty for what no shell could read."""
    try:
        words = shlex.split(command)
    except ValueError:
        return []
    if "--workspace" in words[:-1]:
        words[words.index("--workspace") + 1] = str(root)
    return words


def _why_not(target: Target, event: str, done: subprocess.CompletedProcess[bytes], scratch: Paths) -> str:
    """Return why a command did not do its work, or an empty string."""
    if done.returncode:
        return f"it left with {done.returncode}: {done.stderr.decode('utf-8', 'replace').strip()}"
    if done.stdout.strip():
        if event not in target.host.listens:
            return "it prints what the host did not ask for"
        try:
            json.loads(done.stdout)
        except ValueError:
            return "it prints what is no JSON"
    if last_firing(scratch, target.host.name, event) is None:
        return "it was called, but did not take the event for one of this host"
    if event == USER_PROMPT and not any(scratch.spool.glob("*.json")):
        return "it kept nothing of a prompt that holds a preference"
    return ""


def _last(paths: Paths, host: str, event: str) -> str | None:
    at = last_firing(paths, host, event)
    if at is None:
        return None
    return to_iso(dt.datetime.fromtimestamp(int(at), dt.UTC))
