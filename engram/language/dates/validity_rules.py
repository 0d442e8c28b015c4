"""The rules by which it is read from when and until when a statement holds, one file a language in `patterns/validity`.

A file says in `script`, `not_script` and `edges` what the files of dates say there, and has rules of the same form
(rules.py) for days that only the direction of a statement tells: `on Thursday`, `the 29th`, `end of June`. The
words of the language's file of dates stand in them too. Besides it has expressions:

* `bounds.since`, `start`, `until`, `through`: what `before` or `behind` a date says which end of the time it is: since
  a day that is over, from a day on, up to it, up to the end of it;
* `joined.between`: what stands between the first and the last day of a time;
* `content`: what `before` (a week, month or year: `before_period`) or `behind` a date, or among the `words` of its
  sentence, says that it is a date of something else (a report, a version, a birthday);
* `moved.words`: what says that the first of two days is no longer meant, and `before` or `behind` which day is;
* `fixed.words`: what was put on a day that is to come (scheduled), and `before` or `behind` the day (for);
* `habit.words`: what makes a weekday of an order every such day (never, always);
* `each.words`: what makes an order hold each time (always), which a day ends only with `before` it (until, not by);
* `stays`: what `before` or `behind` a day says by itself that a promise lasts until then (until, through), and which
  `words` of the statement say so where such a word is also one of a deadline (`stays.either`, before or behind the
  day); `near` has phrases, divided by bars, of which every such statement has one;
* `open.words`: what says that nothing is settled (if, would);
* `past.words`, `future.words`: what says that something was, or is to come;
* `present.words`: what says that something is so when it is said;
* `settled.words`: what is past by its form and tells what is to come (decided to);
* `standing.words`: what says in a clause of its own what is so, whatever day another clause names, and `clause`: how
  one begins that has a subject and a verb, unless `unless` stands there; `of_that`: how a clause begins that is about
  what the one before it tells of (it is), and `shares`: one that goes on about it without a subject (ends on); `tells`:
  a word beside a day that says more than how the day is meant; `joint`: where a clause begins without a mark before it;
* `counted`: what `before` or `behind` a weekday says that it is the one before another day that is named
  (`counted.earlier`), or the one after it (`counted.later`);
* `passing.words`: what says that something happens once, and is over when its day is (a wedding, we fly to);
* `ends.words`: what says that the date is an end (expires, deadline).
"""

from functools import cache
from functools import lru_cache
from typing import Final

from engram.language.dates.rules import DateRule
from engram.language.dates.rules import Match
from engram.language.dates.rules import Words
from engram.language.dates.rules import date_words
from engram.language.dates.rules import stands_beside
from engram.language.matching.language_files import Table
from engram.language.matching.language_files import read_languages
from engram.language.matching.near_index import NearIndex
from engram.language.matching.patterns import ScriptRules
from engram.language.matching.prefilter import compiled

KIND: Final = "validity"
SINCE: Final = "since"
START: Final = "start"
UNTIL: Final = "until"
THROUGH: Final = "through"

_BOUNDS = (SINCE, START, THROUGH, UNTIL)
_COUNTED = (("earlier", -1), ("later", 1))
_OPTIONAL = frozenset({"fixed", "lasting", "passing", "settled"})  # sections that a language can do without


class ValidityRules(ScriptRules):
    """The rules of one file."""

    __slots__ = ("_data", "_near", "_rules", "near")

    def __init__(self, data: Table, words: Words) -> None:
        """Read a file; `words` are those of the language's file of dates."""
        super().__init__(data)
        self._data = data
        known = {**words, **data.get("words", {})}
        self._rules = tuple(DateRule(entry, known, edges=bool(data["edges"])) for entry in data["rule"])
        self.near = tuple(rule.near for rule in self._rules)
        self._near = NearIndex(self.near)

    def find(self, text: str) -> list[Match]:
        """Return the places of the days that these rules know and the files of dates do not."""
        return [match for place in self._near.places_in(text.lower()) for match in self._rules[place].matches(text)]

    def bound(self, text: str, start: int, end: int) -> str:
        """Return which end of a time the words beside a date make of it: since, start, until, through, or ""."""
        return next((name for name in _BOUNDS if stands_beside(self._data["bounds"][name], text, start, end)), "")

    def joins(self, between: str) -> bool:
        """Tell whether two dates with this between them are the first and the last day of one time."""
        return compiled(self._data["joined"]["between"]).fullmatch(between) is not None

    def is_content(self, text: str, start: int, end: int, *, is_period: bool = False) -> bool:
        """Tell whether the words beside a date (a period: a week, month or year) say that it is of something else."""
        content = self._data["content"]
        return stands_beside(content, text, start, end) or (
            is_period and stands_beside({"before": content.get("before_period", "(?!)")}, text, start, end)
        )

    def is_of_each_time(self, text: str, start: int, end: int, sentence: str) -> bool:
        """Tell whether a date is when something is due each time, and no end: "always answer by tomorrow"."""
        return self.says("each", sentence) and not stands_beside(self._data["each"], text, start, end)

    def may_stay(self, low: str) -> bool:
        """Tell whether a text in small letters may say that a promise lasts until a day; few do."""
        return any(phrase in low for phrase in self._data["stays"]["near"].split("|"))

    def stays_until(self, text: str, start: int, end: int) -> bool:
        """Tell whether the words of a promise say that it lasts until a date, and is not due by then."""
        stays = self._data["stays"]
        if stands_beside(stays, text, start, end):
            return True
        return self.says("stays", text) and stands_beside(stays.get("either", {"before": "(?!)"}), text, start, end)

    def moves_to(self, text: str, start: int, end: int) -> bool:
        """Tell whether the words beside a date say that something was moved to it."""
        return stands_beside(self._data["moved"], text, start, end)

    def fixes_on(self, text: str, start: int, end: int) -> bool:
        """Tell whether the words beside a date say that something was put on it."""
        return "fixed" in self._data and stands_beside(self._data["fixed"], text, start, end)

    def is_so_now(self, stretch: str) -> bool:
        """Tell whether a stretch says what is so when it is said, and besides neither what was nor what is to come."""
        if "present" not in self._data:
            return False
        rest, count = compiled(self._data["present"]["words"]).subn(" ", stretch)
        return count > 0 and not self.says("past", rest) and not self.says("future", rest)

    def stands(self, clause: str) -> bool:
        """Tell whether a clause says by itself what is so when it is said, whatever day another clause names."""
        standing = self._data["standing"]
        if compiled(standing["unless"]).search(clause):
            return False
        rest, count = compiled(standing["words"]).subn(" ", clause)
        if count:
            return not self.says("past", rest)
        if not compiled(standing["clause"]).search(clause) or self.shares_subject(clause):
            return False
        return not any(self.says(other, clause) for other in ("past", "open"))

    def is_of_that(self, clause: str) -> bool:
        """Tell whether a clause begins as one does that is about what the clause before it tells of."""
        return compiled(self._data["standing"]["of_that"]).match(clause) is not None

    def shares_subject(self, clause: str) -> bool:
        """Tell whether a clause goes on about what the clause before it tells of, without a subject of its own."""
        return compiled(self._data["standing"]["shares"]).match(clause) is not None

    def tells(self, words: str) -> bool:
        """Tell whether the words beside a day say more than how the day is meant."""
        return compiled(self._data["standing"]["tells"]).search(words) is not None

    def joints(self, text: str) -> list[int]:
        """Return where clauses begin in a text that no mark divides from what stands before them."""
        return [joint.start() for joint in compiled(self._data["standing"]["joint"]).finditer(text)]

    def counted(self, text: str, start: int, end: int) -> int:
        """Tell whether a weekday is the last one before another day that is named (-1), or the next one (1); else 0."""
        for name, sign in _COUNTED:
            if stands_beside(self._data["counted"][name], text, start, end):
                return sign
        return 0

    def says(self, what: str, sentence: str) -> bool:
        """Tell whether a sentence has words of a section: content, moved, fixed, habit, open and so on.

        What was settled is no word of the past: it tells what is to come.
        """
        if what in _OPTIONAL and what not in self._data:
            return False
        if what == "past" and "settled" in self._data:
            sentence = compiled(self._data["settled"]["words"]).sub(" ", sentence)
        return _is_said(self._data[what]["words"], sentence)

    def last_of(self, what: str, stretch: str) -> int:
        """Return where the last words of a section end in a stretch of a text; -1 when it has none.

        What is past by its form and tells what is to come counts as neither.
        """
        if what not in self._data:
            return -1
        if what == "past" and "settled" in self._data:
            settled = compiled(self._data["settled"]["words"])
            stretch = settled.sub(lambda words: " " * len(words[0]), stretch)
        return max((words.end() for words in compiled(self._data[what]["words"]).finditer(stretch)), default=-1)


@lru_cache(maxsize=512)  # each day of a sentence asks the same of it
def _is_said(words: str, sentence: str) -> bool:
    return compiled(words).search(sentence) is not None


def may_say_when(low: str) -> bool:
    """Tell whether a rule of any language may find a day in a text in lower case: by one look at all their words."""
    return bool(_near_all().places_in(low))


@cache
def _near_all() -> NearIndex:
    return NearIndex([words for rules in load_validity_rules() for words in rules.near])


@cache
def load_validity_rules() -> tuple[ValidityRules, ...]:
    """Read the file of every language, in the order of their names."""
    files = read_languages(KIND)
    return tuple(ValidityRules(data, date_words(code)) for code, data in files.items())
