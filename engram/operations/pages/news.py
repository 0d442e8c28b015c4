"""What somebody finds who looks at the memory again: what it learnt, what waits for them, and who works on what."""

import datetime as dt
from typing import Any
from typing import Final

from engram.model.vocabulary import Standing
from engram.operations.answers.kept_promises import without_kept
from engram.operations.domains.domain_proposals import describe_proposal
from engram.operations.domains.domain_proposals import sees_proposals
from engram.operations.domains.domain_proposals import waiting_proposals
from engram.ports.database import FactDatabase
from engram.services.context.project import projects_worked_on
from engram.services.facts.learnt import LearntQuery
from engram.services.facts.learnt import learnt_since
from engram.services.facts.listing import Moment
from engram.services.review.candidates import find_brought
from engram.services.review.queue import count
from engram.services.review.queue import describe
from engram.services.review.visible_queue import visible_queue
from engram.services.visibility import Caller
from engram.services.visibility import current_path
from engram.services.visibility import visible_entities
from engram.services.visibility import visible_scopes
from engram.workspace import Workspace

_FIRST: Final = 3  # things that wait, which are shown
_EVER: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def news_since(workspace: Workspace, caller: Caller | None, since: dt.datetime) -> dict[str, Any]:
    """Return {"known", "learnt", "waiting", "projects", "position"} as far as the caller may see it.

    `known` is {"facts", "entities", "owner": {"path", "title", "facts"} or None}; `learnt` what `learnt_since` returns;
    `waiting` {"counts", "first"}; `projects` those that sessions were held about, the latest first.
    """
    settings = workspace.settings
    moment = Moment(workspace.now(), settings.decay, settings.zone, caller)
    with workspace.reading() as database:
        owner = current_path(database, settings.owner)
        return {
            "position": database.position(),
            "known": _known(database, owner, caller, moment.now),
            "learnt": _learnt(database, LearntQuery(since, owner), moment),
            "waiting": _waiting(workspace, database, caller),
            "projects": [one._asdict() for one in projects_worked_on(database, caller)],
        }


def _known(database: FactDatabase, owner: str, caller: Caller | None, now: dt.datetime) -> dict[str, Any]:
    counts = database.learnt_counts(_EVER, () if caller is None else visible_scopes(caller))
    titles = {one.path: one.title for one in visible_entities(database, caller or Caller())}
    is_known = owner in titles
    person = {"path": owner, "title": titles[owner], "facts": counts.get(owner, 0)} if is_known else None
    facts = database.fact_counts(now).get(Standing.ACTIVE.value, 0) if caller is None else sum(counts.values())
    return {"facts": facts, "entities": len(counts), "owner": person}


def _learnt(database: FactDatabase, asked: LearntQuery, moment: Moment) -> dict[str, Any]:
    learnt = learnt_since(database, asked, moment)
    all_shown = [view for group in learnt["groups"] for view in group["shown"]]
    told = {view["id"]: view for view in without_kept(database, all_shown, moment)}
    groups = [{**group, "shown": [told[view["id"]] for view in group["shown"]]} for group in learnt["groups"]]
    return {**learnt, "groups": groups}


def _waiting(workspace: Workspace, database: FactDatabase, caller: Caller | None) -> dict[str, Any]:
    """Return how much waits of each kind, and the first few; what gives orders is shown to a person alone."""
    settings, now = workspace.settings, workspace.now()
    queue = visible_queue(database, settings, caller, now)
    counted = count(queue)
    brought = find_brought(database, settings, caller, besides=len(queue) - counted.candidates, now=now)
    files = workspace.files
    proposals = waiting_proposals(workspace) if sees_proposals(caller) else []
    shown = [describe(database, one, settings, files, for_person=caller is None) for one in queue[:_FIRST]]
    shown += [describe_proposal(workspace, one, for_person=caller is None) for one in proposals]
    counts = {**counted._asdict(), "proposals": len(proposals)}
    return {"counts": counts, "silent": brought.left, "first": shown[:_FIRST]}
