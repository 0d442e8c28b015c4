"""What the model that reads for the heartbeat has taken today, and whether it may take more.

Invariant: only the holder of the heartbeat's lease writes the file, after each answer, so that a run that is killed has
counted all but the one it was killed in. Days are those of the workspace.
"""

import datetime as dt
import json
from pathlib import Path
from typing import Any
from typing import NamedTuple

from engram.base.clock import local_day
from engram.base.disk.files import write_atomically
from engram.base.disk.own_files import read_own_text
from engram.config.sections.heartbeat import HeartbeatSettings
from engram.errors import DamagedStateError
from engram.heartbeat.child.replies import Usage
from engram.workspace import Workspace


class Spent(NamedTuple):
    """What was taken on one day."""

    day: dt.date
    calls: int = 0
    usage: Usage = Usage()

    def plus(self, usage: Usage) -> "Spent":
        """Return it with one call more."""
        return Spent(self.day, self.calls + 1, self.usage.plus(usage))


def spent_today(workspace: Workspace) -> Spent:
    """Return what was taken today; raise DamagedStateError when the file does not read, for then nobody knows."""
    today = local_day(workspace.now(), workspace.settings.zone)
    file = workspace.paths.agent_spending
    try:
        found = json.loads(read_own_text(file))
        usage = Usage(int(found["input_tokens"]), int(found["output_tokens"]), float(found["cost_usd"]))
        spent = Spent(dt.date.fromisoformat(found["day"]), int(found["calls"]), usage)
    except FileNotFoundError:
        return Spent(today)
    except (OSError, ValueError, KeyError, TypeError) as problem:
        message = f"{workspace.paths.relative(file)} does not tell what the model has taken today"
        raise DamagedStateError(message, hint=f"remove {file} to count from 0") from problem
    return spent if spent.day == today else Spent(today)


def note_spent(workspace: Workspace, usage: Usage) -> None:
    """Add what one answer took."""
    spent = spent_today(workspace).plus(usage)
    kept = {"day": spent.day.isoformat(), "calls": spent.calls, **spent.usage._asdict()}
    _write(workspace.paths.agent_spending, kept)


def why_spent(spent: Spent, settings: HeartbeatSettings) -> str:
    """Return in a few words why no more may be taken today; empty when it may. The same words all day."""
    if settings.agent_daily_tokens and spent.usage.tokens >= settings.agent_daily_tokens:
        return f"the {settings.agent_daily_tokens:,} tokens of heartbeat.agent_daily_tokens are spent for today"
    if settings.agent_daily_cost and spent.usage.cost_usd >= settings.agent_daily_cost:
        return f"the {settings.agent_daily_cost:.2f} dollars of heartbeat.agent_daily_cost are spent for today"
    return ""


def _write(file: Path, kept: dict[str, Any]) -> None:
    write_atomically(file, json.dumps(kept).encode(), mode=0o600)
