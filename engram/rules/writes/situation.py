"""What is known when something is written, and what of it is within the reach of whoever writes. Pure."""

import datetime as dt
from collections.abc import Mapping
from collections.abc import Sequence
from types import MappingProxyType
from typing import NamedTuple

from engram.model.comparison import CORRECTED
from engram.model.comparison import Comparison
from engram.model.entity import Entity
from engram.model.fact import Draft
from engram.model.fact import Fact
from engram.model.fact import Trust
from engram.model.fact import Usage
from engram.rules.trust.authority import Authority
from engram.rules.trust.authority import authority_of
from engram.rules.trust.authority import authority_to_say
from engram.rules.trust.authority import may_retire

OUT_OF_REACH = Comparison(CORRECTED, 0.5, 0.0, "the newer statement was to take its place, and is trusted less")


class Analysis(NamedTuple):
    """What text analysis knows about the draft's statement."""

    fingerprint: str
    skeleton: str
    trust: Trust
    single_valued: bool  # the draft's attribute holds one value at a time
    reason: str = ""  # why it is quarantined, in words
    attribute_names: frozenset[str] = frozenset()  # every name of the draft's attribute
    slot_was_read: bool = False  # attribute and value were read from the text: the writer named none


class Compared(NamedTuple):
    """An active fact of the same entity and scope, and how the draft stands to it."""

    fact: Fact
    comparison: Comparison
    same_value: bool = False  # it has the draft's attribute, and the same value
    partly: bool = False  # the draft excludes one clause of it only, and the others still hold


class Situation(NamedTuple):
    """What is known when something is written, and when that is."""

    entity: Entity  # whom it is about
    known: Sequence[Compared]  # the entity's facts in the draft's scope that may matter (`may_matter`), oldest first
    tension_count: int  # how many tensions were ever opened
    now: dt.datetime
    zone: dt.tzinfo = dt.UTC  # tells one day from another
    replaced: Sequence[Fact] = ()  # active facts that the writer named with --supersedes
    renewed: Sequence[Fact] = ()  # what it brings up to date, whoever that is about
    outdated_by: Fact | None = None  # what was said after it of the same
    no_conflict: frozenset[tuple[str, ...]] = frozenset()  # pairs (`pair_of`) of which somebody said that both hold
    beside: Sequence[Fact] = ()  # versions that held before in its slot, and what is to end where a planned fact begins
    usages: Mapping[str, Usage] = MappingProxyType({})  # how facts are used
    in_tension: frozenset[frozenset[str]] = frozenset()  # ids of the two sides of each open tension
    word: Authority | None = None  # how far the word reaches of who asks for it, when that is not who says it
    refused: Sequence[Fact] = ()  # what it was to take the place of, and is out of its reach: set by `plan_write`

    def reach(self, draft: Draft, analysis: Analysis) -> Authority:
        """Return how far the word of the write reaches."""
        return self.word or authority_to_say(analysis.trust, draft.source)


def within_reach(draft: Draft, analysis: Analysis, situation: Situation) -> Situation:
    """Return the situation with what the word of the write may not retire put apart."""
    word = situation.reach(draft, analysis)
    asked = {one.id: one for one in (*situation.replaced, *situation.renewed)}.values()
    refused = [old for old in asked if not may_retire(word, old)]
    later = situation.outdated_by
    return situation._replace(
        refused=refused,
        replaced=[old for old in situation.replaced if old not in refused],
        renewed=[old for old in situation.renewed if old not in refused],
        beside=[old for old in situation.beside if may_retire(word, old)],
        outdated_by=later if later is not None and authority_of(later) >= word else None,
    )


def with_refused(live: Sequence[Compared], refused: Sequence[Fact]) -> list[Compared]:
    """Return what a draft is compared with, and what it may not replace as what it is in tension with."""
    ids = {fact.id for fact in refused}
    return [*(one for one in live if one.fact.id not in ids), *(Compared(fact, OUT_OF_REACH) for fact in refused)]
