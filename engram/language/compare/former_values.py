"""What a statement says that something was before: "we moved from Nomad to Kubernetes", "instead of Friday". Pure.

Only what is said outright counts. The patterns are few on purpose: a value that is found here by mistake would hide a
statement that still holds from a start block.
"""

import datetime as dt
import re
from typing import Final
from typing import NamedTuple

from engram.language.compare.lexicon import fold
from engram.language.dates.named_days import name_days

_CHANGE = r"(?:switch|mov|migrat|chang|upgrad|downgrad|rais|lower|reduc|increas|extend|shift|push|postpon|renam|bump)"
_END = r"(?=[,.;:!?]|\s(?:and|but|because|since|so|as|for|in|on|at|by|with|now|today|und|weil)\b|$)"
_VALUE = r"((?:[\w.+#/°%€$-]+ ?){1,5}?)"
_ARTICLE: Final = re.compile(r"^(?:the|a|an|our|its|der|die|das) ", re.IGNORECASE)
_FROM_TO: Final = (
    re.compile(rf"\b{_CHANGE}\w*\b[^.;!?\n]{{0,60}}?\bfrom {_VALUE} ?\bto {_VALUE} ?{_END}", re.IGNORECASE),
    re.compile(rf"\bvon {_VALUE} ?\b(?:auf|zu|nach) {_VALUE} ?{_END}", re.IGNORECASE),
    re.compile(
        rf"\b(?:переш|перев|перен|смен|измен)\w*\b[^.;!?\n]{{0,60}}?\bсо? {_VALUE} ?\bна {_VALUE} ?{_END}", re.I
    ),
    re.compile(
        r"从\s*([\w.+# -]{1,30}?)\s*(?:换成|改成|改为|迁移到|迁到|升级到|切换到|换到)"
        r"\s*([\w.+# -]{1,30}?)(?=[，。；,.;]|$)"
    ),
    re.compile(r"([\w.+#-]{1,30})에서\s*([\w.+#-]{1,30}?)(?:으로|로)\s*(?:바꾸|바꿨|옮|이전|변경|전환|업그레이드)"),
)
_INSTEAD: Final = (
    re.compile(rf"\b(?:instead of|rather than|no longer|not any more) {_VALUE} ?{_END}", re.IGNORECASE),
    re.compile(rf"\b(?:statt|anstelle von|nicht mehr) {_VALUE} ?{_END}", re.IGNORECASE),
    re.compile(rf"\b(?:вместо|больше не) {_VALUE} ?{_END}", re.IGNORECASE),
)
# "is now 6.1 metres, not 6.4": of numbers only, and only where it is said that something is otherwise now.
_NOW_NOT: Final = re.compile(
    r"\b(?:now|jetzt|nun|теперь|сейчас)\b(?:[^.;!?\n]|\.\d){1,80}?, "
    r"(?:not|and not|nicht|nicht mehr|а не)(?: (?:at|by|bei|auf))? (\d[\d.,]*%?)(?=[.;!?]?(?:\s*$|\s*\n))",
    re.IGNORECASE,
)
# "goes live on 6 May 2026, not on 15 April": of days only, and only beside another day that is said to be right.
_DAY_NOT: Final = re.compile(
    rf"(?P<right>[^.;!?\n]{{1,120}}?), (?:and )?(?:not|nicht|а не)(?: (?:at|by|on|in|until|am|bis|zum))? {_VALUE} ?"
    r"(?=[.;!?]?(?:\s*$|\s*\n))",
    re.IGNORECASE,
)
# Each pattern needs one of them, and to look for a word costs little beside trying all patterns.
_CUES: Final = (
    *("from ", "von ", "с ", "со ", "从", "에서", "instead of", "rather than", "no longer", "not any more"),
    *("statt", "anstelle von", "nicht mehr", "вместо", "больше не", ", not", ", and not", ", nicht", ", а не"),
)
_ANY_DAY: Final = dt.date(2026, 1, 1)  # whether words name a day does not hang on when they were said
_DENIED: Final = re.compile(r"\b(?:not|nicht|не)\b[^,.;:]{1,30}")  # "with Nomad, not with Kubernetes"
_LEAST_CHARS: Final = 2  # of a value; a shorter one stands in too many statements
_NAME: Final = re.compile(r"[^\W\d_]{3}")  # some letters in a row: more than a number with its unit


class FormerValue(NamedTuple):
    """A value that something had, and the one that it has now where that is said with it."""

    was: str  # folded
    now: str = ""  # folded

    @property
    def is_name(self) -> bool:
        """Whether the value was a name of something, which stands for itself; not a day, and not a number."""
        return _NAME.search(self.was) is not None and not name_days(self.was, _ANY_DAY)


def find_former_values(text: str) -> list[FormerValue]:
    """Return the values that a statement says something had before."""
    low = text.lower()
    if not any(cue in low for cue in _CUES):
        return []
    found = [FormerValue(_plain(one[1]), _plain(one[2])) for rule in _FROM_TO for one in rule.finditer(text)]
    found += [FormerValue(_plain(one[1])) for rule in (*_INSTEAD, _NOW_NOT) for one in rule.finditer(text)]
    found += [FormerValue(_plain(one[2])) for one in _DAY_NOT.finditer(text) if _are_days(one["right"], one[2])]
    return [one for one in found if len(one.was) >= _LEAST_CHARS and one.was != one.now]


def _are_days(right: str, wrong: str) -> bool:
    return bool(name_days(wrong, _ANY_DAY)) and bool(name_days(right, _ANY_DAY))


def says_former_value(text: str, former: FormerValue) -> bool:
    """Tell whether a statement still gives the value that something had, and not the one that it has now."""
    said = _DENIED.sub("", fold(text))
    return _stands_in(former.was, said) and not (former.now and _stands_in(former.now, said))


def _stands_in(value: str, folded: str) -> bool:
    at = folded.find(value)
    while at >= 0:
        before, behind = folded[at - 1 : at], folded[at + len(value) : at + len(value) + 1]
        if not (before.isalnum() and before.isascii()) and not (behind.isalnum() and behind.isascii()):
            return True
        at = folded.find(value, at + 1)
    return False


def _plain(value: str) -> str:
    return _ARTICLE.sub("", fold(value).strip(" .,;:!?"))
