"""Which facts of an entity a new statement has to be compared with. Pure."""

from engram.model.entity import Entity
from engram.model.fact import Draft
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.rules.writes.situation import Analysis

FEW_FACTS = 300  # facts born under an entity up to which a statement is compared with all of them; beyond, only with
# those of the same fingerprint or slot and the newest of the same skeleton: a comparison takes 0.05 ms, and to read a
# statement at first 0.3 ms
MOST_OF_ONE_KEY = 60  # facts that say the same but for a value, the newest ones: a new statement may renew some of them


def is_compared_with_all(entity: Entity) -> bool:
    """Tell whether a statement about the entity is compared with all that is known of it; else see `may_matter`."""
    return entity.next_number <= FEW_FACTS


def may_matter(fact: Fact, draft: Draft, analysis: Analysis, entity: Entity) -> bool:
    """Tell whether a fact of the entity has to be compared with the draft."""
    if fact.scope != draft.scope or fact.status == Status.SUPERSEDED:
        return False
    if fact.status in {Status.CANDIDATE, Status.RETRACTED}:  # neither is believed: only the same statement matters
        return fact.fingerprint == analysis.fingerprint
    same_words = analysis.skeleton == fact.skeleton
    return is_compared_with_all(entity) or same_words or _must_compare(fact, analysis)


def newest_that_matter(facts: list[Fact], analysis: Analysis) -> list[Fact]:
    """Return the facts, oldest first, without the older ones of a long series (day 1, day 2, ...).

    Those of the same fingerprint or slot all stay: a repetition is found and a value replaced however long ago.
    """
    ordered = sorted(facts, key=lambda fact: (fact.recorded_at, fact.id))
    others = [fact.id for fact in ordered if not _must_compare(fact, analysis)]
    passed_over = set(others[:-FEW_FACTS])
    return [fact for fact in ordered if fact.id not in passed_over]


def _must_compare(fact: Fact, analysis: Analysis) -> bool:
    return analysis.fingerprint == fact.fingerprint or fact.attribute in analysis.attribute_names
