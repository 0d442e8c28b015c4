"""Which language a text is in, by its script and its function words."""

import re
from collections.abc import Mapping
from collections.abc import Sequence
from functools import cache
from functools import lru_cache
from typing import NamedTuple

from engram.language.matching.language_files import Table
from engram.language.matching.language_files import list_languages
from engram.language.matching.language_files import read_languages
from engram.language.matching.prefilter import compiled

ENGLISH = "en"

_FUNCTION_WORDS = "function_words"  # the kind of the files for languages in Latin letters

_LATIN = "a-zA-Z\u00c0-\u024f\uff21-\uff3a\uff41-\uff5a"
_LATIN_LETTER = f"[{_LATIN}]"
_LATIN_WORD = f"[{_LATIN}][{_LATIN}0-9'’./:@_-]*"
_FOREIGN = "[^\\W\\d_\x00-\u024f]"  # a letter of another script than Latin
_KIN = {("uk", "ru"), ("ja", "zh")}  # a short part of the first may look like the second
_JOINTS = "(?<=')|(?=-)"  # a part keeps its apostrophe or hyphen: l', -moi
_EDGE = ".,;:!?()[]\"'¿¡"
_SAMPLE = 1000  # characters that are looked at: a language shows itself early
_ENOUGH_VOTES = 2  # function words of another Latin language, before a text is not English
_CERTAIN_VOTES = 20  # English function words, after which no other is looked at
_FOREIGN_SHARE = 0.3  # of the letters or words: other scripts are full of Latin names, not the other way round
_REMEMBERED = 4096  # texts that were asked for a moment ago
_MOST_WORDS = 20_000  # words of which it is remembered whose they are
_LONGEST_WORD = 24  # characters; what is longer hardly comes again
_KANA_SHARE = 0.1  # of Chinese signs and kana together: Japanese has more, a Chinese name may hold one


class _Script(NamedTuple):
    """The signs by which a language is known that has a script of its own."""

    one: re.Pattern[str]  # finds a sign
    run: str  # an expression that finds signs in a row
    weight: float  # letters of an alphabet that one sign stands for
    signs_in_word: float  # where no spaces stand between words; 0 elsewhere
    instead: dict[str, frozenset[str]]  # code of another language -> letters that only it has


def language_of(text: str) -> str:
    """Return the code of the text's language (en, ru, zh, ko, ja, ...), or "und" without letters of a known script."""
    return _language_of(text[:_SAMPLE])


@lru_cache(maxsize=_REMEMBERED)  # a text is asked for at each step
def _language_of(sample: str) -> str:
    if sample.isascii():
        return _latin_language(sample) if compiled("[a-zA-Z]").search(sample) else "und"
    letters = "".join(set(sample))
    known = [code for code, script in _scripts().items() if script.one.search(letters)]
    if not known:
        return _latin_language(sample) if compiled(_LATIN_LETTER).search(letters) else "und"
    code = known[0]
    has_latin = compiled(_LATIN_LETTER).search(letters) is not None
    if has_latin or len(known) > 1:
        runs = {code: compiled(_scripts()[code].run).findall(sample) for code in known}
        signs = {code: sum(map(len, found)) for code, found in runs.items()}
        code = max(known, key=lambda code: _scripts()[code].weight * signs[code])
        if has_latin and not _leads(sample, runs[code], code):
            return _latin_language(sample)
        if code == "zh" and signs.get("ja", 0) >= _KANA_SHARE * (signs["zh"] + signs.get("ja", 0)):
            return "ja"
        if code == "ja" and signs["ja"] < _KANA_SHARE * (signs.get("zh", 0) + signs["ja"]):
            return "zh"
    others = _scripts()[code].instead.items()
    return next((other for other, own in others if not own.isdisjoint(letters)), code)


def language_within(part: str, around: str) -> str:
    """Return the language of a part of a text: that of the text `around` it unless its script speaks against it."""
    if part.isascii():
        return around if around in _latin_languages() else ENGLISH
    if around in _scripts() and _scripts()[around].one.search(part):
        return "ja" if around == "zh" and _scripts()["ja"].one.search(part) else around
    if compiled(_FOREIGN).search(part) is None:
        return around if around in _latin_languages() else ENGLISH
    found = language_of(part)
    return around if (around, found) in _KIN else found


@lru_cache(maxsize=_REMEMBERED)
def latin_languages_of(text: str) -> frozenset[str]:
    """Return the languages in Latin letters that a text may be in: those for which most of its function words speak.

    All of them where none speaks for any; English besides where fewer speak than make a text not English.
    """
    scores = _votes(text[:_SAMPLE])
    most = max(scores.values())
    found = {code for code, score in scores.items() if score == most}
    return frozenset(found | {ENGLISH} if most < _ENOUGH_VOTES else found)


@cache
def _scripts() -> dict[str, _Script]:
    """Read the scripts once, when the first text has a letter that is not ASCII."""
    return {code: _script(data) for code, data in read_languages("scripts").items()}


def _script(data: Table) -> _Script:
    signs = f"[{data['letters']}]"
    instead = {code: frozenset(letters) for code, letters in data.get("instead", {}).items()}
    weight, signs_in_word = data.get("weight", 1.0), data.get("signs_in_word", 0.0)
    return _Script(compiled(signs), f"{signs}+", weight, signs_in_word, instead)


@cache
def _latin_languages() -> tuple[str, ...]:
    """Return the languages in Latin letters, English first."""
    return (ENGLISH, *(code for code in list_languages(_FUNCTION_WORDS) if code != ENGLISH))


@cache
def _codes() -> dict[str, list[str]]:
    """Return the languages of which each function word is one."""
    codes: dict[str, list[str]] = {}
    for code, data in read_languages(_FUNCTION_WORDS).items():
        for word in f"{data['words']} {data.get('sure', '')}".split():  # a sure one counts for two
            codes.setdefault(word, []).append(code)
    return codes


@cache
def _own_letters() -> dict[str, frozenset[str]]:
    """Return the letters of the languages in Latin letters that few others have."""
    files = read_languages(_FUNCTION_WORDS).items()
    return {code: frozenset(data["letters"]) for code, data in files if "letters" in data}


def _leads(sample: str, runs: list[str], code: str) -> bool:
    """Tell whether the words of another script carry the text, however many Latin names stand among them."""
    latin = compiled(_LATIN_WORD).findall(sample)
    signs = sum(map(len, runs))
    letters = len(compiled(_LATIN_LETTER).findall(sample))
    script = _scripts()[code]
    if script.weight * signs >= _FOREIGN_SHARE * (letters + script.weight * signs):
        return True
    words = signs / script.signs_in_word if script.signs_in_word else len(runs)
    english = sum(ENGLISH in _codes().get(word.lower().strip(_EDGE), ()) for word in latin)
    return english < _ENOUGH_VOTES and words >= _FOREIGN_SHARE * (words + len(latin))


def _latin_language(sample: str) -> str:
    scores = _votes(sample)
    best = max(scores, key=lambda code: scores[code])
    return best if scores[best] >= _ENOUGH_VOTES and scores[best] > scores[ENGLISH] else ENGLISH


@lru_cache(maxsize=_REMEMBERED)
def _votes(sample: str) -> Mapping[str, int]:
    """Return how much speaks for each language in Latin letters; counting ends where English is certain."""
    scores, codes = dict.fromkeys(_latin_languages(), 0), _codes_of_words()
    if not sample.isascii():
        for code, letters in _own_letters().items():
            if letters.isdisjoint(sample):
                continue
            # A word with a capital may be a name: it stands in texts of any language.
            scores[code] = sum(not word[0].isupper() and not letters.isdisjoint(word) for word in sample.split())
    for word in sample.lower().replace("\u2019", "'").split():
        for code in codes[word]:
            scores[code] += 1
        if scores[ENGLISH] == _CERTAIN_VOTES:
            return {ENGLISH: _CERTAIN_VOTES}
    return scores


class _CodesOfWords(dict[str, Sequence[str]]):
    """The languages of each word as it stands in a text; remembered, as words come again and again."""

    def __missing__(self, word: str) -> Sequence[str]:
        bare = word.strip(_EDGE)
        codes = _codes_of(bare, _codes())
        if codes or (bare.isalpha() and len(bare) <= _LONGEST_WORD):  # what else stands in a text may be a secret
            if len(self) >= _MOST_WORDS:
                self.clear()
            self[word] = codes
        return codes


@cache
def _codes_of_words() -> _CodesOfWords:
    return _CodesOfWords()


def _codes_of(word: str, codes: dict[str, list[str]]) -> Sequence[str]:
    """Return the languages of a word; of one that is none, those of its parts: l'équipe, qu'Anna, appelle-moi."""
    if word in codes or ("'" not in word and "-" not in word):
        return codes.get(word, ())
    return [code for part in compiled(_JOINTS).split(word) for code in codes.get(part, ())]
