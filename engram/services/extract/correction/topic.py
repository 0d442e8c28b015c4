"""What a correction speaks of, as terms: its words without its values, and without what it says besides. Pure."""

import re

from engram.language.compare.corrections.corrections import Correction
from engram.language.compare.corrections.values import find_changeable
from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.compare.reading.stems import fold
from engram.language.compare.updates.update_statement import content_terms
from engram.language.compare.updates.update_statement import telling_words
from engram.language.matching.kept_expressions import kept
from engram.language.names.nouns import has_capital_nouns
from engram.services.extract.correction.replacement import Replacement
from engram.services.extract.correction.replacement import besides
from engram.services.extract.correction.replacement import end_of_main

_HAN = kept("[\u3400-\u9fff]")
_NOUN = re.compile(r"(?<=[^\W\d_,;] )[A-ZÄÖÜ][a-zäöüß]+(?!\w)")  # inside of a sentence
_SHORTEST_HEAD = 4  # letters of a noun that stands for a compound which ends in it
_SHORTEST_BEFORE_HEAD = 3  # letters of a compound before that


def topic_of(correction: Correction, change: Replacement) -> frozenset[str]:
    """Return the terms of what a correction speaks of: without the values, and without what it says besides."""
    if correction.wrong or correction.right:
        first, *_ = besides().split(correction.behind, maxsplit=1)
        main = f"{correction.before} {correction.wrong} {correction.right} {first}"
    else:
        main = _without(correction.statement[: end_of_main(correction.statement)], change.words)
    return terms_of(main) - terms_of(change.words) - telling_words(fold(main)) - load_lexicon().dropped


def heads_of_compounds(said: str, topic: frozenset[str], text: str) -> frozenset[str]:
    """Return the terms of a topic that say what a compound noun of a text is, short: der Termin, den Zahnarzttermin.

    Only in languages whose nouns have capitals, and of words that have one inside of the sentence.
    """
    if not topic or not has_capital_nouns(said) or not has_capital_nouns(text):
        return frozenset()
    nouns = frozenset(fold(word) for word in _NOUN.findall(said))
    compounds = [fold(word) for word in _NOUN.findall(text)]
    heads = {
        noun
        for noun in nouns
        if len(noun) >= _SHORTEST_HEAD
        and any(word.endswith(noun) and len(word) >= len(noun) + _SHORTEST_BEFORE_HEAD for word in compounds)
    }
    return topic & terms_of(" ".join(sorted(heads)))


def terms_of(text: str) -> frozenset[str]:
    """Return the terms of a text that say something."""
    return frozenset(content_terms(fold(text)))


def _without(text: str, words: str) -> str:
    """Return a text without those of its Chinese values that are among some words: they run into what is beside."""
    for value in reversed(find_changeable(text)):
        if text[value.start : value.end] in words and _HAN.search(text[value.start : value.end]):
            text = f"{text[: value.start]} {text[value.end :]}"
    return text
