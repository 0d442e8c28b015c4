"""Facts that name a file or a commit which is not there any more."""

import shlex
from collections.abc import Iterator

from engram.base.counts import counted
from engram.config.project_folders import read_project_folders
from engram.language.text.artefacts import find_artefacts
from engram.model.finding import Finding
from engram.model.finding import Level
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.services.doctor.check import Checkup
from engram.services.doctor.check import standing
from engram.services.facts.freshness_words import stale_words
from engram.services.recall.fact_freshness import freshness_of
from engram.services.recall.workplaces import Workplaces

_MOST = 10  # findings at a time
_WAIT_S = 2.0  # for git; nobody waits for an answer, but writers wait for the store


def check_named_things(checkup: Checkup) -> Iterator[Finding]:
    """What facts name is still there, as far as it can be looked at."""
    workplaces = Workplaces(str(checkup.paths.root), lambda: read_project_folders(checkup.paths))
    with standing(checkup) as database:
        if database is not None:
            yield from find_stale(database, workplaces, checkup.here)


def find_stale(database: FactDatabase, workplaces: Workplaces, here: str | None = None) -> Iterator[Finding]:
    """Yield a finding for each of the first facts whose file or commit is gone, and one that counts the others."""
    facts = {fact.id: fact for fact in database.iter_facts(FactFilter()) if find_artefacts(fact.text)}
    found = freshness_of(database, [*facts.values()], workplaces, here=here, wait_s=_WAIT_S)
    stale = [(facts[key], one) for key, one in found.items() if one.is_stale]
    for fact, one in stale[:_MOST]:
        yield Finding(
            code="fact-stale",
            level=Level.INFO,
            path=f"life/{fact.entity}",
            message=f"{fact.id}: {stale_words(one.as_json())}",
            command=f"engram show {shlex.quote(fact.id)}",
        )
    if more := stale[_MOST:]:
        message = f"{counted(len(more), 'other fact')} that name something which is not there any more"
        yield Finding(code="fact-stale", level=Level.INFO, path="life", message=message, command="engram doctor")
