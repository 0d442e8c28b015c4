"""Which entities a new name may mean after all: a slip of the keys, another spelling, a part of the whole name.

Stricter than the "did you mean" of an error, which may guess: here a wrong guess keeps a new entity from being made.
"""

import difflib
from collections.abc import Iterable

from engram.language.names.same_name import sound_key
from engram.language.names.twins import Named

_ALIKE = 0.75  # likeness of two names, 0 to 1, from which one may be a slip for the other
_MOST = 3  # entities that are named


def like_names(name: str, known: Iterable[Named]) -> list[str]:
    """Return the paths of entities that a path or name may mean, the most alike first; at most three."""
    said = _bare(name)
    scored = [
        (max((_likeness(said, _bare(one)) for one in entity.names), default=0.0), entity.path) for entity in known
    ]
    near = sorted((one for one in scored if one[0] >= _ALIKE), key=lambda one: (-one[0], one[1]))
    return [path for _, path in near[:_MOST]]


def _bare(name: str) -> str:
    """Return a name or path as it is compared: without its folder, in words."""
    return " ".join(name.casefold().rpartition("/")[2].replace("-", " ").replace("_", " ").split())


def _likeness(said: str, known: str) -> float:
    """Return how alike two bare names are: 1 where they sound alike or one holds all words of the other."""
    if not said or not known:
        return 0.0
    words, others = set(said.split()), set(known.split())
    if words <= others or others <= words or (sound_key(said) and sound_key(said) == sound_key(known)):
        return 1.0
    return difflib.SequenceMatcher(None, said, known).ratio()
