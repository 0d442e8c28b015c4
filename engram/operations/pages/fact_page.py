"""All that can be told of one fact: its versions, where it was read, what it led to, and who was shown it."""

from collections.abc import Sequence
from typing import Any

from engram.model.fact import Fact
from engram.operations.answers.kept_promises import without_kept
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.rules.life.grounds import Grounds
from engram.services.facts.exposure import exposure_of
from engram.services.facts.listing import Moment
from engram.services.facts.listing import chain_of
from engram.services.facts.listing import fact_views
from engram.services.facts.listing import get_fact
from engram.services.facts.parts import grounds_of_each
from engram.services.facts.parts import parts_of
from engram.services.facts.sources.origins import with_source_lines
from engram.services.facts.sources.passage import read_passage
from engram.services.visibility import Caller
from engram.services.visibility import may_see
from engram.services.visibility import visible_entities
from engram.services.visibility import visible_scopes
from engram.workspace import Workspace


def fact_page(workspace: Workspace, fact_id: str, caller: Caller | None) -> dict[str, Any]:
    """Return fact, title, versions, made_of, grounds, derived, tensions and shown, as far as the caller may see it.

    `versions` is the chain, oldest first; each view has `said`, its source in one line, and `passage`, the text that it
    was read in. `grounds` has `parts`, how many facts it was made of, and `standing`, how many of them still hold.
    `shown` is what `exposure_of` returns.

    Raises:
        UnknownFactError, AmbiguousNameError: for the id.
    """
    settings = workspace.settings
    moment = Moment(workspace.now(), settings.decay, settings.zone, caller)
    with workspace.reading() as database:
        fact = get_fact(database, fact_id, caller)
        versions = _versions(workspace, database, fact, moment)
        titles = {one.path: one.title for one in visible_entities(database, caller or Caller())}
        page = {
            "fact": fact.id,
            "title": titles.get(fact.entity, fact.entity.partition("/")[2]),
            "versions": versions,
            "made_of": _parts(database, fact, moment),
            "grounds": grounds_of_each(database, [fact], caller).get(fact.id, Grounds(0, 0))._asdict(),
            "derived": _short_views(database, FactFilter(status="all", made_of=(fact.id,)), moment),
            "tensions": _tensions(database, fact, caller),
        }
    shown = exposure_of(fact.id, workspace.answers.accesses.rows(), workspace.answers.recalls.rows(), caller)
    return {**page, "shown": shown}


def _versions(workspace: Workspace, database: FactDatabase, fact: Fact, moment: Moment) -> list[dict[str, Any]]:
    chain = chain_of(database, fact)
    told = without_kept(database, fact_views(database, chain, moment), moment)
    views = with_source_lines(database, chain, told)
    by_id, files = {one.id: one for one in chain}, workspace.files
    return [{**view, "passage": read_passage(database, by_id[view["id"]], files, moment.caller)} for view in views]


def _short_views(database: FactDatabase, wanted: FactFilter, moment: Moment) -> list[dict[str, Any]]:
    """Return what a line about each of these facts needs."""
    scopes = () if moment.caller is None else visible_scopes(moment.caller)
    views = fact_views(database, database.list_facts(wanted._replace(scopes=scopes)), moment)
    return [{name: view[name] for name in ("id", "entity", "text", "status", "trust", "recorded_at")} for view in views]


def _parts(database: FactDatabase, fact: Fact, moment: Moment) -> list[dict[str, Any]]:
    """Return the facts that it was made of; what was noticed about them has no page of its own."""
    return [one for one in parts_of(database, fact, moment) if one["kind"] == "fact"]


def _tensions(database: FactDatabase, fact: Fact, caller: Caller | None) -> list[dict[str, Any]]:
    """Return the open tensions that the fact is a side of, with the other side, as far as that may be seen."""
    found = [one for one in database.list_tensions() if fact.id in {one.fact1, one.fact2}]
    others = _by_id(database, [one.fact2 if one.fact1 == fact.id else one.fact1 for one in found])
    told = []
    for tension in found:
        other = others.get(tension.fact2 if tension.fact1 == fact.id else tension.fact1)
        if other is not None and (caller is None or may_see(caller, other.scope)):
            told.append({"id": tension.id, "kind": tension.kind, "other": other.id, "text": other.text})
    return told


def _by_id(database: FactDatabase, ids: Sequence[str]) -> dict[str, Fact]:
    return {one.id: one for one in database.list_facts(FactFilter(status="all", ids=tuple(ids)))} if ids else {}
