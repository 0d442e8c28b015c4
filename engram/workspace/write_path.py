"""What only those who write need of a workspace: it is loaded when something is written, planned or applied."""

import datetime as dt
from collections.abc import Callable
from typing import Any

from engram.config.paths import Paths
from engram.config.settings import Settings
from engram.model.commands.command import CommandResult
from engram.ports.database import FactDatabase
from engram.ports.journal import Journal
from engram.services.commands.recorder import Recorder
from engram.services.commands.recorder import known_result
from engram.services.commands.recorder import plan_command
from engram.services.mirror.refresh import refresh
from engram.services.mirror.review_files import refresh_waiting
from engram.store.life_mirror import LifeMirror
from engram.store.ops_mirror import OpsMirror
from engram.store.spool import Spool
from engram.workspace.spool_drain import drain

__all__ = ["LifeMirror", "known_result", "open_recorder", "plan_command", "refresh_files"]


def open_recorder(
    spool: Spool,
    acknowledged: Callable[[CommandResult], CommandResult],
    journal: Journal,
    database: FactDatabase,
    *,
    settings: Settings,
    now: Callable[[], dt.datetime],
    recalled: Callable[[str], str | None],
) -> Recorder:
    """Return what decides commands, with those applied that wait; see `drain` and `Recorder`."""
    recorder = Recorder(journal, database, settings=settings, now=now, recalled=recalled)
    drain(spool, recorder, acknowledged)
    return recorder


def refresh_files(
    recorder: Recorder,
    journal: Journal,
    paths: Paths,
    settings: Settings,
    now: dt.datetime,
    *,
    thorough: bool,
    **how: bool,
) -> dict[str, Any]:
    """Take in what people edited, then write what changed; `how` is that of `services.mirror.refresh`."""
    done = refresh(recorder, journal, LifeMirror(paths), settings=settings, now=now, thorough=thorough, **how)
    written = refresh_waiting(recorder.database, OpsMirror(paths), settings, thorough=thorough)
    return {**done, "files_written": done["files_written"] + written}
