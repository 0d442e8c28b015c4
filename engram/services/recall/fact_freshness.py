"""How it stands with what stored facts name, for those who read facts and ask no question."""

from collections.abc import Sequence

from engram.language.text.artefacts import find_artefacts
from engram.model.fact import Fact
from engram.ports.database import FactDatabase
from engram.services.facts.freshness import GIT_WAIT_S
from engram.services.facts.freshness import Freshness
from engram.services.recall.homes import Homes
from engram.services.recall.workplaces import Workplaces


def freshness_of(
    database: FactDatabase,
    facts: Sequence[Fact],
    workplaces: Workplaces,
    *,
    here: str | None = None,
    wait_s: float = GIT_WAIT_S,
) -> dict[str, Freshness]:
    """Return by id how it stands with those of the facts that name something; the owner's own agent alone may hear it.

    Args:
        database: knows projects and sessions.
        facts: as they are given out.
        workplaces: the folders that are known.
        here: the folder where who asks works.
        wait_s: seconds that git may take for all of them.
    """
    named = {fact.id: artefacts for fact in facts if (artefacts := find_artefacts(fact.text))}
    if not named or not workplaces.root:
        return {}
    homes = Homes(database, database.list_sessions(), lambda: {one.path: one for one in database.list_entities()})
    by_id = {fact.id: fact for fact in facts}
    return workplaces.look_for(named, lambda key: homes.of(by_id[key]), homes, here=here, wait_s=wait_s)
