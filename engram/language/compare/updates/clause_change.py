"""Which clauses of an older statement a newer one speaks of, where the older one has others besides. Pure.

"Files land in the bucket raw-eu, the warehouse is on db-03" says two things, and news of the warehouse leaves the
bucket where it is. Clauses are parted by their marks alone: what is asked is only which words stand together.
"""

from functools import lru_cache
from typing import Final

from engram.language.compare.updates.likely_change import topic_keys
from engram.language.matching.kept_expressions import kept

_BETWEEN: Final = kept(r"[,;:]\s+|[.!?]\s+|\s[-–—]\s+|[，；。：！？]")
_FEWEST: Final = 2  # terms of a clause that says something by itself


@lru_cache(maxsize=8192)  # asked again wherever the two are shown
def clauses_spoken_of(old: str, new: str) -> tuple[str, ...]:
    """Return the clauses of the older statement that share a word with the newer one; empty where that is all of it."""
    about = topic_keys(new)
    keys = {clause: topic_keys(clause) for clause in _BETWEEN.split(old)}
    spoken_of = tuple(clause for clause, some in keys.items() if some & about)
    others = [clause for clause, some in keys.items() if not some & about and len(some) >= _FEWEST]
    return spoken_of if others else ()
