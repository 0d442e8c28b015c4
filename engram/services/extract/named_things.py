"""What a pronoun means that stands for the one thing of the sentence before: "We have an insurance. It costs 40 €".

Only in languages in which a pronoun tells of what gender the thing is, and only where one thing was named anew and the
sentence says what things do and people hardly ever.
"""

import functools
import re
from typing import NamedTuple

from engram.language.matching.language_files import Table
from engram.language.matching.language_files import read_languages
from engram.language.matching.patterns import NOTHING
from engram.language.names.word_lists import languages_of
from engram.services.extract.lines.line import Line


class _Pronoun(NamedTuple):
    """A pronoun for things of one gender."""

    language: str
    begins: re.Pattern[str]  # a statement with it and what things do; group `rest` behind the pronoun
    thing: re.Pattern[str]  # a thing of that gender that is named anew; group `noun`
    any_thing: re.Pattern[str]  # a thing of any gender, named anew
    article: str
    elided: re.Pattern[str]  # an article before a word that takes its vowel


def with_thing_named(text: str, line: Line) -> str:
    """Return a line's text with the thing in the place of the pronoun that it begins with; "" where that is unsure.

    The thing stands in the statement before it, in the same entry or turn.
    """
    before = "" if line.is_first else line.before
    languages = languages_of(before)
    for one in _pronouns():
        found = one.begins.match(text) if one.language in languages else None
        nouns = [thing["noun"] for thing in one.thing.finditer(before)] if found else []
        if found and len(nouns) == 1 and len(one.any_thing.findall(before)) == 1:
            named = one.elided.sub(lambda article: f"{article[0][0]}'", f"{one.article} {nouns[0]}")
            return f"{named[0].upper()}{named[1:]}{found['rest']}"
    return ""


@functools.cache
def _pronouns() -> tuple[_Pronoun, ...]:
    return tuple(
        one
        for code, data in read_languages("lines").items()
        if "thing_forms" in data
        for one in _of_language(code, data)
    )


def _of_language(code: str, data: Table) -> list[_Pronoun]:
    articles = dict(one.split("=") for one in data["thing_articles"].split())
    every = "|".join(listed.replace(",", "|") for listed in articles.values())
    elided = re.compile(data.get("thing_elided", NOTHING), re.IGNORECASE)
    return [
        _Pronoun(
            code,
            re.compile(rf"\W{{0,4}}{pronoun}(?P<rest>\s{data['thing_does']}(?!\w).*)", re.IGNORECASE | re.DOTALL),
            _thing(articles[pronoun].replace(",", "|"), data["thing_noun"]),
            _thing(every, data["thing_noun"]),
            article,
            elided,
        )
        for pronoun, article in (one.split("=") for one in data["thing_forms"].split())
    ]


def _thing(articles: str, noun: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?i:{articles})\s{noun}(?!\w)")
