"""What the caller of a run may choose, and which phases are due for it."""

from typing import NamedTuple

from engram.heartbeat.child.phases import Phase
from engram.heartbeat.child.phases import due_phases
from engram.heartbeat.domains.phase import has_domains
from engram.workspace import Workspace


class RunOptions(NamedTuple):
    """What the caller of a run may choose."""

    phases: tuple[str, ...] = ()  # names; empty: all
    force: bool = False  # read everything again, also what was read before
    agent_command: tuple[str, ...] = ()  # program and arguments; empty: what the settings say
    timeout_s: float | None = None  # of one phase; None: what the settings say
    adopts_orphans: bool = False  # this process is for the run alone: what leaves its parents behind is ended, too

    @property
    def is_plain(self) -> bool:
        """Whether nobody asked for anything special, as cron does not."""
        return not (self.phases or self.force or self.agent_command)


def list_due(workspace: Workspace, options: RunOptions) -> tuple[Phase, ...]:
    """Return the phases that a run has to see to, in their order."""
    phases = workspace.settings.heartbeat.phases
    return due_phases(phases, options.phases, has_domains=has_domains(workspace.paths))
