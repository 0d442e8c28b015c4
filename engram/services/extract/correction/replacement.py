"""What in a known statement gives way to a correction, and what is said in its place: a value, or words. Pure."""

import re
from typing import NamedTuple

from engram.language.compare.corrections.corrections import Correction
from engram.language.compare.corrections.names import ChangeableName
from engram.language.compare.corrections.names import find_names_like
from engram.language.compare.corrections.restatement import Restated
from engram.language.compare.corrections.restatement import put_words
from engram.language.compare.corrections.restatement import restate
from engram.language.compare.corrections.values import ChangeableValue
from engram.language.compare.corrections.values import find_changeable
from engram.language.compare.corrections.values import is_compatible
from engram.language.compare.corrections.values import is_same
from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.compare.reading.stems import fold
from engram.language.matching.patterns import joined
from engram.language.matching.prefilter import compiled

_BEFORE_A_VALUE = 2  # words of which one may deny it
_WORDS = re.compile(r"[^\W\d_]+")
_HANGUL = re.compile("[\uac00-\ud7a3]")


class Replacement(NamedTuple):
    """What in a known statement gives way, and what holds instead."""

    restated: Restated  # the known statement with what is right in its place
    words: str  # what gives way and what comes, which do not say what the correction is about


def find_replacement(correction: Correction, text: str) -> Replacement | None:
    """Return the one change that a correction can mean in a statement; None when there is none, or more than one."""
    if not correction.wrong:
        changed = _changed_value(correction.statement, text)
        return changed or (_changed_name(correction.right, text) if correction.right else None)
    wrong = find_changeable(correction.wrong)
    change = _contrasted_value(correction, wrong[0], text) if wrong else None
    return change or _contrasted_words(correction, text)


def _changed_value(statement: str, text: str) -> Replacement | None:
    values = find_changeable(statement[: end_of_main(statement)])
    held = find_changeable(text)
    told = [new for new in values if not any(is_same(new, old) for old in held) and not _is_denied(statement, new)]
    open_places = [old for old in held if not any(is_same(new, old) for new in values)]
    if len(told) != 1:
        return None
    places = [old for old in open_places if is_compatible(told[0], old)]
    if len(places) > 1 and told[0].unit:  # one that is counted in the same is meant before one that counts nothing
        places = [old for old in places if old.unit == told[0].unit]
    if len(places) != 1:
        return None
    return _put_value(statement, told[0], text, places[0])


def _is_denied(statement: str, value: ChangeableValue) -> bool:
    """Tell whether a statement says of a value that it does not hold: "the limit is not 100 any more"."""
    before = _WORDS.findall(fold(statement[: value.start]))[-_BEFORE_A_VALUE:]
    return not load_lexicon().negation.isdisjoint(before)


def _contrasted_value(correction: Correction, wrong: ChangeableValue, text: str) -> Replacement | None:
    said = find_changeable(correction.right)
    source = correction.right
    held = find_changeable(text)
    if not any(is_compatible(new, wrong) and not any(is_same(new, old) for old in held) for new in said):
        source = correction.statement
        said = tuple(reversed(find_changeable(source)))
    told = [one for one in said if is_compatible(one, wrong) and not is_same(one, wrong)]
    new = next((one for one in told if not any(is_same(one, old) for old in held)), told[0] if told else None)
    places = [old for old in held if is_same(wrong, old) and new and is_compatible(new, old)]
    if new is None or len(places) != 1:
        return None
    change = _put_value(source, new, text, places[0])
    return change._replace(words=f"{change.words} {correction.wrong[wrong.start : wrong.end]}")


def _put_value(said: str, new: ChangeableValue, text: str, old: ChangeableValue) -> Replacement:
    words = f"{said[new.start : new.end]} {text[old.start : old.end]}"
    return Replacement(restate(text, old, said, new), words)


def _changed_name(name: str, text: str) -> Replacement | None:
    """Put a name in the place of the one name of a statement: "we've gone over to Brandt for compost"."""
    if fold(name) in fold(text):
        return None
    places = find_names_like(ChangeableName(name, 0, len(name), is_short=False), text)
    if len(places) != 1 or not places[0].start:
        return None
    return Replacement(put_words(text, (places[0].start, places[0].end), name), f"{name} {places[0].name}")


def _contrasted_words(correction: Correction, text: str) -> Replacement | None:
    """Find the words that are called wrong, as they stand, once in a statement."""
    said_wrong, said_right = _without_common_words(correction.wrong, correction.right)
    wrong = re.escape(said_wrong)
    edge = r"(?<![^\W_])", r"(?![^\W_])"
    spaced = not re.search("[\u3040-\u9fff\uac00-\ud7a3]", said_wrong)
    whole = f"{edge[0]}{wrong}{edge[1]}" if spaced else rf"(?<!\d){wrong}"
    found = list(re.finditer(whole, text, re.IGNORECASE))
    if len(found) != 1:
        return None
    span = found[0].span()
    if (change := _value_around(correction, text, span)) is not None:
        return change
    right = _without_repetition(said_right, text[: span[0]])
    words = f"{correction.wrong} {right}"
    restated = put_words(text, span, right)
    return Replacement(restated._replace(agrees=not _HANGUL.search(right) and restated.agrees), words)


def _without_common_words(wrong: str, right: str) -> tuple[str, str]:
    """Return what is wrong and what is right without the first words that both have: "at Lund, not at Delft"."""
    one, other = wrong.split(), right.split()
    while len(one) > 1 and len(other) > 1 and fold(one[0]) == fold(other[0]):
        one, other = one[1:], other[1:]
    return " ".join(one), " ".join(other)


def _value_around(correction: Correction, text: str, span: tuple[int, int]) -> Replacement | None:
    """Return the change of the value that the wrong words end in: "28 February, not January" of 31 January."""
    held = next((one for one in find_changeable(text) if one.start < span[1] <= one.end), None)
    told = [new for new in find_changeable(correction.right) if held is not None and is_compatible(new, held)]
    if held is None or len(told) != 1:
        return None
    change = _put_value(correction.right, told[0], text, held)
    return change._replace(words=f"{change.words} {correction.wrong}")


def _without_repetition(right: str, before: str) -> str:
    """Return what is right without the words that stand before the place anyway: "use A" in "use B"."""
    words, stands = right.split(), fold(before).split()
    for count in range(len(words) - 1, 0, -1):
        if stands[-count:] == [fold(word) for word in words[:count]]:
            return " ".join(words[count:])
    return right


def end_of_main(statement: str) -> int:
    """Return where the clause ends that holds a value or a contrast, and what is said besides begins."""
    values = find_changeable(statement)
    ends = (match.start() for match in besides().finditer(statement))
    first = values[0].end if values else 0
    return next((end for end in ends if end >= first), len(statement))


def besides() -> re.Pattern[str]:
    """Return what finds where something begins that is said besides."""
    return compiled(rf"(?:, |; | [—–] |[，；。]|\. | (?={joined('lines', 'besides')}))")
