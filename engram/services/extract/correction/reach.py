"""How far a correction reaches: whether a statement with what it calls wrong is meant, and what else that says. Pure.

Whoever says "not X" and of what need not say all of it again: a word in common tells which statement is meant, as long
as neither says of whom or of which one that the other does not.
"""

import re

from engram.language.compare.corrections.corrections import Correction
from engram.language.compare.corrections.values import find_changeable
from engram.language.compare.corrections.values import is_compatible
from engram.language.compare.corrections.values import is_same
from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.compare.reading.stems import fold
from engram.language.compare.updates.update_statement import content_terms
from engram.language.matching.kept_expressions import kept
from engram.language.names.nouns import has_capital_nouns
from engram.language.names.spans import names_inside
from engram.services.extract.correction.replacement import Replacement
from engram.services.extract.subject.subject_features import speaks_of_self

_HALF = 0.5  # share of the words of a correction of a plain word that the statement must hold
_FEWEST_OF_RIGHT = 2  # words in common with a correction that calls nothing wrong
_FEWEST_MORE = 2  # words of another part of a statement that make it say more
_SENTENCES = kept(r"[.;!?](?= |$)|[。；！？]")
_PARTS = kept(r"[.;,!?](?= |$)|[。；，！？]")
_WORD = kept(r"[^\W\d_]{2,40}")


def is_near_enough(correction: Correction, topic: frozenset[str], shared: frozenset[str], text: str) -> bool:
    """Tell whether a statement that holds what is called wrong, and some words of the topic, is surely meant.

    A number, a day, a name says more than a plain word: one word in common is enough, unless it is a name of somebody
    of whom both say something else.
    """
    if not shared or not _is_telling(correction):
        return bool(shared) and 2 * len(shared) >= len(topic) and _leading(correction.statement, topic) in shared
    if shared == topic:
        return True
    own = frozenset(content_terms(fold(text))) - topic
    names = frozenset(content_terms(" ".join(names_inside(correction.statement))))
    if shared <= names and own and not has_capital_nouns(correction.statement):
        return False
    return _leading(correction.statement, topic) in shared or _leading(text, topic | own) in shared


def is_of_another_one(correction: Correction, change: Replacement, text: str) -> bool:
    """Tell whether a correction says by a value of which one that the statement does not mean: tank 4, not 3."""
    held = [one for one in find_changeable(text) if not _stands_in(text[one.start : one.end], change.words)]
    for one in find_changeable(correction.before):
        alike = [] if _stands_in(one.value, change.words) else [old for old in held if is_compatible(one, old)]
        if alike and not any(is_same(one, old) for old in alike):
            return True
    return False


def names_another(correction: Correction, topic: frozenset[str], text: str, about: str) -> bool:
    """Tell whether the topic of a correction names what a statement about an entity does not name."""
    if has_capital_nouns(correction.statement):
        return False
    days = load_lexicon().days | load_lexicon().months
    known = fold(f"{text} {about.replace('-', ' ')} {correction.wrong} {correction.right}")
    names = (fold(name) for name in names_inside(correction.statement))
    return any(name not in known and name not in days and topic.issuperset(content_terms(name)) for name in names)


def may_mean_elsewhere(correction: Correction, shared: frozenset[str], text: str) -> bool:
    """Tell whether a statement filed under something else may be meant: of plain words, only of whom it was said.

    A correction that only says what is right has to say of what in two words.
    """
    if not shared or (not correction.right and not (correction.sure and len(shared) >= _FEWEST_OF_RIGHT)):
        return False
    return _is_telling(correction) or not speaks_of_self(correction.statement) or speaks_of_self(text)


def says_more(correction: Correction, change: Replacement | None, text: str, *, argues: bool = False) -> bool:
    """Tell whether a statement says clearly more than what a correction puts right: other values, other clauses.

    Of a correction that `argues`, what the statement gives as a reason may be outdated: only other sentences count.
    """
    said = frozenset(content_terms(fold(correction.text)))
    words = f"{change.words if change else ''} {correction.text}"
    by_words = _SENTENCES if argues else _PARTS
    parts = [part for part in _PARTS.split(text) if not _holds_any(part, change, correction)]
    if len(parts) == len(_PARTS.split(text)):
        return False
    values = (part[one.start : one.end] for part in parts for one in find_changeable(part))
    if any(not _stands_in(value, words) for value in values):
        return True
    others = (part for part in by_words.split(text) if not _holds_any(part, change, correction))
    return any(len(frozenset(content_terms(fold(part))) - said) >= _FEWEST_MORE for part in others)


def _holds_any(part: str, change: Replacement | None, correction: Correction) -> bool:
    """Tell whether a part of a statement is the one that is put right."""
    if correction.wrong and fold(correction.wrong) in fold(part):
        return True
    values = [part[one.start : one.end] for one in find_changeable(part)]
    return change is not None and any(_stands_in(value, change.words) for value in values)


def _is_telling(correction: Correction) -> bool:
    """Tell whether what is called wrong is a value or a name, and no plain word."""
    wrong = correction.wrong
    return bool(find_changeable(wrong)) or (wrong[:1].isupper() and not has_capital_nouns(correction.statement))


def _leading(text: str, among: frozenset[str]) -> str:
    """Return the first of some terms in the words of a text."""
    terms = (term for word in _WORD.findall(fold(text)) for term in content_terms(word))
    return next((term for term in terms if term in among), "")


def _stands_in(value: str, words: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(fold(value))}(?!\w)", fold(words)) is not None
