"""The one clock, at the ends of the calendar: anybody may have written such a date."""

import datetime as dt
import zoneinfo

import pytest

from engram.base.clock import local_day


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
@pytest.mark.parametrize("at", [dt.datetime.min, dt.datetime.max])
def test_every_instant_has_a_day(at: dt.datetime, zone: str) -> None:
    assert local_day(at.replace(tzinfo=dt.UTC), zoneinfo.ZoneInfo(zone)) == at.date()
