"""Which language a text is in, by its script and its function words."""

import re
from functools import cache

from engram.language.matching.prefilter import compiled

_SCRIPTS = {
    "ru": "\u0400-\u052f",
    "zh": "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff",
    "ko": "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff",
    "ja": "\u3041-\u3096\u30a1-\u30fa\u31f0-\u31ff\uff66-\uff9d",
    "ar": "\u0600-\u06ff",
    "he": "\u0590-\u05ff",
    "el": "\u0370-\u03ff",
    "hi": "\u0900-\u097f",
    "th": "\u0e00-\u0e7f",
}
_WEIGHTS = {"zh": 3, "ja": 2, "ko": 2}  # letters of an alphabet that one sign stands for
_SIGNS_IN_WORD = {"zh": 1.7, "ja": 2.5}  # where no spaces stand between words
_LATIN = "a-zA-Z\u00c0-\u024f\uff21-\uff3a\uff41-\uff5a"
_LATIN_LETTER = f"[{_LATIN}]"
_LATIN_WORD = f"[{_LATIN}][{_LATIN}0-9'’./:@_-]*"
_FOREIGN = "[^\\W\\d_\x00-\u024f]"  # a letter of another script than Latin
_KIN = {("uk", "ru"), ("ja", "zh")}  # a short part of the first may look like the second
_UKRAINIAN = frozenset("іїєґІЇЄҐ")
_EDGE = ".,;:!?()[]\"'"
_SAMPLE = 1000  # characters that are looked at: a language shows itself early
_ENOUGH_VOTES = 2  # function words of another Latin language, before a text is not English
_CERTAIN_VOTES = 20  # English function words, after which no other is looked at
_FOREIGN_SHARE = 0.3  # of the letters or words: other scripts are full of Latin names, not the other way round
_KANA_SHARE = 0.1  # of Chinese signs and kana together: Japanese has more, a Chinese name may hold one

_FUNCTION_WORDS = {
    "en": "the a an and or of to in is are was i i'm you he she it we they my your this that with for not do have be "
    "on at me call please name as i've i'd i'll it's don't we're but by from had will would can there about since",
    "es": "el la los las un una y de del que en es son por para con no me mi tu su se yo muy pero como más",
    "fr": "le la les un une et ou de du des que en est sont pour avec ne pas je tu il elle nous vous mon ma très dans",
    "de": "der die das ein eine und oder von zu den dem ist sind für mit nicht ich du er sie wir mein auf im sehr",
    "it": "il lo la gli un una e di del che in è sono per con non mi mio tu lui molto ma come anche della",
    "pt": "o a os as um uma e de do da que em é são por para com não eu meu você muito mas como está",
}
_CODES: dict[str, list[str]] = {}  # word: the languages that have it
for _code, _words in _FUNCTION_WORDS.items():
    for _word in _words.split():
        _CODES.setdefault(_word, []).append(_code)


def language_of(text: str) -> str:
    """Return the code of the text's language (en, ru, zh, ko, ja, ...), or "und" without letters of a known script."""
    sample = text[:_SAMPLE]
    if sample.isascii():
        return _latin_language(sample) if compiled("[a-zA-Z]").search(sample) else "und"
    letters = "".join(set(sample))
    known = [code for code in _SCRIPTS if _one_sign(code).search(letters)]
    if not known:
        return _latin_language(sample) if compiled(_LATIN_LETTER).search(letters) else "und"
    code = known[0]
    has_latin = compiled(_LATIN_LETTER).search(letters) is not None
    if has_latin or len(known) > 1:
        runs = {code: _run_of_signs(code).findall(sample) for code in known}
        signs = {code: sum(map(len, found)) for code, found in runs.items()}
        code = max(known, key=lambda code: _WEIGHTS.get(code, 1) * signs[code])
        if has_latin and not _leads(sample, runs[code], code):
            return _latin_language(sample)
        if code == "zh" and signs.get("ja", 0) >= _KANA_SHARE * (signs["zh"] + signs.get("ja", 0)):
            return "ja"
        if code == "ja" and signs["ja"] < _KANA_SHARE * (signs.get("zh", 0) + signs["ja"]):
            return "zh"
    return "uk" if code == "ru" and not _UKRAINIAN.isdisjoint(letters) else code


def language_within(part: str, around: str) -> str:
    """Return the language of a part of a text: that of the text `around` it unless its script speaks against it."""
    if part.isascii():
        return around if around in _FUNCTION_WORDS else "en"
    if around in _SCRIPTS and _one_sign(around).search(part):
        return "ja" if around == "zh" and _one_sign("ja").search(part) else around
    if compiled(_FOREIGN).search(part) is None:
        return around if around in _FUNCTION_WORDS else "en"
    found = language_of(part)
    return around if (around, found) in _KIN else found


@cache
def _one_sign(code: str) -> re.Pattern[str]:
    return compiled(f"[{_SCRIPTS[code]}]")


@cache
def _run_of_signs(code: str) -> re.Pattern[str]:
    return compiled(f"[{_SCRIPTS[code]}]+")


def _leads(sample: str, runs: list[str], code: str) -> bool:
    """Tell whether the words of another script carry the text, however many Latin names stand among them."""
    latin = compiled(_LATIN_WORD).findall(sample)
    signs = sum(map(len, runs))
    letters = len(compiled(_LATIN_LETTER).findall(sample))
    if _WEIGHTS.get(code, 1) * signs >= _FOREIGN_SHARE * (letters + _WEIGHTS.get(code, 1) * signs):
        return True
    words = signs / _SIGNS_IN_WORD[code] if code in _SIGNS_IN_WORD else len(runs)
    english = sum("en" in _CODES.get(word.lower().strip(_EDGE), ()) for word in latin)
    return english < _ENOUGH_VOTES and words >= _FOREIGN_SHARE * (words + len(latin))


def _latin_language(sample: str) -> str:
    scores = dict.fromkeys(_FUNCTION_WORDS, 0)
    for word in sample.lower().replace("\u2019", "'").split():
        for code in _CODES.get(word.strip(_EDGE), ()):
            scores[code] += 1
        if scores["en"] == _CERTAIN_VOTES:
            return "en"
    best = max(scores, key=lambda code: scores[code])
    return best if scores[best] >= _ENOUGH_VOTES and scores[best] > scores["en"] else "en"
