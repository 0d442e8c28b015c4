"""The graph: everybody and everything at every day of the world, and one of them with its facts."""

import datetime as dt
from typing import Any
from typing import Final

from engram.rules.life.decay import TIERS
from engram.services.facts.listing import FactQuery
from engram.services.facts.listing import get_entity_path
from engram.services.facts.listing import list_facts
from engram.services.graph.entity_graph import GraphQuery
from engram.services.graph.replay import read_replay
from engram.services.graph.replay import replay
from engram.services.visibility import Caller
from engram.services.visibility import visible_entities
from engram.web.asked import Asked
from engram.web.asked import Page

_MOST_FACTS: Final = 12  # of a card


def graph(page: Page, asked: Asked) -> dict[str, Any]:
    """Return what `services.graph.replay` tells, or of one entity its card.

    `as_known` and, of a card, `as_of` are days, of which the end counts.
    """
    if asked.rest:
        return _card(page, asked)
    query = GraphQuery(page.moment(), as_known=_end_of(asked, "as_known"), ontology=page.ontology())
    with page.workspace.reading() as database:
        counted = read_replay(database, query)
    return replay(counted, query)


def _card(page: Page, asked: Asked) -> dict[str, Any]:
    """Return {"path", "title", "aliases", "counts", "facts"}: how many there are by tier, and those used last."""
    moment = page.moment()
    with page.workspace.reading() as database:
        path = get_entity_path(database, asked.rest, moment.caller)
        query = FactQuery(entity=path, as_of=_end_of(asked, "as_of"), as_known=_end_of(asked, "as_known"))
        facts = list_facts(database, query, moment)
        known = visible_entities(database, moment.caller or Caller())
    entity = next(one for one in known if one.path == path)
    ordered = sorted(facts, key=lambda one: (TIERS.index(one["tier"]), -_seconds(one["recorded_at"])))
    return {
        **entity.model_dump(mode="json", include={"path", "title", "aliases"}),
        "counts": {tier: sum(one["tier"] == tier for one in facts) for tier in TIERS},
        "facts": [{name: one[name] for name in ("id", "text", "tier", "valid_from")} for one in ordered[:_MOST_FACTS]],
    }


def _seconds(at: str) -> float:
    return dt.datetime.fromisoformat(at).timestamp()


def _end_of(asked: Asked, name: str) -> dt.datetime | None:
    """Return the last instant of a day that was said."""
    end = asked.moment(name, ends=True)
    return None if end is None else end - dt.timedelta(microseconds=1)
