"""What people say that tells nothing that lasts: what is unreal, what is asked for once, what is so at the moment.

By the files in patterns/fleeting, each for texts of its `script`. They say what such words are: of somebody who would
do something if things were otherwise (`unreal`; not where the same form is a polite wish, or goes on to what is so:
`real`), the words of a request (`asked`; not of an order that stays: `standing`; nor where more is told: `told`), and
all of a statement of a mood or of what somebody is just doing (`moment`).
"""

import re
from functools import cache
from functools import lru_cache
from typing import Final
from typing import NamedTuple

from engram.language.matching.language_files import read_languages
from engram.language.matching.patterns import Pattern
from engram.language.matching.patterns import ScriptRules

_LONGEST: Final = 200  # characters of what is read; more says more
_LONGEST_MOMENT: Final = 80
_QUOTATION: Final = re.compile(r"[\"“„«「][^\"“”„«»「」]{1,200}[\"“”»」]")


class _Language(NamedTuple):
    """What the file of a language says."""

    script: ScriptRules
    unreal: Pattern
    real: Pattern
    asked: Pattern
    standing: Pattern
    told: Pattern
    moment: Pattern


def is_unreal(text: str) -> bool:
    """Tell whether somebody says no more than what they would do if things were otherwise: "if I were rich ..."."""
    said, languages = _read(text)
    return any(one.unreal.search(said) and not one.real.search(said) for one in languages)


def only_asks(text: str) -> bool:
    """Tell whether a text asks for something to be made or done once, and tells nothing besides."""
    said, languages = _read(text)
    asked = ((one, one.asked.search(said)) for one in languages)
    return any(found and _rest_tells_nothing(one, said, found) for one, found in asked)


def is_of_the_moment(text: str) -> bool:
    """Tell whether a text says how somebody is just now or what they are just doing, and nothing else."""
    said, languages = _read(text)
    return len(said) <= _LONGEST_MOMENT and any(one.moment.search(said) for one in languages)


def _rest_tells_nothing(language: _Language, said: str, asked: re.Match[str]) -> bool:
    """Tell whether nothing else is said around the words of a request; what it quotes is what it is about."""
    rest = _QUOTATION.sub(" ", f"{said[: asked.start()]} {said[asked.end() :]}")
    return not language.standing.search(said) and not language.told.search(rest)


@lru_cache(maxsize=16)  # a line is looked at for each of these in turn
def _read(text: str) -> tuple[str, tuple[_Language, ...]]:
    """Return a text in the form that the files are written for, and the languages that it may be in; none of much."""
    said = text.strip().lower().replace("’", "'").replace("ё", "е")
    return said, tuple(one for one in _load() if one.script.are_for(said)) if len(said) <= _LONGEST else ()


@cache
def _load() -> list[_Language]:
    return [
        _Language(ScriptRules(data), *(Pattern(data[name], data["parts"]) for name in _Language._fields[1:]))
        for data in read_languages("fleeting").values()
    ]
