"""Whatever reads words, by name, with the most characters that it is given."""

import datetime as dt
from collections.abc import Callable
from typing import Final

from fuzz_targets import LONGEST
from fuzz_targets import TARGETS

from engram.base.text import MAX_FACT_CHARS
from engram.language.compare.contradiction.compare import compare
from engram.language.compare.corrections.corrections import read_correction
from engram.language.compare.updates.renewal import is_renewed
from engram.language.compare.updates.renewal import renewal_keys
from engram.language.dates.dates import find_dates
from engram.language.dates.due_days import lasts_until_its_day
from engram.language.dates.question_time import asked_time
from engram.language.names.spans import find_names
from engram.language.screen.intent import find_steering
from engram.language.screen.recall_echo import prints_of
from engram.language.signal.detector import detect
from engram.language.signal.kept_promises import read_promise
from engram.language.signal.order_terms import read_order
from engram.services.extract.extract import extract
from engram.services.extract.lines.passage import Passage
from engram.services.extract.validity import find_validity

Reader = Callable[[str], object]

_DAY: Final = dt.date(2026, 2, 24)
_OTHER: Final = "The staging server runs on port 7350"
READERS: dict[str, tuple[int, Reader]] = {  # by name: the most characters that it is given
    "markdown": (LONGEST, lambda text: TARGETS["markdown"]().read(text.encode())),
    "detect": (LONGEST, detect),
    "steering": (LONGEST, find_steering),
    "echo": (LONGEST, prints_of),
    "extract": (LONGEST, lambda text: extract([Passage("n1", text)], (), owner="people/anna", min_mentions=2)),
    "names": (MAX_FACT_CHARS, find_names),
    "dates": (MAX_FACT_CHARS, lambda text: find_dates(text, _DAY)),
    "asked": (MAX_FACT_CHARS, lambda text: asked_time(text, _DAY)),
    "validity": (MAX_FACT_CHARS, lambda text: find_validity(text, "commitment", _DAY)),
    "due": (MAX_FACT_CHARS, lasts_until_its_day),
    "renewal": (MAX_FACT_CHARS, lambda text: (renewal_keys(text), is_renewed(_OTHER, text), is_renewed(text, _OTHER))),
    "compare": (MAX_FACT_CHARS, lambda text: compare(text, _OTHER)),
    "corrections": (MAX_FACT_CHARS, read_correction),
    "promises": (MAX_FACT_CHARS, read_promise),
    "orders": (MAX_FACT_CHARS, read_order),
}
