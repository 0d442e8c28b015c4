"""What the headings of a note promise of the entries below them: decisions, lessons, or nothing that holds yet."""

import functools
import re
from collections.abc import Sequence
from typing import NamedTuple

from engram.language.matching.language_files import read_languages
from engram.language.matching.patterns import phrases
from engram.language.text.markdown_tables import are_columns

_NEVER = "never"  # the category of headings that take a promise back
_WORD = re.compile(r"[^\W\d_]+")


class _Section(NamedTuple):
    """How headings promise a category."""

    alone: frozenset[str]  # whole headings
    words: frozenset[str]  # phrases in a heading


def section_category(headings: tuple[str, ...]) -> str:
    """Return the category that the headings promise (decision, lesson, commitment, ...), or "" for none.

    Only the innermost heading speaks: what stands under "Decisions" > "Files" is no decision. The head of a table
    speaks together with the heading above it, and either can take the promise back.
    """
    in_table = bool(headings) and are_columns(headings[-1])
    promised = [_category_of(heading) for heading in reversed(headings[-2:] if in_table else headings[-1:])]
    return "" if _NEVER in promised else next(filter(None, promised), "")


def takes_promise_back(heading: str) -> bool:
    """Tell whether what stands under a heading is still to be done or decided: To do, Open questions, Next."""
    return _category_of(heading) == _NEVER


@functools.lru_cache(maxsize=1024)
def _category_of(heading: str) -> str:
    words = _WORD.findall(heading.casefold())
    whole, runs = " ".join(words), _runs(words)
    for category, section in _sections().items():
        if whole in section.alone or not section.words.isdisjoint(runs):
            return category
    return ""


def _runs(words: Sequence[str]) -> set[str]:
    """Return the phrases that a text holds, up to the longest that is looked for."""
    most = min(len(words), _longest())
    return {" ".join(words[at : at + size]) for size in range(1, most + 1) for at in range(len(words) - size + 1)}


@functools.cache
def _longest() -> int:
    return max(len(phrase.split()) for section in _sections().values() for phrase in section.words)


@functools.cache
def _sections() -> dict[str, _Section]:
    """Return the phrases of all languages by category, in the order in which one counts before another."""
    files = read_languages("note_sections")
    listed = {name: [data.get(name, {}) for data in files.values()] for name in (_NEVER, *files["en"])}
    return {
        name: _Section(
            frozenset(phrase for one in tables for phrase in phrases(one.get("alone", ""))),
            frozenset(phrase for one in tables for phrase in phrases(one.get("words", ""))),
        )
        for name, tables in listed.items()
    }
