"""The facts that a start block may show, chosen by the engine: a store of 100,000 takes seconds to be read whole."""

import datetime as dt
from collections.abc import Sequence
from typing import Any
from typing import Final

from engram.model.fact import Fact
from engram.ports.start import StartFilter
from engram.rules.life.decay import SURE
from engram.rules.life.importance import GENERALITY
from engram.rules.life.importance import LEFT_IN_TIER
from engram.rules.life.importance import MOST_SAID
from engram.rules.life.importance import MOST_USED
from engram.rules.life.importance import SAID_ENOUGH
from engram.rules.life.importance import USED_ENOUGH
from engram.rules.life.importance import WORTH_OF_KIND
from engram.rules.life.importance import WORTH_OF_VOICE
from engram.rules.temporal import SHOWN_OVERDUE
from engram.store.database.conditions import naive
from engram.store.database.duck_overview import DuckOverview
from engram.store.database.tables import rows

_A_DAY: Final = dt.timedelta(days=1)
_WEIGHING: Final[dict[str, Any]] = {
    "kinds": [*WORTH_OF_KIND],
    "kind_worths": [*WORTH_OF_KIND.values()],
    "voices": [*WORTH_OF_VOICE],
    "voice_worths": [*WORTH_OF_VOICE.values()],
    "abstractions": [*GENERALITY],
    "generalities": [*GENERALITY.values()],
    "tiers": [*LEFT_IN_TIER],
    "left_in_tier": [*LEFT_IN_TIER.values()],
    "most_said": MOST_SAID,
    "said_enough": SAID_ENOUGH,
    "most_used": MOST_USED,
    "used_enough": USED_ENOUGH,
    "sure": SURE,
}


class DuckStart(DuckOverview):
    """`ports.start.StartFacts` over one file; usable between `attach` and the end of its block."""

    def facts_to_begin_with(self, wanted: StartFilter) -> list[Fact]:
        """See the port."""
        project, tiers = wanted.project, wanted.tiers
        asked = {
            "now": naive(wanted.now),
            "owed_since": naive(wanted.now - SHOWN_OVERDUE - _A_DAY),  # whose day is over in any zone
            "scopes": list(wanted.scopes),
            "owner": wanted.owner,
            "project": project.path if project else "",
            "names": list(project.names) if project else [],
            "sessions": list(project.sessions) if project else [],
            "other_sessions": list(project.other_sessions) if project else [],
            "in_play": list(wanted.in_play),
            "hot_since": naive(tiers.hot_since),
            "warm_since": naive(tiers.warm_since),
            "unsure_since": naive(tiers.unsure_since),
            "kept_accesses": tiers.kept_accesses,
            "each": wanted.each,
        }
        return [rows.fact_of(row) for row in self._select("facts_to_begin_with", **asked, **_WEIGHING)]

    def count_held(self, scopes: Sequence[str], now: dt.datetime) -> int:
        """See the port."""
        return int(self._select("count_held", scopes=list(scopes), now=naive(now))[0]["facts"])
