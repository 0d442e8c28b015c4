"""By which words a statement is looked for that a correction may mean, whatever it is filed under. Pure."""

from typing import Final

from engram.language.compare.corrections.corrections import Correction
from engram.language.compare.corrections.values import find_changeable
from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.compare.reading.stems import fold
from engram.language.compare.updates.update_statement import content_terms
from engram.language.compare.updates.update_statement import telling_words
from engram.language.matching.kept_expressions import kept

_MOST: Final = 12  # phrases
_SHORTEST: Final = 3  # letters of a word
_ENDING: Final = 2  # letters at the end of a longer word that other forms of it may not have
_STEM: Final = 4  # letters that are left of it
_WORD = kept(r"[^\W\d_]{1,40}")
_RUN_TOGETHER = kept("[\u3040-\u9fff\uac00-\ud7a3]")


def mention_phrases(correction: Correction) -> tuple[str, ...]:
    """Return phrases in small letters, of which one stands in each statement that a correction can mean elsewhere.

    They are the beginnings of the words that say of what it is, and what is called wrong. None, when it neither tells
    two things apart nor can only be a correction.
    """
    if not (correction.right or correction.sure):
        return ()
    of_what = correction.statement
    if correction.right:
        of_what = f"{correction.before} {correction.wrong} {correction.behind}"
    for value in reversed(find_changeable(of_what)):
        of_what = f"{of_what[: value.start]} {of_what[value.end :]}"
    folded = fold(of_what)
    telling = telling_words(folded) | load_lexicon().stop | load_lexicon().dropped
    words = [phrase for word in _WORD.findall(folded) if word not in telling for phrase in _phrases(word)]
    wrong = fold(correction.wrong)
    return tuple(dict.fromkeys([*filter(None, [wrong]), *words]))[:_MOST]


def _phrases(word: str) -> list[str]:
    if _RUN_TOGETHER.search(word):
        return list(content_terms(word)) if word[0] < "\uac00" else [word[:2]]
    return [word if len(word) <= _STEM else word[: max(_STEM, len(word) - _ENDING)]] if len(word) >= _SHORTEST else []


def mentions(text: str, phrases: tuple[str, ...]) -> bool:
    """Tell whether one of the phrases stands in a text."""
    folded = fold(text)
    return any(phrase in folded for phrase in phrases)
