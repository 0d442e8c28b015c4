"""Which entities may be one under two names: written otherwise, in another script, case or order, shorter, or misspelt.

Only names are looked at, and only what one of few readings explains: a given name that two persons have means neither.
"""

import functools
import re
from collections import defaultdict
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from itertools import combinations
from itertools import permutations
from typing import NamedTuple

from engram.language.names.inflection import case_forms
from engram.language.names.same_name import sound_key

PEOPLE = "people"
_AS_HEARD = (("ee", "i"), ("ea", "i"), ("ou", "u"), ("oo", "u"), ("ck", "k"), ("ph", "f"), ("th", "t"))
_SHORTEST_MISSPELT = 7  # characters of a name that may have lost a letter; shorter ones are names of their own
_REMEMBERED = 2  # sets of entities: a process that lives long is asked about the same ones again and again
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


class Named(NamedTuple):
    """An entity as far as its names go."""

    path: str
    title: str
    aliases: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """The folder that it stands in."""
        return self.path.partition("/")[0]

    @property
    def names(self) -> tuple[str, ...]:
        """Everything that it is called."""
        return self.title, *self.aliases, self.path.partition("/")[2]


class Twins(NamedTuple):
    """Two entities that may be one."""

    one: str  # path
    other: str
    why: str  # in words


def find_twins(entities: Iterable[Named]) -> list[Twins]:
    """Return the pairs of entities of one kind that may be one, each once, with the surest reason."""
    return [*_twins_of(tuple(entities))]


@functools.lru_cache(maxsize=_REMEMBERED)
def _twins_of(entities: tuple[Named, ...]) -> tuple[Twins, ...]:
    by_kind: dict[str, list[Named]] = defaultdict(list)
    for entity in entities:
        by_kind[entity.kind].append(entity)
    found: dict[tuple[str, str], str] = {}
    for kind, alike in by_kind.items():
        looks = (_sounding, _inflected, *((_reordered, _shortened, _misspelt) if kind == PEOPLE else ()))
        for look in looks:
            for one, other, why in look(alike):
                pair = (one, other) if one < other else (other, one)
                found.setdefault(pair, why)
    return tuple(Twins(*pair, why) for pair, why in sorted(found.items()))


def _sounding(entities: Sequence[Named]) -> Iterator[Twins]:
    """Yield those that have one name in common, however it is spelt."""
    called: dict[str, dict[str, str]] = defaultdict(dict)
    for entity in entities:
        for name in entity.names:
            if key := sound_key(name):
                called[key].setdefault(entity.path, name)
    for names in called.values():
        for one, other in combinations(sorted(names), 2):
            yield Twins(one, other, f"{names[one]!r} and {names[other]!r} are one name, written in two ways")


def _inflected(entities: Sequence[Named]) -> Iterator[Twins]:
    """Yield those of which one is called by a case of the other's name."""
    alike: dict[tuple[int, str], list[tuple[str, str, tuple[str, ...]]]] = defaultdict(list)
    for entity in entities:
        for name in (entity.title, *entity.aliases):
            if words := _words(name):
                alike[len(words), words[0][:2]].append((entity.path, name, words))
    for named in alike.values():
        for (one, name, words), (other, said, forms) in permutations(named, 2):
            if one != other and words != forms and _is_case_of(forms, words):
                yield Twins(one, other, f"{said!r} may be a case of {name!r}")


def _is_case_of(said: tuple[str, ...], name: tuple[str, ...]) -> bool:
    return all(form in case_forms(word) for word, form in zip(name, said, strict=True))


def _reordered(entities: Sequence[Named]) -> Iterator[Twins]:
    """Yield those whose names have the same words in another order."""
    called: dict[tuple[str, ...], dict[str, str]] = defaultdict(dict)
    for entity in entities:
        for name in (entity.title, *entity.aliases):
            if len(words := _words(name)) > 1:
                called[tuple(sorted(map(sound_key, words)))].setdefault(entity.path, name)
    for names in called.values():
        for one, other in combinations(sorted(names), 2):
            yield Twins(one, other, f"{names[one]!r} and {names[other]!r} have the same words")


def _shortened(entities: Sequence[Named]) -> Iterator[Twins]:
    """Yield each with a name that only one full name can be meant by: a given name, or one with an initial."""
    full: dict[str, list[tuple[Named, tuple[str, ...]]]] = defaultdict(list)  # by what a short form has in common
    for entity in entities:
        if len(words := _words(entity.title)) > 1:
            for key in {sound_key(words[0]), f"{words[0][0]} {' '.join(words[1:])}"} - {""}:
                full[key].append((entity, words))
    for entity in entities:
        words = _words(entity.title)
        meant = [other for other, named in full.get(_short_key(words), ()) if named != words and other != entity]
        if len(meant) == 1 and meant[0].path != entity.path:
            yield Twins(entity.path, meant[0].path, f"{entity.title!r} may be short for {meant[0].title!r}")


def _misspelt(entities: Sequence[Named]) -> Iterator[Twins]:
    """Yield those whose names are heard alike, such as Meera and Mira, and those of which a long one lost a letter."""
    heard: dict[str, dict[str, str]] = defaultdict(dict)
    called = {_folded(name): (entity.path, name) for entity in entities for name in (entity.title, *entity.aliases)}
    for folded, (path, name) in called.items():
        if key := sound_key(_as_heard(folded)):
            heard[key].setdefault(path, name)
        for place in range(1, len(folded) if len(folded) > _SHORTEST_MISSPELT else 0):
            other, short = called.get(folded[:place] + folded[place + 1 :], (path, name))
            if other != path:
                yield Twins(path, other, f"{name!r} and {short!r} are nearly one name")
    for names in heard.values():
        for one, other in combinations(sorted(names), 2):
            yield Twins(one, other, f"{names[one]!r} and {names[other]!r} are heard alike")


def _as_heard(folded: str) -> str:
    for written, sound in _AS_HEARD:
        folded = folded.replace(written, sound)
    return folded


def _folded(name: str) -> str:
    return " ".join(_words(name))


def _short_key(words: tuple[str, ...]) -> str:
    """Return what a given name alone, or an initial with a surname, has in common with the full name; "" for others."""
    if len(words) == 1:
        return sound_key(words[0])
    return " ".join(words) if len(words) > 1 and len(words[0]) == 1 else ""


def _words(name: str) -> tuple[str, ...]:
    return tuple(word.casefold().replace("ё", "е") for word in _WORD.findall(name))
