"""Which documents a question is asked of, where its options name a category, a tag or a place."""

from fnmatch import fnmatchcase
from typing import Final

from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.ports.index import VectorIndex
from engram.services.recall.query import RecallQuery

NOT_ASKED_FOR: Final = "not_asked_for"  # exit of what has another category, tag or place than the question names
_WITH_PLACES: Final = ("note", "turn", "self")  # kinds of documents that lie in files
_WILD: Final = frozenset("*?[")


def is_narrowed(asked: RecallQuery) -> bool:
    """Tell whether a question is asked of some documents only."""
    return bool(asked.category or asked.tag or asked.path)


def narrowed_ids(database: FactDatabase, index: VectorIndex | None, asked: RecallQuery) -> frozenset[str]:
    """Return the ids of the documents that a narrowed question is asked of.

    A category and a tag are of facts alone. A place is a file, a folder with all below it, or a pattern such as
    `memory/*/2026-02-*.md`; a fact is where the words stand that it was read from.
    """
    wanted = FactFilter(status="all", category=asked.category or "", tag=asked.tag or "", scopes=asked.visible_scopes())
    if not asked.path:
        return frozenset(fact.id for fact in database.iter_facts(wanted))
    place = asked.path.removeprefix("./").rstrip("/")
    is_wild = bool(_WILD & {*place})
    below = place[: min(map(place.find, filter(place.__contains__, _WILD)))] if is_wild else place
    read = database.iter_facts(wanted._replace(path=below))
    facts = {fact.id for fact in read if fact.source.path and is_at(fact.source.path, place)}
    if asked.category or asked.tag or index is None:
        return frozenset(facts)
    by_path = index.ids_by_path(_WITH_PLACES)
    return frozenset(facts.union(*(ids for path, ids in by_path.items() if is_at(path, place))))


def is_at(path: str, place: str) -> bool:
    """Tell whether a file is the one that is named, lies below that folder, or fits that pattern."""
    return path == place or path.startswith(f"{place}/") or fnmatchcase(path, place)
