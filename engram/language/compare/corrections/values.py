"""The values in a text that a correction may change, each with its place: days, times, amounts, versions and names."""

import re
from functools import cache
from functools import lru_cache
from typing import NamedTuple

from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.compare.reading.stems import fold
from engram.language.compare.reading.stems import stem
from engram.language.compare.reading.timestamps import normal_date
from engram.language.matching.kept_expressions import kept
from engram.language.matching.patterns import expression
from engram.language.matching.patterns import joined
from engram.language.matching.patterns import phrases

DAY = "day"  # a weekday, a day or a month
CLOCK = "clock"  # a time of day
NUMBER = "number"
VERSION = "version"  # 2.3.1, or an address such as 10.20.6.8
CODE = "code"  # letters with a number behind them: ttyUSB0
HOST = "host"
PHONE = "phone"  # a number by which somebody is called

_NAMED = (PHONE, DAY, CLOCK, HOST, VERSION, CODE)  # kinds by the names of their groups
_BEHIND = 40  # characters behind a number in which its unit stands

_AFTER = r"(?![^\W\d_\u3040-\u9fff\uac00-\ud7a3])"  # no letter of a script with spaces follows
_MEASURE = re.compile(r" ?([^\W\d_]{1,12})")
_RUN_TOGETHER = kept("[\u3040-\u9fff\uac00-\ud7a3]")  # scripts in which a unit has no end of its own
_LONGEST_UNIT = 4  # characters of a unit in such a script, and of the blank within "만 원"


class ChangeableValue(NamedTuple):
    """A value: `text[start:end]`."""

    kind: str  # one of this module's kinds; of a code with its letters
    value: str  # in normal form; a number by its unit, if it has one
    unit: str  # what is measured or counted; empty when nothing is said
    start: int
    end: int
    core_end: int  # where the bare number ends, before its unit
    core_start: int  # where it begins, behind a currency or the half of the day
    digits: str = ""  # of a number: its value without its unit

    @property
    def is_bare(self) -> bool:
        """Whether it is written without a unit, a currency and a half of the day."""
        return (self.core_start, self.core_end) == (self.start, self.end)


@lru_cache(maxsize=8192)  # a statement is compared with many
def find_changeable(text: str) -> tuple[ChangeableValue, ...]:
    """Return the values of a text in order. Linear; meant for statements of up to 2,000 characters."""
    return tuple(_value(match, text) for match in _scanner().finditer(text))


def is_same(one: ChangeableValue, other: ChangeableValue) -> bool:
    """Tell whether two values may be the same: 32 and 32 MB, 3 o'clock and 3 in the afternoon, the 5th and 5 May."""
    if not is_compatible(one, other):
        return False
    if one.kind == DAY and one.value.isdigit() != other.value.isdigit():  # a day of which one does not say the month
        bare, whole = (one, other) if one.value.isdigit() else (other, one)
        return whole.value.endswith(f"-{int(bare.value):02}")
    if one.kind == CLOCK:
        return one.value.endswith(other.value) or other.value.endswith(one.value)
    return one.value == other.value or (
        one.kind == NUMBER and one.is_bare != other.is_bare and one.digits == other.digits
    )


def is_compatible(new: ChangeableValue, old: ChangeableValue) -> bool:
    """Tell whether one may be said in place of the other: of one kind, and of one unit where both have one."""
    return new.kind == old.kind and (new.kind != NUMBER or not new.unit or not old.unit or new.unit == old.unit)


def _value(match: re.Match[str], text: str) -> ChangeableValue:
    found = {name: part for name, part in match.groupdict().items() if part}
    start, end = match.span()
    shown = fold(match.group())
    if "number" in found:
        return _number(match, text)
    if "spelled" in found:
        number, unit = load_lexicon().numbers[shown], _unit("", text[end : end + _BEHIND])
        return ChangeableValue(NUMBER, number, unit, start, end, end, start, number)
    kind, value, core = next(name for name in _NAMED if name in found), shown, (start, end)
    if "bare" in found or kind == PHONE:
        value = "".join(filter(str.isdigit, shown))
    elif kind == DAY:
        value = _day(shown)
    elif kind == CLOCK:
        value, core = normal_date(shown), match.span("hour") if "hour" in found else core
    elif kind == VERSION:
        value = shown.removeprefix("v")
    else:
        kind = f"{CODE}:{fold(found['letters'])}" if kind == CODE else kind
    return ChangeableValue(kind, value, "", start, end, core[1], core[0])


def _number(match: re.Match[str], text: str) -> ChangeableValue:
    currency, suffix = match["currency"] or "", match["suffix"] or ""
    digits = match["digits"].replace(" ", "").replace("\u00a0", "")
    value = re.sub(r"[,_](?=\d{3}(?!\d))", "", digits).replace(",", ".")
    start, end = match.span()
    if suffix.strip().casefold() in phrases(joined("values", "ordinal")):
        return ChangeableValue(DAY, value, "", start, end, end, start)
    bare = value
    before = re.findall(r"[^\W\d_]+", fold(text[max(0, start - 30) : start]))[-1:]
    if before and before[0] in load_lexicon().naming:
        return ChangeableValue(f"{CODE}:{before[0]}", value, "", start, end, end, start)
    written = fold(f"{currency}{suffix}")
    if not written:
        written, end = _measure(text, end)
    if written in load_lexicon().units:
        value = f"{float(value) * load_lexicon().units[written].factor:g}"
    unit = _unit(written, text[end : end + _BEHIND])
    return ChangeableValue(NUMBER, value, unit, start, end, match.end("digits"), match.start("digits"), bare)


def _measure(text: str, end: int) -> tuple[str, int]:
    """Return the known unit behind a number, and where it ends; "" and where the number ends when there is none.

    Chinese and Korean write on behind a unit: 次 in 次请求, 원 in 원으로.
    """
    units = load_lexicon().units
    behind = _MEASURE.match(text, end)
    if behind is None:
        return "", end
    if fold(behind[1]) in units:
        return fold(behind[1]), behind.end()
    begin = behind.start(1)
    if not _RUN_TOGETHER.match(text, begin):
        return "", end
    ending = expression("values", "unit_ending")
    for stop in range(min(begin + _LONGEST_UNIT, len(text)), begin, -1):
        unit = fold(text[begin:stop]).replace(" ", "")
        if unit in units and not text[stop - 1].isspace() and ending.match(text, stop):
            return unit, stop
    return "", end


def _unit(written: str, behind: str) -> str:
    """Return what a number measures: the dimension of its unit, else the stem of the word behind it."""
    lexicon = load_lexicon()
    word = fold(written)
    if not word:
        following = re.match(r" ?([^\W\d_]{1,30})", behind)
        word = fold(following[1]) if following else ""
        if word in lexicon.stop or word in lexicon.dropped or word in lexicon.negation:
            return ""
    if word in lexicon.units:
        return lexicon.units[word].dimension
    if not written and expression("values", "number_particle").match(word):
        return ""
    root = stem(word) if word else ""
    return root[:1] if root and "\u3040" <= root[0] <= "\u9fff" else root


def _day(shown: str) -> str:
    words = re.findall(r"[^\W\d_]+", shown)
    if not any(ch.isdigit() for ch in shown):
        return " ".join(stem(word) for word in words[-1:])
    return normal_date(shown)


@cache
def _scanner() -> re.Pattern[str]:
    lexicon = load_lexicon()
    months = "|".join(sorted(lexicon.months, key=len, reverse=True))
    days = "|".join(sorted(lexicon.days - lexicon.months, key=len, reverse=True))
    spaced = [word for word in lexicon.numbers if not "\u3040" <= word[0] <= "\u9fff"]
    numbers = "|".join(sorted(spaced, key=len, reverse=True))
    ordinal = f"(?:{joined('values', 'ordinal')})?"
    of_month = f"(?:(?:{joined('values', 'of_month')}) )?"
    weekday, ending = joined("values", "weekday"), f"(?:{joined('values', 'day_ending')})?"
    half = f"(?:{joined('values', 'half')}|{joined('values', 'more_halves')})?"
    oclock = (
        f"(?:{joined('values', 'hour')})(?!{joined('values', 'no_hour')})(?:{joined('values', 'spaced_half_hour')})?"
    )
    hour = r"(?P<hour>\d{1,2}|[一二三四五六七八九十两]{1,2})"
    grouped = r"\d{1,3}(?:[ \u00a0,_]\d{3})+(?:[.,]\d{1,6})?"
    phone = (
        r"(?<![\w.,/+-])(?=\+?(?:[ ()/-]{0,2}\d){8})(?!0\d[-/]\d\d[-/]\d{4})"
        r"(?:\+\d{1,3}[ -]?(?:\(0\))?\d{1,6}|\(?0\d{1,14}\)?|1\d\d(?=[ -]\d{4}[ -]\d{4})|8(?=[ -]\(?9\d\d))"
        r"(?:[ /-]\(?\d{2,8}\)?){0,5}(?![\w-]|[.,]\d)"
    )
    return re.compile(
        rf"(?P<phone>{phone})"
        rf"|(?P<day>(?<![\w/.-])\d{{4}}-\d\d-\d\d\b(?!\.\w|[/_-])|\b\d{{1,2}}\.\d{{1,2}}\.\d{{4}}\b"
        rf"|(?:\d{{4}} ?[年년] ?)?\d{{1,2}} ?[月월] ?\d{{1,2}} ?[日号號일]"
        rf"|\b\d{{1,2}}{ordinal} {of_month}(?:{months})\b(?:,? \d{{4}}\b)?"
        rf"|\b(?:{months})\.? \d{{1,2}}{ordinal}\b(?:,? \d{{4}}\b)?"
        rf"|\b(?:{months})\.? \d{{4}}\b"
        rf"|(?P<bare>{joined('values', 'bare_day')})(?! (?:{months})\b)"
        rf"|{weekday}|\b(?:{days}){ending}\b|{joined('values', 'month')})"
        rf"|(?P<clock>\b\d{{1,2}}:\d\d(?: ?[ap]m\b)?|\b\d{{1,2}} ?[ap]m\b|{half}{hour} ?{oclock})"
        rf"|(?P<host>\b[a-z\d][\w-]{{0,40}}(?:\.[a-z][\w-]{{0,40}}){{1,6}}(?::\d{{2,5}})?\b)"
        rf"|(?P<version>\bv\d+(?:\.\d+){{0,4}}\b|\b\d+(?:\.\d+){{2,4}}\b)"
        rf"|(?P<code>(?<![\w-])(?P<letters>[a-z]{{1,12}}(?:-[a-z]{{1,12}}){{0,2}})-?\d{{1,6}}(?!\w))"
        rf"|(?P<number>(?<![a-zа-яё\d.,_§#№-])(?P<currency>[$€£₽¥₩] ?)?"
        rf"(?P<digits>{grouped}|\d{{1,15}}(?:[.,]\d{{1,6}})?)(?P<suffix> ?%|[a-zа-я]{{1,3}}(?![a-zа-я]))?{_AFTER})"
        rf"|(?P<spelled>\b(?:{numbers})\b)",
        re.IGNORECASE,
    )
