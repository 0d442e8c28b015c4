"""The phases of a run, in order, and the programs that answer for them."""

import os
import sys
from pathlib import Path
from typing import NamedTuple

import engram
from engram.errors import BadValueError


class Phase(NamedTuple):
    """One step of a run."""

    name: str
    template: str  # file name in references/ without ending; also the name in the hand-off block
    has_agent: bool  # an agent command may answer instead of the built-in child


EXTRACTION = Phase("extraction", "HB-EXTRACT", has_agent=True)
DOMAIN_SCAN = Phase("domain-scan", "HB-DOMAINS", has_agent=False)
MAINTENANCE = Phase("maintenance", "HB-MAINTENANCE", has_agent=False)
PHASES = (EXTRACTION, DOMAIN_SCAN, MAINTENANCE)


def chosen_phases(names: tuple[str, ...]) -> tuple[Phase, ...]:
    """Return the phases of these names (of all when there is none) in the order of the table; raise BadValueError."""
    known = {phase.name for phase in PHASES}
    for name in names:
        if name not in known:
            raise BadValueError(f"no phase is called {name!r}", hint=f"one of {', '.join(sorted(known))}")
    return tuple(phase for phase in PHASES if not names or phase.name in names)


def built_in_command(phase: Phase, memory_mb: int) -> list[str]:
    """Return the command line of the built-in child: this Python, and nothing from the folder it happens to run in."""
    return [sys.executable, "-P", "-m", "engram.heartbeat.child", phase.name, str(memory_mb)]


def child_environment() -> dict[str, str]:
    """Return our environment, in which the child finds the same engram whatever folder it runs in."""
    home = Path(engram.__file__).parent.parent
    given = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    paths = [str(home), *(str(Path(path).absolute()) for path in given)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONUTF8": "1"}
