"""Whether a fact is put forward for MEMORY.md because it is used, and for a pattern because it comes again; why not."""

import datetime as dt
from collections.abc import Mapping
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.counts import counted
from engram.base.json_values import load_json
from engram.base.text import fingerprint
from engram.config.settings import Settings
from engram.model.fact import SHARED
from engram.model.fact import Abstraction
from engram.model.fact import Fact
from engram.model.fact import Trust
from engram.model.observation import Observation
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.ports.text_files import TextFiles
from engram.rules.life.promotion import CONSUMER
from engram.rules.life.promotion import TOLD
from engram.rules.life.promotion import USED
from engram.rules.life.promotion import Use
from engram.rules.life.promotion import may_be_put_forward
from engram.rules.temporal import standing
from engram.services.silo.memory_file import lines_by_id
from engram.services.silo.memory_file import read_memory
from engram.services.silo.memory_file import statements_in
from engram.services.synthesis.occasions import occasions_of
from engram.services.synthesis.patterns import MOST_FACTS
from engram.services.synthesis.patterns import PATTERN_OCCASIONS
from engram.services.synthesis.patterns import PRINCIPLE_WEEKS
from engram.services.synthesis.patterns import Said
from engram.services.synthesis.patterns import occasions_of_same
from engram.services.synthesis.patterns import weeks_of

_MEMORY: Final = "memory"  # target of a suggestion: a line of MEMORY.md


class Surroundings(NamedTuple):
    """What else decides whether facts are put forward."""

    now: dt.datetime
    disputed: frozenset[str]  # ids of facts that a tension is or was about
    in_memory: frozenset[str]  # ids of the facts whose lines stand in MEMORY.md
    memory_says: frozenset[str]  # fingerprints of its lines
    is_off: bool  # the settings want no proposals


def read_surroundings(database: FactDatabase, files: TextFiles, settings: Settings, now: dt.datetime) -> Surroundings:
    """Return what decides about every fact."""
    memory = read_memory(files)
    disputed = frozenset(side for one in database.list_tensions("all") for side in (one.fact1, one.fact2))
    off = settings.synthesis.wisdom == "off"
    return Surroundings(now, disputed, frozenset(lines_by_id(memory)), statements_in(memory), off)


def reasons_against(fact: Fact, around: Surroundings) -> list[str]:
    """Return why a fact is not put forward however much it is used, in words; empty when nothing is in the way."""
    state = standing(fact, around.now)
    found = [
        (around.is_off, "the setting synthesis.wisdom is off"),
        (state.value != "active", f"it does not hold now: it is {state.value}"),
        (fact.scope != SHARED, f"it is private to {fact.scope.replace(':', ' ')}"),
        (fact.trust == Trust.QUARANTINED, "it is quarantined"),
        (fact.trust == Trust.UNVERIFIED and not may_be_put_forward(fact), "nobody vouches for whose words it is"),
        (fact.id in around.disputed, "a tension is or was about it"),
        (fact.id in around.in_memory or fingerprint(fact.text) in around.memory_says, "it stands in MEMORY.md"),
    ]
    return [why for is_so, why in found if is_so]


def why_proposed(database: FactDatabase, observation: Observation) -> str | None:
    """Return why an observation suggests something, in words; None when it is not known or nothing is suggested."""
    suggestion = observation.suggestion
    if suggestion is None or not observation.facts:
        return None
    marks, first = database.watermarks(CONSUMER), observation.facts[0]
    if suggestion.target == _MEMORY and (used := marks.get(USED + first)):
        return f"it was {read_use(used).said()}"
    occasions = marks.get(f"{TOLD}{suggestion.target}:{suggestion.abstraction.value}:{first}", "")
    return f"it was said on {counted(int(occasions), 'occasion')}" if occasions.isdecimal() else None


def read_use(text: str) -> Use:
    """Return the use that a watermark holds."""
    found = load_json(text)
    return Use(**{name: int(found.get(name, 0)) for name in Use._fields}) if isinstance(found, dict) else Use()


def repetition_of(database: FactDatabase, fact: Fact, zone: dt.tzinfo) -> dict[str, Any]:
    """Return {"has", "least", "unit", "to_be"} of what makes a pattern of an episode and a principle of a pattern.

    `has` is how often the fact was said, itself or in other words; a principle has nothing to become: `to_be` is None.
    """
    facts = [one for one in database.list_facts(FactFilter(entity=fact.entity)) if one.scope == fact.scope]
    others = [one for one in facts if one.id != fact.id]
    facts = sorted([*others[1 - MOST_FACTS :], fact], key=lambda one: one.recorded_at)
    made_of = tuple(sorted({key for one in facts for key in one.derived_from}))
    evidence = database.list_facts(FactFilter(status="all", ids=made_of)) if made_of else []
    usages = database.usages([one.id for one in (*facts, *evidence)])
    occasions = occasions_of(database, facts, evidence, usages, zone)
    if fact.abstraction == Abstraction.PATTERN:
        weeks = len(weeks_of(occasions[fact.id]))
        return {"has": weeks, "least": PRINCIPLE_WEEKS, "unit": "week", "to_be": Abstraction.PRINCIPLE.value}
    said = [_said(one, occasions) for one in facts if one.abstraction == fact.abstraction]
    has = len(occasions_of_same(said, fact.id))
    to_be = Abstraction.PATTERN.value if fact.abstraction == Abstraction.EPISODE else None
    return {"has": has, "least": PATTERN_OCCASIONS, "unit": "occasion", "to_be": to_be}


def _said(fact: Fact, occasions: Mapping[str, frozenset[str]]) -> Said:
    return Said(
        id=fact.id,
        entity=fact.entity,
        text=fact.text,
        category=fact.category,
        abstraction=fact.abstraction,
        confidence=fact.confidence,
        skeleton=fact.skeleton,
        slot=(fact.attribute, fact.value or "") if fact.attribute else None,
        occasions=occasions[fact.id],
    )
