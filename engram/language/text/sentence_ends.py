"""Where a sentence ends: at which full stops, question marks and other signs."""

import sys
from functools import cache

from engram.language.matching.language_files import read_languages
from engram.language.matching.patterns import joined
from engram.language.matching.prefilter import compiled

KIND = "sentences"
STOP = r"[.!?…。！？｡．；]+[\"'»”’)\]*_」』）]*"
MAY_END = r"</|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029。！？｡．；]|[.!?…][\"'»”’)\]*_」』）]*(?:\s|(?=[\u1100-\uffff]))"
_EASTERN_STOPS = frozenset("。！？｡．；")  # no space need stand behind them
_EASTERN = "[\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff]"  # letters of scripts that may go on without a space
_FIRST_EASTERN = "\u1100"
_LETTER = r"[^\W\d_\u1100-\uffff]"
_INITIAL = rf"(?:^|[\s(])(?:{_LETTER}\.)*{_LETTER}\.$"
_WORD_BEFORE = r"([\w.-]+)\.$"
_CLOSERS = frozenset("」』”’\"')）]")
_OPENING = " \t\r\n\"'«“„(["
_WHOLE_WORD = 4  # letters of a word that is not shortened, before a sentence that begins small
_ENCLOSING_SIGNS = "()[]\"'«»“”„’*_"
_WORD_CHARS = 40  # what is read of the word before a dot
_ASIDE = r"[(（][^()（）\n]{1,300}[)）]"  # the bound keeps a bracket that nobody closed from hiding a page
_NO_ASIDE = (sys.maxsize, sys.maxsize)
_ORDINAL = 2  # digits of a number that counts days, floors or quarters
_SPLITTING_INITIALS = frozenset("IЯ")  # "So do I. Then" ends a sentence although it ends in one letter


class Asides:
    """What stands in brackets within the sentences of one text; asked of one place after another, from the left."""

    def __init__(self, text: str) -> None:
        """Take the text."""
        self._text = text
        self._spans = (aside.span() for aside in compiled(_ASIDE).finditer(text))
        self._start, self._end = next(self._spans, _NO_ASIDE)

    def hold(self, begin: int, place: int, after: int, end: int) -> bool:
        """Tell whether the marks at [place, after) end nothing of the sentence from `begin`, which brackets interrupt.

        Brackets around whole sentences hold none together.
        """
        while self._end <= place:
            self._start, self._end = next(self._spans, _NO_ASIDE)
        before = self._text[max(begin, self._start - _WORD_CHARS) : self._start] if self._start < place else ""
        if self._end > end or not before.strip(_OPENING + _ENCLOSING_SIGNS):
            return False
        return after < self._end or _next_letter(self._text, after, end).islower()


def ends_sentence(text: str, begin: int, place: int, after: int, end: int) -> bool:
    """Tell whether the marks at [place, after), before the end, end the sentence that starts at `begin`."""
    if not text[after].isspace():
        return _ends_without_space(text, begin, place, after)
    mark = text[place]
    if mark not in ".…":
        return True
    following = _next_letter(text, after, end)
    is_one_dot = mark != "…" and not text.startswith("..", place)
    word = text[max(begin, text.rfind(" ", begin, place) + 1, place - _WORD_CHARS) : place]
    if following.islower():
        return is_one_dot and _ends_small(word.strip(_ENCLOSING_SIGNS))
    if not is_one_dot:
        return True
    if len(word) > 1 and word.isalpha():  # the common case, without expressions
        known = word.lower()
        return known not in _abbreviations() and (known not in _closing() or following.isupper())
    return not (_belongs_to_dot(text, begin, place, following) or _is_ordinal(text, word, after, end))


def _ends_small(word: str) -> bool:
    """Tell whether a word before a dot ends a sentence though the next begins small, as many people write.

    What is shortened has few letters, nearly always.
    """
    known = word.lower()
    if len(word) < _WHOLE_WORD:
        return known in _small_ends()
    return word.isalpha() and known not in _abbreviations() and known not in _closing()


def _ends_without_space(text: str, begin: int, place: int, after: int) -> bool:
    """Tell the same of marks that no space follows: only scripts that may go on without one end there."""
    mark, following = text[place], text[after]
    if mark in _EASTERN_STOPS and following < _FIRST_EASTERN:
        return True
    if following < _FIRST_EASTERN or not compiled(_EASTERN).match(following):
        return mark in _EASTERN_STOPS
    if text[after - 1] in _CLOSERS:
        return False  # a quotation within a sentence: 他说：“好。”然后走了
    is_plain = mark in "!?" or (mark == "." and after == place + 1)
    return mark in _EASTERN_STOPS or (is_plain and place > begin and bool(compiled(_EASTERN).match(text[place - 1])))


def _belongs_to_dot(text: str, begin: int, place: int, following: str) -> bool:
    """Tell whether a dot belongs to the word before it: an abbreviation, an initial, the number of a list."""
    before = text[max(begin, place - _WORD_CHARS) : place + 1]
    word = compiled(_WORD_BEFORE).search(before)
    if word and word[1].lower() in _abbreviations():
        return True
    if (
        word
        and word[1].isdigit()
        and len(before) > place - begin
        and not before[: word.start(1)].strip(_OPENING + "*_~")
    ):
        return True  # "1." at the beginning
    if word and word[1].isdigit() and len(word[1]) <= _ORDINAL and compiled(_before_ordinal()).search(before):
        return True  # "am 4. Juni"
    if word and word[1].lower() in _closing():
        return not following.isupper()
    return compiled(_INITIAL).search(before) is not None and before[-2] not in _SPLITTING_INITIALS


def _is_ordinal(text: str, word: str, after: int, end: int) -> bool:
    """Tell whether a number with a dot says which one of what is named behind it: 3. Stock."""
    if not word.isdigit() or len(word) > _ORDINAL:
        return False
    return compiled(rf"\s(?:{joined(KIND, 'behind_ordinal')})(?!\w)").match(text, after, end) is not None


def _next_letter(text: str, start: int, end: int) -> str:
    while start < end and text[start] in _OPENING:
        start += 1
    return text[start : min(start + 1, end)]


@cache
def _before_ordinal() -> str:
    """Return the expression of a number with a dot that says which one, behind the word before it."""
    return rf"(?i:(?<!\w)(?:{joined(KIND, 'before_ordinal')})) \d{{1,{_ORDINAL}}}\.$"


@cache
def _abbreviations() -> frozenset[str]:
    """Return shortened words without their last dot, behind which a name or number follows: never the end."""
    return _listed("abbreviations")


@cache
def _small_ends() -> frozenset[str]:
    """Return short words that end a sentence, however the next one begins."""
    return _listed("small_ends")


@cache
def _closing() -> frozenset[str]:
    """Return those that often stand at the end."""
    return _listed("closing")


def _listed(name: str) -> frozenset[str]:
    return frozenset(word for data in read_languages(KIND).values() for word in data.get(name, "").split())
