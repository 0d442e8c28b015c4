"""Which statements a new one is in tension with, and the tensions that it opens. Pure."""

import datetime as dt
from collections.abc import Sequence

from engram.model.changes.change import TensionOpened
from engram.model.comparison import DISPUTED
from engram.model.comparison import EXCLUDING
from engram.model.fact import Fact
from engram.model.tension import Tension
from engram.rules.writes.situation import Compared

SERIES = 3  # more numbered siblings than this are a series (day 1, day 2, ...), not contradictions
NUMBERED = frozenset({"number", "date", "version", "update"})


def list_excluded(
    live: list[Compared], targets: Sequence[Fact], fact: Fact, no_conflict: frozenset[tuple[str, ...]]
) -> list[Compared]:
    """Return what a fact excludes or disputes and leaves standing.

    Pairs of `no_conflict` are left out, and so are the many numbers of a series.
    """
    gone = {old.id for old in targets} | {one.fact.id for one in live if pair_of(one.fact, fact) in no_conflict}
    kinds = EXCLUDING | DISPUTED
    found = [one for one in live if one.comparison.kind in kinds and one.fact.id not in gone]
    others = [one for one in found if one.comparison.kind not in NUMBERED]
    return others if len(found) - len(others) > SERIES else found


def open_tensions(fact: Fact, excluding: list[Compared], count: int, now: dt.datetime) -> list[TensionOpened]:
    """Return the tensions of a fact with those; `count` of them were ever opened before."""
    return [
        TensionOpened(
            tension=Tension(
                id=f"tension-{count + place:04d}",
                text=f"“{one.fact.text}” ({one.fact.id}) against “{fact.text}” ({fact.id}): {one.comparison.why}",
                fact1=one.fact.id,
                fact2=fact.id,
                kind=one.comparison.kind,
                opened_at=now,
            )
        )
        for place, one in enumerate(excluding, 1)
    ]


def render_tensions(opened: list[TensionOpened]) -> str:
    """Say in words which tensions were opened."""
    return f"excludes {', '.join(change.tension.fact1 for change in opened)}; both stay until somebody settles it"


def pair_of(one: Fact, other: Fact) -> tuple[str, ...]:
    """Return what a pair of statements is known by: the entity and the fingerprint of each, in order."""
    return pair_of_sides((one.entity, one.fingerprint), (other.entity, other.fingerprint))


def pair_of_sides(one: tuple[str, str], other: tuple[str, str]) -> tuple[str, ...]:
    """Return the same of two statements by the entity and the fingerprint of each."""
    return tuple(sorted(f"{entity}\n{fingerprint}" for entity, fingerprint in (one, other)))
