"""The rules by which the time that a question asks about is read, one file a language in `patterns/asked_time`.

A file says in `script`, `not_script` and `edges` what the files of dates say there, and has rules of the same form
(rules.py); the words of the language's file of dates, if there is one, stand in them too. Besides it
has expressions:

* `past.words`, `future.words`: what in a question says that it asks for what was, or for what is to come;
* `denied`: what `before` or `behind` a date, or among its `words` anywhere, says that the date is of something else;
* `bounds.since`, `after`, `before`, `until`: what `before` or `behind` a date leaves one end open;
* `joined.between`: what stands between two dates that are meant together;
* `asks.words`: by which a question without a tense asks the memory, so that a month is the one behind us; `asks.now`:
  names of what there is of today or of this week.
"""

from functools import cache
from pathlib import Path
from typing import Any
from typing import Final

from engram.base.table_files import read_table
from engram.language import PATTERNS
from engram.language.dates.rules import FOLDER as DATES
from engram.language.dates.rules import DateRule
from engram.language.matching.prefilter import compiled
from engram.language.matching.prefilter import stands_in

FOLDER: Final = Path(PATTERNS, "asked_time")
BOUNDS: Final = ("since", "after", "before", "until")

_BEFORE_CHARS = 60  # what is read of the question before a date


class AskedRules:
    """The rules of one file."""

    __slots__ = ("_data", "_not_script", "_script", "rules")

    def __init__(self, data: dict[str, Any], words: dict[str, dict[str, int | str]]) -> None:
        """Read a file; `words` are those of the language's file of dates."""
        self._data = data
        self._script: str = data["script"]
        self._not_script: str = data.get("not_script", "")
        known = {**words, **data.get("words", {})}
        self.rules = tuple(DateRule(entry, known, edges=bool(data["edges"])) for entry in data["rule"])

    def are_for(self, text: str) -> bool:
        """Tell whether a text has words of this language's script."""
        return stands_in(self._script, text) and not (self._not_script and stands_in(self._not_script, text))

    def asks_for(self, tense: str, text: str) -> bool:
        """Tell whether a question asks for what was ("past") or for what is to come ("future")."""
        return compiled(self._data[tense]["words"]).search(text) is not None

    def asks_memory(self, text: str, *, now: bool) -> bool:
        """Tell whether a question without a tense asks for what is known of a time; `now` for one that is not over."""
        return compiled(self._data["asks"]["now" if now else "words"]).search(text) is not None

    def denies_all(self, text: str) -> bool:
        """Tell whether a question is about something whose dates are not those of what was said."""
        return compiled(self._data["denied"]["words"]).search(text) is not None

    def denies(self, text: str, start: int, end: int) -> bool:
        """Tell whether the words beside a date say that it is the date of something else."""
        return self._stands_at(self._data["denied"], text, start, end)

    def bound(self, text: str, start: int, end: int) -> str:
        """Return which end the words beside a date leave open: since, after, before, until, or ""."""
        return next((name for name in BOUNDS if self._stands_at(self._data["bounds"][name], text, start, end)), "")

    def joins(self, between: str) -> bool:
        """Tell whether two dates with this between them are meant together."""
        return compiled(self._data["joined"]["between"]).fullmatch(between) is not None

    @staticmethod
    def _stands_at(words: dict[str, str], text: str, start: int, end: int) -> bool:
        if compiled(words["before"]).search(text[max(0, start - _BEFORE_CHARS) : start]):
            return True
        return "behind" in words and compiled(words["behind"]).match(text, end) is not None


@cache
def load_asked_rules() -> tuple[AskedRules, ...]:
    """Read every file of the folder, in the order of their names."""

    def read(file: Path) -> dict[str, Any]:
        return read_table(file) if file.exists() else {}

    files = sorted(FOLDER.glob("*.toml"))
    return tuple(AskedRules(read(file), read(DATES / file.name).get("words", {})) for file in files)
