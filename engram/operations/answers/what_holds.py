"""What stands in the place of facts that answer, where newer ones of the same entity probably make them out of date."""

from typing import Any

from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.services.facts.listing import Moment
from engram.services.facts.listing import fact_views
from engram.services.recall.homes import homes_of
from engram.services.recall.validity.outdated import find_likely_now
from engram.services.recall.validity.outdated import find_outdated_now
from engram.services.recall.validity.outdated import newest_of
from engram.services.recall.validity.said import read_said
from engram.services.visibility import visible_scopes


def with_what_holds(database: FactDatabase, views: list[dict[str, Any]], moment: Moment) -> list[dict[str, Any]]:
    """Return views as `fact_views` gives them, in the place of each that is out of date the newest that makes it so."""
    scopes = visible_scopes(moment.caller) if moment.caller else ()
    about = {view["entity"] for view in views}
    of_them = [database.list_facts(FactFilter(entity=path, status="active", scopes=tuple(scopes))) for path in about]
    known = {fact.id: fact for facts in of_them for fact in facts}
    facts, home = [*known.values()], homes_of(database).of
    said = read_said(database, facts)
    likely = find_likely_now(facts, home, moment.now, said)
    if likely.keys().isdisjoint(view["id"] for view in views):
        return views
    # What is said outright stands beside the fact: "over, says ...".
    told = find_outdated_now(facts, home, moment.now, said=said)
    over = {fact_id: newer for fact_id, newer in likely.items() if fact_id not in told}
    ids = [newest_of(over, known[view["id"]]).id if view["id"] in over else view["id"] for view in views]
    newer = (known[key] for key in ids if key in known)
    shown = {view["id"]: view for view in [*fact_views(database, newer, moment), *views]}
    return [shown[key] for key in dict.fromkeys(ids) if key in shown]
