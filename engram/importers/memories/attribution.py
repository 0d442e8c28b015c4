"""Whom a line of another memory is about: the one place that every reader of lines asks.

A reader hands over the line with all that stood around it; it decides nothing itself. What is decided here today is
little: a line is the agent's when its file says so of itself, else it is about the owner.
"""

import datetime as dt
from typing import NamedTuple

from engram.base.text import slugify
from engram.importers.memories.items import SourceLine
from engram.importers.memories.items import Subject


class Whose(NamedTuple):
    """An entity that a line is about."""

    entity: str  # path
    title: str | None = None  # for when it has to be made


def find_whose(line: SourceLine, subject: Subject) -> Whose:
    """Return whom a line is about."""
    if line.is_agents and line.agent:
        return Whose(f"people/{slugify(line.agent) or 'teammate'}", line.agent)
    return Whose(subject.owner)


def instant_of(line: SourceLine, subject: Subject) -> dt.datetime | None:
    """Return when a line was written: the beginning of its day; None when nothing tells it."""
    return dt.datetime.combine(line.on, dt.time.min, tzinfo=subject.zone).astimezone(dt.UTC) if line.on else None
