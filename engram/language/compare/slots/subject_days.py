"""Days beside the subject of a statement: when something holds is nobody of whom it is stated."""

import datetime as dt
from collections.abc import Collection

from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.dates.day_hints import may_name_days
from engram.language.dates.named_days import name_days

ANY_DAY = dt.date(2000, 1, 1)  # where the words for a day stand does not depend on when they are said


def names_day(text: str) -> bool:
    """Tell whether a text names a day."""
    return may_name_days(text) and bool(name_days(text, ANY_DAY))


def without_day(who: str, pronouns: Collection[str]) -> str:
    """Return a folded subject without a day beside it: 下个月我 is 我, and "next month" is nobody.

    Before a noun the day may belong to it: Friday's meeting is not Monday's.
    """
    if not may_name_days(who):
        return who
    for day in name_days(who, ANY_DAY):
        words = f"{who[: day.start]} {who[day.end :]}".split()
        left = [word for word in words if word in pronouns or word not in load_lexicon().stop]
        if not left or (len(left) == 1 and left[0] in pronouns):
            return "".join(left)
    return who
