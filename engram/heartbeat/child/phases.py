"""The phases of a run, in order, and the programs that answer for them."""

import os
import sys
from pathlib import Path
from typing import NamedTuple

import engram
from engram.config.sections.heartbeat import PhasesSettings
from engram.errors import BadValueError


class Phase(NamedTuple):
    """One step of a run."""

    name: str
    template: str  # file name in references/ without ending; also the name in the hand-off block
    has_agent: bool  # an agent command may answer instead of the built-in child


EXTRACTION = Phase("extraction", "HB-EXTRACT", has_agent=True)
SYNTHESIS = Phase("synthesis", "HB-SYNTHESIS", has_agent=True)
DOMAIN_SCAN = Phase("domain-scan", "HB-DOMAINS", has_agent=True)
DOMAIN_SPAWN = Phase("domain-spawn", "HB-DOMAINS", has_agent=True)  # prompt: DOMAIN-RUN; answer: the scan's
MAINTENANCE = Phase("maintenance", "HB-MAINTENANCE", has_agent=True)
REVIEW = Phase("review", "HB-REVIEW", has_agent=True)
PHASES = (EXTRACTION, SYNTHESIS, DOMAIN_SCAN, DOMAIN_SPAWN, MAINTENANCE, REVIEW)
_OF_DOMAINS = frozenset([DOMAIN_SCAN, DOMAIN_SPAWN])


def due_phases(settings: PhasesSettings, wanted: tuple[str, ...], *, has_domains: bool) -> tuple[Phase, ...]:
    """Return the phases of a run in their order: those that are asked for by name, else all that can have work.

    Whether a phase has work it finds out itself, from its watermarks; here stands only what needs no look at the store.
    Raises BadValueError for a name that is not known.
    """
    if wanted:
        return chosen_phases(wanted)
    return tuple(one for one in PHASES if settings.of(one.name).enabled and (one not in _OF_DOMAINS or has_domains))


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
