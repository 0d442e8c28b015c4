"""The rules by which the time that a question asks about is read, one file a language in `patterns/asked_time`.

A file says in `script`, `not_script` and `edges` what the files of dates say there, and has rules of the same form
(rules.py); the words of the language's file of dates, if there is one, stand in them too. Besides it
has expressions:

* `past.words`, `future.words`: what in a question says that it asks for what was, or for what is to come;
* `past.nouns`: what there is in a memory, of which one asks as of what was ("notes of March"), unless `past.present`
  says that it is asked who does something, or what comes: "who approves changes in March";
* `denied`: what `before` or `behind` a date, or among its `words` anywhere, says that the date is of something else;
* `bounds.since`, `after`, `before`, `until`: what `before` or `behind` a date leaves one end open;
* `joined.between`: what stands between two dates that are meant together;
* `asks.words`: by which a question without a tense asks the memory, so that a month is the one behind us; `asks.now`:
  names of what there is of today or of this week; `asks.all`: all of a question but
  its time, in small letters and without signs, when it asks for whatever was then.
"""

from functools import cache
from typing import Final

from engram.language.dates.rules import DateRule
from engram.language.dates.rules import Words
from engram.language.dates.rules import date_words
from engram.language.dates.rules import stands_beside
from engram.language.matching.language_files import Table
from engram.language.matching.language_files import read_languages
from engram.language.matching.patterns import NOTHING
from engram.language.matching.patterns import ScriptRules
from engram.language.matching.prefilter import compiled

KIND: Final = "asked_time"
BOUNDS: Final = ("since", "after", "before", "until")

_BEFORE_CHARS = 60  # what is read of the question before a date


class AskedRules(ScriptRules):
    """The rules of one file."""

    __slots__ = ("_data", "rules")

    def __init__(self, data: Table, words: Words) -> None:
        """Read a file; `words` are those of the language's file of dates."""
        super().__init__(data)
        self._data = data
        known = {**words, **data.get("words", {})}
        self.rules = tuple(DateRule(entry, known, edges=bool(data["edges"])) for entry in data["rule"])

    def asks_for(self, tense: str, text: str) -> bool:
        """Tell whether a question asks for what was ("past") or for what is to come ("future")."""
        said = self._data[tense]
        if compiled(said["words"]).search(text) is not None:
            return True
        has_noun = compiled(said.get("nouns", NOTHING)).search(text) is not None
        return has_noun and compiled(said.get("present", NOTHING)).search(text) is None

    def asks_memory(self, text: str, *, now: bool) -> bool:
        """Tell whether a question without a tense asks for what is known of a time; `now` for one that is not over."""
        return compiled(self._data["asks"]["now" if now else "words"]).search(text) is not None

    def asks_for_all(self, rest: str) -> bool:
        """Tell whether a question, without its time and without signs, asks for whatever was then."""
        return compiled(self._data["asks"].get("all", NOTHING)).fullmatch(rest) is not None

    def denies_all(self, text: str) -> bool:
        """Tell whether a question is about something whose dates are not those of what was said."""
        return compiled(self._data["denied"]["words"]).search(text) is not None

    def denies(self, text: str, start: int, end: int) -> bool:
        """Tell whether the words beside a date say that it is the date of something else."""
        return stands_beside(self._data["denied"], text, start, end, _BEFORE_CHARS)

    def bound(self, text: str, start: int, end: int) -> str:
        """Return which end the words beside a date leave open: since, after, before, until, or ""."""
        bounds = self._data["bounds"]
        return next((name for name in BOUNDS if stands_beside(bounds[name], text, start, end, _BEFORE_CHARS)), "")

    def joins(self, between: str) -> bool:
        """Tell whether two dates with this between them are meant together."""
        return compiled(self._data["joined"]["between"]).fullmatch(between) is not None


@cache
def load_asked_rules() -> tuple[AskedRules, ...]:
    """Read the file of every language, in the order of their names."""
    files = read_languages(KIND)
    return tuple(AskedRules(data, date_words(code)) for code, data in files.items())
