"""What stands in the place of facts that answer, where newer ones of the same entity probably make them out of date."""

from typing import Any

from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.services.facts.listing import Moment
from engram.services.facts.listing import fact_views
from engram.services.recall.homes import homes_of
from engram.services.recall.validity.outdated import find_likely_now
from engram.services.visibility import visible_scopes


def with_what_holds(database: FactDatabase, views: list[dict[str, Any]], moment: Moment) -> list[dict[str, Any]]:
    """Return views as `fact_views` gives them, in the place of each that is out of date the newest that makes it so."""
    scopes = visible_scopes(moment.caller) if moment.caller else ()
    about = {view["entity"] for view in views}
    of_them = [database.list_facts(FactFilter(entity=path, status="active", scopes=tuple(scopes))) for path in about]
    known = [fact for facts in of_them for fact in facts]
    over = {old: new.id for old, new in find_likely_now(known, homes_of(database).of, moment.now).items()}
    ids = list(dict.fromkeys(_newest(over, view["id"]) for view in views))
    if ids == [view["id"] for view in views]:
        return views
    newer = (fact for fact in known if fact.id in ids)
    told = {view["id"]: view for view in [*fact_views(database, newer, moment), *views]}
    return [told[key] for key in ids if key in told]


def _newest(over: dict[str, str], fact_id: str) -> str:
    while fact_id in over:
        fact_id = over[fact_id]
    return fact_id
