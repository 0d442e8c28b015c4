"""Whose place a statement takes without being told their ids. Pure."""

from collections.abc import Sequence

from engram.model.comparison import CORRECTED
from engram.model.comparison import DISPUTED
from engram.model.comparison import EXCLUDING
from engram.model.fact import Draft
from engram.model.fact import Fact
from engram.rules.trust.authority import Authority
from engram.rules.trust.authority import may_retire
from engram.rules.writes.situation import Analysis
from engram.rules.writes.situation import Compared
from engram.rules.writes.succession import is_correction


def find_targets(draft: Draft, analysis: Analysis, live: list[Compared], word: Authority) -> list[Fact]:
    """The facts whose place the draft takes without being told their ids: none that is out of its reach."""
    open_to_it = [one for one in live if may_retire(word, one.fact)]
    slot = [one.fact for one in open_to_it if _gives_way(one, analysis)]
    if slot:
        return slot
    if not is_correction(draft):
        return []
    whole = [one for one in open_to_it if not one.partly and one.comparison.kind != CORRECTED]
    excluded = [one.fact for one in whole if one.comparison.kind in EXCLUDING]
    if excluded:
        return excluded
    # A correction may change one plain word, or say it otherwise; then only a single candidate is meant beyond doubt.
    changed = [one.fact for one in whole if one.comparison.kind == "value" or one.comparison.kind in DISPUTED]
    return changed if len(changed) == 1 else []


def with_renewed(targets: list[Fact], renewed: Sequence[Fact]) -> list[Fact]:
    """Return the targets with what the draft brings up to date besides."""
    known = {fact.id for fact in targets}
    return [*targets, *(fact for fact in renewed if fact.id not in known)]


def _gives_way(one: Compared, analysis: Analysis) -> bool:
    """Tell whether an active fact holds another value of an attribute that holds one at a time.

    A slot that was only read takes no place from a fact that says something else besides: a tension.
    """
    if (
        one.comparison.kind == CORRECTED
        or not analysis.single_valued
        or one.same_value
        or one.fact.attribute not in analysis.attribute_names
    ):
        return False
    return not (analysis.slot_was_read and one.partly)
