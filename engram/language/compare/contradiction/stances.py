"""What somebody never does or has, against what tells that they do, by the files in patterns/stances.

"Anna is vegetarian" and "Anna ate a steak on Friday" share no word but the name. Read wrongly, such a pair bothers a
person for nothing, so only plain statements count: one subject, nothing supposed, denied, past or excepted.
"""

import re
from functools import cache
from functools import lru_cache
from typing import Final
from typing import NamedTuple

from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.compare.reading.stems import fold
from engram.language.compare.reading.stems import stem
from engram.language.matching.language_files import read_languages
from engram.language.matching.patterns import Pattern
from engram.language.matching.prefilter import compiled
from engram.language.matching.prefilter import stands_in

_KIND: Final = "stances"  # of the data files
_MOST_CHARS: Final = 200  # a longer statement says more than one thing
_CONFIDENCE: Final = 0.7
_NAME_WORDS: Final = 2  # a longer subject is a phrase about somebody


class _Told(NamedTuple):
    """A stance or a conduct that a statement tells."""

    name: str
    who: tuple[str, ...]  # stems of the subject; empty for "she" and the like: the one that the statement is about
    excludes: frozenset[str]  # of a stance: conducts
    begins: bool  # of a stance: it says that it began, so what was before it counts for nothing


class _Form(NamedTuple):
    name: str
    pattern: Pattern
    excludes: frozenset[str]


class _Language(NamedTuple):
    script: str  # each of these is an expression
    unreal: str
    doubted: str
    begins: str
    stances: tuple[_Form, ...]
    conducts: tuple[_Form, ...]


def find_clash(new: str, old: str) -> tuple[str, float, str] | None:
    """Return kind, confidence and reason when one statement tells what the other one excludes, else None."""
    (stances, conducts), (older, acts) = _read(new), _read(old)
    for stance, conduct in ((one, other) for one in stances for other in acts if not one.begins):
        if _is_clash(stance, conduct):
            return _found(stance, conduct)
    for stance, conduct in ((one, other) for one in older for other in conducts):
        if _is_clash(stance, conduct):
            return _found(stance, conduct)
    return None


def _found(stance: _Told, conduct: _Told) -> tuple[str, float, str]:
    return "contradiction", _CONFIDENCE, f"{stance.name}, and yet {conduct.name}"


def _is_clash(stance: _Told, conduct: _Told) -> bool:
    return conduct.name in stance.excludes and _is_same(stance.who, conduct.who)


def _is_same(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Tell whether both subjects are one: a pronoun is whoever the statements are about, and so is a name beside it."""
    return one == other or (not (one and other) and len(one or other) <= _NAME_WORDS)


@lru_cache(maxsize=8192)  # a statement is compared with many
def _read(text: str) -> tuple[tuple[_Told, ...], tuple[_Told, ...]]:
    """Return the stances and the conducts that a statement tells; of most there are none."""
    if len(text) > _MOST_CHARS:
        return (), ()
    folded = fold(text)
    stances: list[_Told] = []
    conducts: list[_Told] = []
    for language in _languages():
        if not stands_in(language.script, folded):
            continue
        stances += _told(language.stances, folded, language.doubted, language.begins)
        conducts += _told(language.conducts, folded, language.unreal, language.begins)
    return tuple(stances), tuple(conducts)


def _told(forms: tuple[_Form, ...], folded: str, not_so: str, begins: str) -> list[_Told]:
    """Return what a statement tells of these forms, unless it says beside it that it is not so, or not always."""
    found = [(form, match) for form in forms if (match := form.pattern.search(folded)) is not None]
    if not found or compiled(not_so).search(folded):
        return []
    began = bool(compiled(begins).search(folded))
    return [_Told(form.name, _subject(_who(match)), form.excludes, began) for form, match in found]


def _who(match: re.Match[str]) -> str:
    groups = match.groupdict()
    return groups.get("who") or groups.get("whose") or ""


def _subject(who: str) -> tuple[str, ...]:
    """Return the stems of a subject; none for "she": "I" and "we" are nobody whom a name beside them can mean."""
    others = {word for pair in load_lexicon().apart for word in pair}
    return () if who in others else tuple(map(stem, who.split()))


@cache
def _languages() -> tuple[_Language, ...]:
    return tuple(
        _Language(
            data["script"],
            data["unreal"],
            data["doubted"],
            data["begins"],
            *(
                tuple(
                    _Form(one["name"], Pattern(one, data["parts"]), frozenset(one.get("excludes", "").split()))
                    for one in data[kind]
                )
                for kind in ("stance", "conduct")
            ),
        )
        for data in read_languages(_KIND).values()
    )
