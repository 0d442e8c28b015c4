"""A subagent for tests, and one run of the phase as a process that can be killed.

`python spawned.py agent FOLDER` is the subagent: it notes in FOLDER that it ran and prints its answer, or what stands
in FOLDER/answer; with FOLDER/together it waits until so many of them are at work. `python spawned.py phase ROOT NOW`
runs the phase that runs it.
"""

import json
import os
import re
import sys
import time
from pathlib import Path

ANSWER = """=== HB-DOMAINS HANDOFF ===
Status: ok
Summary: it ran
Changelog-Entries: [{"name": "NAME", "text": "looked at the copies"}]
Proposals: [{"target": "domain", "domain": "NAME", "text": "keep two copies"}]
=== END ===
"""
IDLE = "=== HB-DOMAINS HANDOFF ===\nStatus: ok\nSummary: nothing to do\n=== END ===\n"


def agent(folder: Path) -> None:
    prompt = sys.stdin.read()
    found = re.search(r"^# Domain (\S+)$", prompt, re.MULTILINE)
    name = found[1] if found else "nobody"
    (folder / f"prompt-{name}").write_text(prompt)
    with (folder / "began").open("a") as file:
        file.write(f"{name} {time.monotonic()} {os.environ.get('ENGRAM_ROLE')}\n")
    time.sleep(float((folder / "sleep").read_text()) if (folder / "sleep").exists() else 0)
    if (folder / "together").exists():
        wait_for_others(folder / "began", int((folder / "together").read_text()))
    with (folder / "ended").open("a") as file:
        file.write(f"{name} {time.monotonic()}\n")
    answer = folder / "answer"
    sys.stdout.write((answer.read_text() if answer.exists() else ANSWER).replace("NAME", name))


def wait_for_others(began: Path, many: int) -> None:
    """Wait until that many subagents are at work, for a minute at most."""
    deadline = time.monotonic() + 60
    while len(began.read_text().splitlines()) < many and time.monotonic() < deadline:
        time.sleep(0.02)


def phase(root: str, now: str, command: str) -> None:
    import datetime as dt

    from engram.heartbeat.child.phase_result import PhaseTask
    from engram.heartbeat.child.phases import DOMAIN_SPAWN
    from engram.heartbeat.domains.spawn import run_domain_spawn
    from engram.workspace import open_workspace

    at = dt.datetime.fromisoformat(now)
    workspace = open_workspace(root, now=lambda: at)
    run_domain_spawn(
        PhaseTask(workspace, f"run-{os.getpid()}", DOMAIN_SPAWN, tuple(json.loads(command)), 30, force=False)
    )


if __name__ == "__main__":
    if sys.argv[1] == "agent":
        agent(Path(sys.argv[2]))
    else:
        phase(*sys.argv[2:])
