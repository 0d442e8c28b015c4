"""Entities that may be one under two names: a proposal each, with the command that joins them."""

import shlex
from collections.abc import Iterator

from engram.model.finding import Finding
from engram.model.finding import Level
from engram.ports.database import FactDatabase
from engram.services.review.names import find_pairs

CODE = "entity-twice"
MOST = 10  # proposals at a time: nobody works through more


def find_twice(database: FactDatabase) -> Iterator[Finding]:
    """Yield a finding for each two entities of which the review asks whether they are one."""
    pairs = find_pairs(database)
    for pair in pairs[:MOST]:
        command = f"engram entity merge {shlex.quote(pair.goes)} {shlex.quote(pair.stays)}"
        message = f"{pair.text}: {pair.why}"
        yield Finding(code=CODE, level=Level.INFO, path=f"life/{pair.goes}", message=message, command=command)
    if len(pairs) > MOST:
        message = f"{len(pairs) - MOST} more pairs of entities may be one; they are named when these are settled"
        yield Finding(code=CODE, level=Level.INFO, path="life", message=message, command="engram review")
