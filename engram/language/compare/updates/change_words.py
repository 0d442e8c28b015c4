"""Words that tell of a change and are no part of what is said: patterns/lead_ins and patterns/changes."""

import re
from functools import cache
from functools import lru_cache

from engram.language.compare.reading.stems import fold
from engram.language.matching.kept_expressions import kept
from engram.language.matching.language_files import Table
from engram.language.matching.language_files import read_languages
from engram.language.matching.near_index import NearIndex
from engram.language.matching.patterns import Pattern
from engram.language.matching.patterns import ScriptRules
from engram.language.matching.patterns import joined
from engram.language.matching.prefilter import compiled
from engram.language.terms.terms import stop_words


class _ChangeWords(ScriptRules):
    """The phrases of one language by which a statement says itself that something is otherwise now."""

    __slots__ = ("cues",)

    def __init__(self, data: Table) -> None:
        super().__init__(data)
        self.cues = tuple(map(Pattern, data["cue"]))


@lru_cache(maxsize=8192)  # a statement is compared with many
def without_change_words(text: str) -> str:
    """Return a statement without words that only say that it is new, or otherwise: "jetzt", "150, not 100"."""
    lead = _leads("changes", "corrections").match(text)
    rest = text[lead.end() :] if lead else ""
    rest = rest if rest.strip() else text
    plain = _denied().sub("", _adverbs().sub("", rest))
    return plain if plain.strip() else rest


@lru_cache(maxsize=8192)  # asked again for each statement that the text is compared with
def announces_change(text: str) -> bool:
    """Tell whether a statement says itself that something is otherwise now: "now", "raised to", "no longer"."""
    if _leads("changes").match(text):
        return True
    folded = fold(text)
    return any(cue.search(folded) for cue in _cues_near(folded))


def blank_cues(folded: str) -> str:
    """Return a folded text with spaces in the place of the phrases that tell of a change."""
    for cue in _cues_near(folded):
        folded = compiled(cue.source).sub(lambda match: " " * len(match[0]), folded)
    return folded


def _cues_near(folded: str) -> list[Pattern]:
    """Return the phrases that can stand in a folded text, in order."""
    cues, index = _indexed_cues()
    found = [cues[place] for place in index.places_in(folded)]
    return [cue for one, cue in found if one.are_for(folded)]


@cache
def _indexed_cues() -> tuple[list[tuple[_ChangeWords, Pattern]], NearIndex]:
    cues = [(one, cue) for one in _languages() for cue in one.cues]
    return cues, NearIndex([cue.near for _, cue in cues])


@cache
def _languages() -> tuple[_ChangeWords, ...]:
    return tuple(map(_ChangeWords, read_languages("changes").values()))


@cache
def _leads(*names: str) -> re.Pattern[str]:
    leads = "|".join(joined("lead_ins", name) for name in names)
    return kept(rf"\W{{0,6}}(?:{leads})\s{{0,3}}[:：,，—–.。!-]\s{{0,3}}", re.IGNORECASE)


@cache
def _adverbs() -> re.Pattern[str]:
    return kept(rf"\s{{0,2}}\b(?:{joined('changes', 'adverbs')})\b", re.IGNORECASE)


@cache
def _denied() -> re.Pattern[str]:
    """Return what finds, at the end of a statement, what it says does not hold."""
    words = joined("lines", "denied")
    value = r"(?:\s|(?<=[\u3400-\u9fff]))[^,.;:!?，。；：！？]{1,40}(?=[.!。！]?\s*$)"
    return kept(rf"\s?[,，]\s?(?:{words}){value}", re.IGNORECASE)


@cache
def other_stop_words() -> frozenset[str]:
    """Return the words without meaning of the languages that are not compared word by word: those with adverbs here."""
    codes = (code for code, data in read_languages("changes").items() if "adverbs" in data)
    return frozenset[str]().union(*map(stop_words, codes))
