"""Which language a text is in, by its script and its function words."""

from engram.language.expressions import compiled

_SCRIPTS = (
    ("ru", "[\u0400-\u04ff]"),
    ("zh", "[\u3400-\u4dbf\u4e00-\u9fff]"),
    ("ko", "[\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3]"),
    ("ja", "[\u3041-\u30ff\u31f0-\u31ff]"),
    ("ar", "[\u0600-\u06ff]"),
    ("he", "[\u0590-\u05ff]"),
    ("el", "[\u0370-\u03ff]"),
    ("hi", "[\u0900-\u097f]"),
    ("th", "[\u0e00-\u0e7f]"),
)
_WEIGHTS = {"zh": 3, "ja": 2, "ko": 2}  # letters of an alphabet that one sign stands for
_LATIN = "[a-zA-Z\u00c0-\u024f]"
_UKRAINIAN = frozenset("іїєґІЇЄҐ")
_EDGE = ".,;:!?()[]\"'"
_SAMPLE = 1000  # characters that are looked at: a language shows itself early
_ENOUGH_VOTES = 2  # function words of another Latin language, before a text is not English
_FOREIGN_SHARE = 0.3  # of the letters: texts in other scripts are full of Latin names, not the other way round

_FUNCTION_WORDS = {
    "en": "the a an and or of to in is are was i i'm you he she it we they my your this that with for not do have be "
    "on at me call please name",
    "es": "el la los las un una y de del que en es son por para con no me mi tu su se yo muy pero como más",
    "fr": "le la les un une et ou de du des que en est sont pour avec ne pas je tu il elle nous vous mon ma très dans",
    "de": "der die das ein eine und oder von zu den dem ist sind für mit nicht ich du er sie wir mein auf im sehr",
    "it": "il lo la gli un una e di del che in è sono per con non mi mio tu lui molto ma come anche della",
    "pt": "o a os as um uma e de do da que em é são por para com não eu meu você muito mas como está",
}
_VOTES = {code: frozenset(words.split()) for code, words in _FUNCTION_WORDS.items()}


def language_of(text: str) -> str:
    """Return the code of the text's language (en, ru, zh, ko, ja, ...), or "und" without letters of a known script."""
    sample = text[:_SAMPLE]
    if sample.isascii():
        return _latin_language(sample) if any(map(str.isalpha, sample)) else "und"
    counts = {code: _WEIGHTS.get(code, 1) * len(compiled(script).findall(sample)) for code, script in _SCRIPTS}
    letters = len(compiled(_LATIN).findall(sample)) + sum(counts.values())
    if not letters:
        return "und"
    code = max(counts, key=lambda code: counts[code])
    if counts[code] < _FOREIGN_SHARE * letters:
        return _latin_language(sample)
    if code == "zh" and counts["ja"]:
        return "ja"
    return "uk" if code == "ru" and not _UKRAINIAN.isdisjoint(sample) else code


def _latin_language(sample: str) -> str:
    words = [word.strip(_EDGE) for word in sample.lower().replace("\u2019", "'").split()]
    scores = {code: sum(word in known for word in words) for code, known in _VOTES.items()}
    best = max(scores, key=lambda code: scores[code])
    return best if scores[best] >= _ENOUGH_VOTES and scores[best] > scores["en"] else "en"
