"""The built-in phases: `python -m engram.heartbeat.child PHASE [MEMORY_MB]`, JSON on stdin, a hand-off block on stdout.

A child writes nothing and opens no store: what it should know is in its input.
"""

import importlib
import json
import sys
from typing import IO

from engram.base.machine.garbage import seldom_collect
from engram.heartbeat.child.phases import Phase
from engram.heartbeat.child.phases import chosen_phases
from engram.model.handoff import Handoff
from engram.model.handoff import HandoffStatus
from engram.rules.handoff.handoff import render_handoff

try:
    import resource
except ImportError:
    _HAS_LIMITS = False  # Windows
else:
    _HAS_LIMITS = True

_WHY_CHARS = 1000  # of what went wrong in a failed hand-off


def main(argv: list[str]) -> int:
    """Answer for one phase; return the exit code."""
    seldom_collect()
    (phase,) = chosen_phases((argv[1],))
    if len(argv) > 2:
        _limit_memory(int(argv[2]) * 1024 * 1024)
    handoff = answer(phase, sys.stdin)
    sys.stdout.write(render_handoff(handoff, phase.template))
    return exit_code(handoff)


def answer(phase: Phase, given: IO[str]) -> Handoff:
    """Answer the question that is read from a file; whatever fails becomes a failed hand-off."""
    try:
        # By name, so that a child loads what its own phase needs and nothing of the others.
        answering = importlib.import_module(f"engram.heartbeat.answers.{phase.name.replace('-', '_')}")
        answered: Handoff = answering.answer(json.load(given))
    except Exception as problem:  # noqa: BLE001 - the process boundary of a heartbeat child
        why = f"{type(problem).__name__}: {problem}"
        return Handoff(status=HandoffStatus.FAILED, summary=why[:_WHY_CHARS])
    return answered


def exit_code(handoff: Handoff) -> int:
    """Return how the child ends that gives this answer."""
    return 0 if handoff.status != HandoffStatus.FAILED else 1


def _limit_memory(limit: int) -> None:
    """Let this process map no more, where the system has such limits; elsewhere the runner looks."""
    if not _HAS_LIMITS:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    soft = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


if __name__ == "__main__":
    sys.exit(main(sys.argv))
