"""What a statement says that something was before: "we moved from Nomad to Kubernetes", "instead of Friday". Pure.

Only what is said outright counts. The patterns are few on purpose: a value that is found here by mistake would hide a
statement that still holds from a start block.
"""

import datetime as dt
import re
from collections.abc import Iterable
from collections.abc import Iterator
from functools import cache
from functools import lru_cache
from typing import Final
from typing import NamedTuple

from engram.language.compare.reading.stems import fold
from engram.language.dates.named_days import name_days
from engram.language.matching.kept_expressions import kept
from engram.language.matching.language_files import read_languages
from engram.language.matching.patterns import filled
from engram.language.matching.patterns import joined
from engram.language.matching.patterns import phrases

_KIND: Final = "former"
_EXPRESSIONS: Final = ("change", "instead", "ceased", "gone", "withdrawn", "happened")
_WORDS: Final = (
    *("ends", "articles", "now", "denies", "number_joins", "day_denies", "day_joins", "denied"),
    *("unsure", "doubted"),
)
_VALUE = r"([\w.+#/°%€$-]+(?: [\w.+#/°%€$-]+){0,4}? ?)"  # one way to read each text: it grows with its length alone
_STOP = r"(?=[.;!?]?(?:\s*$|\s*\n))"
_ANY_DAY: Final = dt.date(2026, 1, 1)  # whether words name a day does not hang on when they were said
_SENTENCE_END: Final = re.compile(r"[.!?;\n]\s")
_CLAUSE_END: Final = re.compile(r"[,.:!?;\n]\s")
_LOOKED_BACK: Final = 80  # characters
_BETWEEN: Final = 2  # words between a denial and what is denied
_LEAST_CHARS: Final = 2  # of a value; a shorter one stands in too many statements
_NAME: Final = re.compile(r"[^\W\d_]{3}")  # some letters in a row: more than a number with its unit


class FormerValue(NamedTuple):
    """A value that something had, and the one that it has now where that is said with it."""

    was: str  # folded
    now: str = ""  # folded
    is_gone: bool = False  # it names who did something and does not any more: not all that names them is over
    is_withdrawn: bool = False  # it was decided for and is not any more: what else is told of it may hold

    @property
    def is_name(self) -> bool:
        """Whether the value was a name of something, which stands for itself; not a day, a number, or a person."""
        return not self.is_gone and _NAME.search(self.was) is not None and not name_days(self.was, _ANY_DAY)


def former_cues() -> tuple[str, ...]:
    """Return phrases in small letters, one of which stands in every text in which a former value is found."""
    return _load().cues


def find_former_values(text: str) -> list[FormerValue]:
    """Return the values that a statement says something had before."""
    low, rules = text.lower(), _load()
    if not any(cue in low for cue in rules.cues):
        return []
    found = [FormerValue(_plain(one[1]), _plain(one[2])) for one in _sure(rules, rules.changes, text)]
    found += [FormerValue(_plain(one[one.lastindex or 0])) for one in _sure(rules, rules.instead, text)]
    found += [FormerValue(fold(one[one.lastgroup or 0]), is_gone=True) for one in _sure(rules, rules.gone, text)]
    withdrawn = (_plain(one[one.lastindex or 0]) for one in _sure(rules, rules.withdrawn, text))
    found += [FormerValue(was, is_withdrawn=True) for was in withdrawn]
    found += [FormerValue(_plain(one[2])) for one in rules.day_not.finditer(text) if _are_days(one["right"], one[2])]
    return [one for one in found if len(one.was) >= _LEAST_CHARS and one.was != one.now]


def _sure(rules: "_Rules", expressions: Iterable[re.Pattern[str]], text: str) -> Iterator[re.Match[str]]:
    """Yield what expressions find where it is told as it is: not "if Dana quit", nor "we won't move from A"."""
    for one in (found for rule in expressions for found in rule.finditer(text)):
        begins = max(0, one.start() - _LOOKED_BACK)
        sentence = _SENTENCE_END.split(text[begins : one.end()])[-1]
        clause = _CLAUSE_END.split(text[begins : one.start()])[-1]
        said = sentence if one.re in rules.gone else sentence[: max(0, len(sentence) - len(one[0]))]
        if not rules.unsure.search(said) and not rules.doubted.search(clause):
            yield one


def _are_days(right: str, wrong: str) -> bool:
    return bool(name_days(wrong, _ANY_DAY)) and bool(name_days(right, _ANY_DAY))


def says_former_value(text: str, former: FormerValue) -> bool:
    """Tell whether a statement still gives the value that something had, and not the one that it has now.

    One that says itself that the value is a former one does not.
    """
    said = _load().denied.sub("", fold(text))
    if not _stands_in(former.was, said) or (former.now and _stands_in(former.now, said)):
        return False
    return all(one.was != former.was for one in find_former_values(text))


@lru_cache(maxsize=8192)  # a statement is compared with many
def happened_once(text: str) -> bool:
    """Tell whether a statement tells of something that happened once: nothing that is said later makes it otherwise."""
    return any(one.search(text) for one in _load().happened)


def _stands_in(value: str, folded: str) -> bool:
    at = folded.find(value)
    while at >= 0:
        before, behind = folded[at - 1 : at], folded[at + len(value) : at + len(value) + 1]
        if not (before.isalnum() and before.isascii()) and not (behind.isalnum() and behind.isascii()):
            return True
        at = folded.find(value, at + 1)
    return False


def _plain(value: str) -> str:
    return _load().article.sub("", fold(value).strip(" .,;:!?"))


class _Rules(NamedTuple):
    """The expressions of all languages."""

    cues: tuple[str, ...]  # each expression needs one, and to look for a word costs little beside trying all of them
    changes: tuple[re.Pattern[str], ...]  # what it was, what it is
    instead: tuple[re.Pattern[str], ...]  # what it was
    gone: tuple[re.Pattern[str], ...]  # who did something, as the only group that matches
    withdrawn: tuple[re.Pattern[str], ...]  # what somebody had decided for
    day_not: re.Pattern[str]
    unsure: re.Pattern[str]  # in a sentence: nobody knows whether it is so
    doubted: re.Pattern[str]  # in a clause: it is not so, or was only thought of
    denied: re.Pattern[str]  # "with Nomad, not with Kubernetes"
    article: re.Pattern[str]
    happened: tuple[re.Pattern[str], ...]  # what happened once


@cache
def _load() -> _Rules:
    words = {name: joined(_KIND, name) for name in _WORDS}
    ending = rf"(?=[,.;:!?]|\s(?:{words['ends']})\b|$)"
    parts = {"value": _VALUE, "ending": ending}
    files = read_languages(_KIND).values()
    changes, instead, ceased, gone, withdrawn, happened = (
        [_any_case(filled(one[key], {**parts, "using": one.get("using", "")})) for one in files if key in one]
        for key in _EXPRESSIONS
    )
    # "is now 6.1 metres, not 6.4": of numbers only, and only where it is said that something is otherwise now.
    now_not = _any_case(
        rf"\b(?:{words['now']})\b(?:[^.;!?\n]|\.\d){{1,80}}?, (?:{words['denies']})(?: (?:{words['number_joins']}))?"
        rf" (\d[\d.,]*%?){_STOP}"
    )
    # "goes live on 6 May 2026, not on 15 April": of days only, and only beside another day that is said to be right.
    day_not = _any_case(
        rf"(?P<right>[^.;!?\n]{{1,120}}?), (?:{words['day_denies']})(?: (?:{words['day_joins']}))? {_VALUE} ?{_STOP}"
    )
    return _Rules(
        tuple(phrase for one in files for phrase in phrases(one["near"])),
        tuple(changes),
        (*instead, *ceased, now_not),
        tuple(gone),
        tuple(withdrawn),
        day_not,
        _any_case(rf"\b(?:{words['unsure']})\b"),
        _any_case(rf"\b(?:{words['doubted']})(?:\s\S+){{0,{_BETWEEN}}}\s*$"),
        kept(rf"\b(?:{words['denied']})\b[^,.;:]{{1,30}}"),
        _any_case(rf"^(?:{words['articles']}) "),
        tuple(happened),
    )


def _any_case(source: str) -> re.Pattern[str]:
    return kept(source, re.IGNORECASE)
