"""Findings: what doctor sees. Values, not exceptions."""

from enum import StrEnum

from engram.model.value import Value


class Level(StrEnum):
    """How bad a finding is."""

    ERROR = "error"  # the store is damaged; exit 6
    WARNING = "warning"  # works, but somebody should look
    INFO = "info"  # good to know


class Finding(Value):
    """One thing that doctor found."""

    code: str  # journal-torn, database-damaged, ...
    level: Level
    path: str  # file or thing, relative to the workspace
    message: str  # one sentence
    command: str  # what mends it
    fixed: bool = False  # mended in this run
