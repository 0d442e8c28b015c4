"""From when and until when a statement holds, as its words say. No pydantic: the hook path passes here."""

import datetime as dt
from typing import NamedTuple

from engram.model.vocabulary import Precision


class Validity(NamedTuple):
    """The days from which and to which a statement holds, and the unit in which each was said."""

    valid_from: dt.date
    valid_to: dt.date | None = None  # the last day, included; None: no end was said
    from_precision: str = Precision.DAY.value  # day, week, month, year
    to_precision: str = Precision.DAY.value
