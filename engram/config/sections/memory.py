"""Sections about what is remembered: how long, where, what is believed, and what waits for a person."""

import datetime as dt
from typing import Annotated
from typing import Literal

from pydantic import AfterValidator
from pydantic import Field

from engram.config.sections.section import Section
from engram.config.wait_setting import DEFAULT_WAIT_S
from engram.config.wait_setting import MOST_WAIT_S
from engram.config.words import Expression
from engram.config.words import Interval


class DecaySettings(Section):
    """When facts leave the hot and the warm tier."""

    clock: Literal["activity", "wall"] = "activity"
    """Days are counted on a clock that stops while the workspace is idle, or on the wall clock."""
    hot_days: Annotated[int, Field(ge=0, le=3650)] = 7
    """Days since the last access up to which a fact is hot."""
    warm_days: Annotated[int, Field(ge=0, le=3650)] = 30
    """Days since the last access up to which a fact is warm."""
    unsure_days: Annotated[int, Field(ge=0, le=3650)] = 14
    """Days up to which a fact below confidence 0.5 is warm."""
    kept_accesses: Annotated[int, Field(ge=1)] = 10
    """Accesses from which a cold fact counts as warm."""
    survival_share: Annotated[float, Field(ge=0, le=1)] = 0.2
    """Share of the facts in summaries that may leave at one heartbeat; more wait until a person lets them go."""
    survival_count: Annotated[int, Field(ge=0)] = 20
    """Facts that may leave at one heartbeat whatever their share."""


def _key_source(source: str) -> str:
    kind, _, place = source.partition(":")
    if source not in {"", "keyring"} and not (kind in {"file", "command"} and place):
        raise ValueError("is none of keyring, file:PATH and command:PROGRAM")
    return source


class StoreSettings(Section):
    """How commands wait for the store."""

    wait_s: Annotated[float, Field(ge=0, le=MOST_WAIT_S)] = DEFAULT_WAIT_S
    """Seconds that a command waits for its turn before it says that the store is busy."""
    segment_bytes: Annotated[int, Field(ge=4096)] = 8 * 1024 * 1024
    """Bytes from which a journal segment is sealed and compressed."""
    encryption_key: Annotated[str, AfterValidator(_key_source)] = ""
    """Where `engram encrypt on` has the key: keyring, file:PATH, or command:PROGRAM, which prints it."""


class BackupSettings(Section):
    """Backups that the heartbeat makes."""

    folder: str = ""
    """Folder outside of the workspace into which the heartbeat backs up, best on another disk; empty: it does not."""
    every: Interval = "1d"
    """Time between two backups in minutes, hours, days or weeks, such as 12h; what is not new is not copied."""

    @property
    def interval(self) -> dt.timedelta:
        """The time between two backups."""
        unit = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}[self.every[-1]]
        return dt.timedelta(**{unit: int(self.every[:-1])})


class ScreenSettings(Section):
    """What counts as an attempt to give orders to the agent."""

    patterns: tuple[Expression, ...] = ()
    """Regular expressions of your own, upper or lower case; a text with a match, or without end, is quarantined."""


class ReviewSettings(Section):
    """What a review asks of a person."""

    daily_limit: Annotated[int, Field(ge=0)] = 10
    """Questions that a review asks a person on one day, all kinds together; candidates fill what others leave."""


class SynthesisSettings(Section):
    """What the heartbeat makes of notes and facts."""

    wisdom: Literal["propose", "apply", "off"] = "propose"
    """Whether patterns, principles and lines for MEMORY.md wait for a review, are made at once, or are not sought."""
    memory_bytes: Annotated[int, Field(ge=500, le=1_000_000)] = 8000
    """Bytes up to which Engram adds lines to MEMORY.md; about a quarter as many tokens."""
    archive_after_days: Annotated[int, Field(ge=0, le=36500)] = 0
    """Days after which a daily note that its week and month hold is moved to archives/; 0: never."""
