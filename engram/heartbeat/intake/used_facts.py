"""What is asked for often, in different ways and over days, is put before a person as a line of MEMORY.md.

Nothing changes by itself, whatever `synthesis.wisdom` says: such a line always waits for a person. A fact is put
forward once; the watermark says how it was used then, in the same record as the proposal.
"""

import datetime as dt
import json
from collections.abc import Mapping
from typing import Final

from engram.heartbeat.intake.observations import apply_observations
from engram.model.conversation import Watermark
from engram.model.fact import Fact
from engram.model.handoff import HandoffProposal
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.rules.life.promotion import ASKED_LEAST
from engram.rules.life.promotion import CONSUMER
from engram.rules.life.promotion import USED
from engram.rules.life.promotion import WINDOW_DAYS
from engram.rules.life.promotion import Use
from engram.services.synthesis.promotion import read_surroundings
from engram.services.synthesis.promotion import reasons_against
from engram.services.synthesis.uses import uses_of
from engram.workspace import Workspace

MOST_AT_ONCE: Final = 5  # that one run puts forward; the next run looks at the others


def propose_used(workspace: Workspace, *, phase: str) -> int:
    """Put forward the facts that are used enough, and return how many are new to the review."""
    settings, now = workspace.settings, workspace.now()
    with workspace.reading() as database:
        around = read_surroundings(database, workspace.files, settings, now)
        facts = {} if around.is_off else _often_used(database)
        facts = {key: fact for key, fact in facts.items() if not reasons_against(fact, around)}
    if not facts:
        return 0
    since = now - dt.timedelta(days=WINDOW_DAYS)
    uses = uses_of(workspace.answers.accesses.rows(), facts.keys(), since=since, zone=settings.zone)
    due = sorted((key for key, use in uses.items() if use.is_enough()), key=lambda key: (-uses[key].asked, key))
    if not due:
        return 0
    chosen = due[:MOST_AT_ONCE]
    marks = [_mark(key, uses) for key in chosen]
    learned = apply_observations(
        workspace, proposals=[_proposal(facts[key]) for key in chosen], phase=phase, watermarks=marks
    )
    return learned.opened


def _often_used(database: FactDatabase) -> dict[str, Fact]:
    """Return the active facts that were given out as often as is needed and were never put forward."""
    told = {key.removeprefix(USED) for key in database.watermarks(CONSUMER) if key.startswith(USED)}
    often = {key for key, usage in database.usages().items() if usage.access_count >= ASKED_LEAST} - told
    found = database.list_facts(FactFilter(ids=tuple(sorted(often)))) if often else []
    return {fact.id: fact for fact in found}


def _mark(key: str, uses: Mapping[str, Use]) -> Watermark:
    return Watermark(consumer=CONSUMER, key=USED + key, value=json.dumps(uses[key]._asdict(), sort_keys=True))


def _proposal(fact: Fact) -> HandoffProposal:
    return HandoffProposal(
        target="memory",
        text=fact.text,
        entity=fact.entity,
        category=fact.category,
        abstraction=fact.abstraction,
        sources=(fact.id,),
    )
