"""Hits with a mark where a file or a commit that they name is not there any more."""

from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final

from engram.language.text.artefacts import find_artefacts
from engram.model.document import Document
from engram.model.document import Hit
from engram.model.fact import Fact
from engram.services.recall.query import RecallQuery
from engram.services.recall.validity.versions import Versions
from engram.services.recall.workplaces import Workplaces

_MOST: Final = 50  # hits that are looked at: who asks for more wants to read, not to be told of each
_NOT_LOOKED_AT: Final = frozenset({"turn", "self"})  # kinds that tell of their moment, or are about no project


def with_freshness(
    hits: Sequence[Hit],
    documents: Mapping[str, Document],
    facts: Mapping[str, Fact],
    versions: Versions,
    workplaces: Workplaces,
    asked: RecallQuery,
) -> list[Hit]:
    """Return the hits, those that name something with how it stands with it.

    The owner's own agent alone is told: to others it would tell what lies in folders that are not theirs. A question
    about the past asks for what was.
    """
    if not workplaces.root or not asked.asker().works_for_owner or asked.asks_for_the_past():
        return [*hits]
    looked_at = (one.id for one in hits[:_MOST] if one.kind not in _NOT_LOOKED_AT)
    named = {key: artefacts for key in looked_at if (artefacts := find_artefacts(documents[key].text))}
    if not named:
        return [*hits]
    homes = versions.homes

    def home_of(key: str) -> str | None:
        fact = facts.get(key)
        return homes.of(fact) if fact is not None else homes.worked_on(documents[key], None)

    found = workplaces.look_for(named, home_of, homes, here=asked.folder)
    return [one.model_copy(update={"freshness": found[one.id].as_json()}) if one.id in found else one for one in hits]
