"""What a statement that was made of others rests on, and how much of that still stands. Pure.

A pattern takes the place of an episode that says the same words, and a principle that of its pattern. What was taken in
like this still stands: its place was taken by what was made of it. What was taken back, quarantined, or replaced by
another statement stands no more. The statement that was made of it stays, and is said to rest on less.
"""

from collections.abc import Mapping
from typing import NamedTuple

from engram.base.counts import counted
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Trust

_NOT_HELD = frozenset({Status.SUPERSEDED, Status.RETRACTED})


class Grounds(NamedTuple):
    """How much a statement was made of, and how much of it still stands."""

    parts: int  # facts that it was made of; of a part that was itself made of others, those
    standing: int  # of them

    def said(self) -> str:
        """Return it in words, empty for what was made of nothing."""
        if not self.parts:
            return ""
        lost = f" and now rests on {self.standing}" if self.standing < self.parts else ""
        return f"made of {counted(self.parts, 'fact')}{lost}"


def still_stands(part: Fact, whole: Fact, known: Mapping[str, Fact]) -> bool:
    """Tell whether a part of a statement still speaks for it; `known` are facts by id, those that replaced it too."""
    if part.trust == Trust.QUARANTINED or part.was_wrong:
        return False
    if part.status not in _NOT_HELD:
        return True
    after = known.get(part.superseded_by or "")
    return after is not None and (after.lineage == whole.lineage or after.fingerprint == part.fingerprint)


def grounds_of(whole: Fact, known: Mapping[str, Fact]) -> Grounds:
    """Return what a statement rests on; parts that are not in `known` do not count."""
    found: dict[str, bool] = {}
    _walk(whole, known, found, {whole.id})
    return Grounds(len(found), sum(found.values()))


def _walk(whole: Fact, known: Mapping[str, Fact], found: dict[str, bool], seen: set[str]) -> None:
    for part in (known[key] for key in whole.derived_from if key in known):
        if part.id in seen:
            continue
        seen.add(part.id)
        if not still_stands(part, whole, known):
            found[part.id] = False
        elif any(key in known for key in part.derived_from):
            _walk(part, known, found, seen)
        else:
            found[part.id] = True
