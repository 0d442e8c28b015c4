"""Reading the conversations on a machine for the first time, the newest first, for as long as a first minute allows.

What there is no time for is left to the heartbeat, which takes it in before it does anything else.
"""

import time
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple

from engram.errors import MalformedInputError
from engram.heartbeat.run.result import RunResult
from engram.heartbeat.run.runner import run_heartbeat
from engram.hooks.background.deferred_requests import leave_transcripts
from engram.importers.capture import capture_files
from engram.importers.transcripts.files import Choices
from engram.importers.transcripts.formats import AUTO
from engram.importers.transcripts.places import Found
from engram.workspace import Workspace

CAPTURE_S: Final = (
    5.0  # after which no further lot is begun: drawing facts takes four times as long, with a model eight
)
LOT_BYTES: Final = 4_000_000  # of transcripts that are captured between two looks at the clock
_VECTORS_S: Final = 6.0  # for vectors, in the place of heartbeat.embedding_s
_LABEL: Final = "reading conversations"


class Captured(NamedTuple):
    """How far the conversations were read."""

    turns: int  # new ones
    files: int  # read, or known to be unchanged
    left: int  # files that the heartbeat takes in
    complaints: Sequence[str]  # a sentence for each line that could not be read


def capture_newest(
    workspace: Workspace, found: Sequence[Found], *, most_s: float = CAPTURE_S, lot_bytes: int = LOT_BYTES
) -> Captured:
    """Capture conversations, the newest first, until so many seconds are over; leave the rest to the heartbeat."""
    choices = Choices(AUTO, None, None, workspace.settings.zone, workspace.settings.agent)
    begun = time.monotonic()
    turns = files = 0
    complaints: list[str] = []
    for lot in _lots(found, lot_bytes):
        if files and time.monotonic() - begun > most_s:
            break
        workspace.progress(_LABEL, files, len(found))
        try:
            report = capture_files(workspace, [str(one.path) for one in lot], choices, dry_run=False)
            turns += report.captured
            complaints += report.complaints()
        except MalformedInputError as problem:  # a file that went since it was found
            complaints.append(problem.message)
        files += len(lot)
    left = found[: len(found) - files]
    if left:
        leave_transcripts(workspace.paths, [one.path for one in left])
    return Captured(turns, files, len(left), complaints)


def learn(workspace: Workspace) -> RunResult:
    """Run one heartbeat that takes no longer for vectors than somebody who looks on wants to wait."""
    settings = workspace.settings
    short = min(_VECTORS_S, settings.heartbeat.embedding_s)
    heartbeat = settings.heartbeat.model_copy(update={"embedding_s": short})
    workspace.settings = settings.model_copy(update={"heartbeat": heartbeat})
    try:
        return run_heartbeat(workspace)
    finally:
        workspace.settings = settings


def _lots(found: Sequence[Found], lot_bytes: int) -> Iterator[list[Found]]:
    """Yield the files in lots, the newest lot first, each from old to new: a later file may repeat an older one."""
    lot: list[Found] = []
    for one in reversed(found):
        lot.insert(0, one)
        if sum(file.size for file in lot) >= lot_bytes:
            yield lot
            lot = []
    if lot:
        yield lot
