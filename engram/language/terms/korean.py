"""The stem of a Korean word: particles and verb endings taken off, so that forms of one word are one."""

import re
import unicodedata
from functools import cache
from typing import NamedTuple

from engram.language.matching.language_files import find_language

_MOST_ENDINGS = 4  # endings and particles that one word carries at most
# Consonants as an ending is written that begins with one, and as they stand at the end of a decomposed syllable.
_FINALS = {"ㄴ": "\u11ab", "ㄹ": "\u11af", "ㅁ": "\u11b7", "ㅂ": "\u11b8", "ㅆ": "\u11bb"}
_CONTRACTED = {"해": "하", "돼": "되"}  # syllables of verbs that have swallowed an ending
_ENDINGS = frozenset("어아여")  # the ending itself, which comes off next
# The same for the vowels of a last open syllable: 마셔 is 마시, 와 is 오, 줘 is 주, 써 is 쓰.
_VOWELS = {"\u1167": "\u1175", "\u116a": "\u1169", "\u116f": "\u116e", "\u1165": "\u1173"}
_SYLLABLE = re.compile("[\u1100-\u1112]")  # each syllable has one of the initial consonants


class _Rules(NamedTuple):
    endings: re.Pattern[str]  # over decomposed text; leave one syllable at least
    particles: re.Pattern[str]  # the same; short ones that many nouns end in leave two syllables
    roots: re.Pattern[str]  # words that are their root whatever follows: 있다, 없다


@cache
def _rules() -> _Rules:
    data = find_language("comparing", "ko") or {}
    return _Rules(
        re.compile(f"(?:{'|'.join(_decomposed(data['endings']))})$"),
        re.compile(f"(?:{'|'.join(_decomposed(data['particles']))})$"),
        re.compile(data["roots"]["pattern"]),
    )


def _decomposed(words: str) -> list[str]:
    finals = "".join(_FINALS)
    forms = (_FINALS.get(word[0], "") + unicodedata.normalize("NFD", word.lstrip(finals)) for word in words.split())
    return sorted(forms, key=len, reverse=True)


def stem_korean(word: str) -> str:
    """Return a Korean word without its particles and endings, as syllables. Not a lemma: only good to compare by."""
    rules = _rules()
    root = rules.roots.match(word)
    if root:
        return root[1]
    bare = unicodedata.normalize("NFD", word)
    for _ in range(_MOST_ENDINGS):
        shorter = _shortened(bare, rules)
        if shorter == bare:
            break
        bare = shorter
    stem = unicodedata.normalize("NFC", bare.removesuffix(_FINALS["ㄹ"]))  # it comes and goes: 살다, 산다
    return stem.removesuffix("하") if len(stem) > 2 else stem  # 사용하다 and 사용


def _shortened(bare: str, rules: _Rules) -> str:
    for pattern, least in ((rules.endings, 1), (rules.particles, 2)):
        match = pattern.search(bare)
        if match and len(_SYLLABLE.findall(bare[: match.start()])) >= least:
            return _opened(bare[: match.start()])
    return _opened(bare)


def _opened(bare: str) -> str:
    """Return a verb stem as it is before it melts with the vowel of an ending."""
    whole = unicodedata.normalize("NFC", bare)
    if whole[-1:] in _ENDINGS:
        return bare
    if whole[-1:] in _CONTRACTED:
        return unicodedata.normalize("NFD", whole[:-1] + _CONTRACTED[whole[-1]])
    return bare[:-1] + _VOWELS.get(bare[-1:], bare[-1:])
