"""What all stored values share: frozen, strict about unknown keys, instants aware and in UTC."""

import datetime as dt
from typing import Annotated

from pydantic import AfterValidator
from pydantic import BaseModel
from pydantic import ConfigDict
from pydantic import PlainSerializer

from engram.base.clock import in_utc
from engram.base.clock import to_iso


def _require_aware(at: dt.datetime) -> dt.datetime:
    if at.tzinfo is None:
        raise ValueError("an instant needs a time zone")
    return in_utc(at)


Instant = Annotated[
    dt.datetime, AfterValidator(_require_aware), PlainSerializer(to_iso, return_type=str, when_used="json")
]
"""An aware instant, kept in UTC, written as ISO 8601 with Z."""


class Value(BaseModel):
    """A frozen value that refuses keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
