"""The one screen of how things stand."""

import datetime as dt
from collections import Counter
from zoneinfo import ZoneInfo

import pytest

from engram.config.sections.memory import DecaySettings
from engram.ports.database import FactFilter
from engram.rules.life.decay import Calendar
from engram.rules.life.decay import tiers
from engram.services.facts.listing import Moment
from engram.services.facts.status import count_tiers
from engram.workspace import Workspace
from tests.conftest import WorkspaceWith
from tests.making import NOW

DAY = dt.timedelta(days=1)


def use(workspace: Workspace) -> None:
    """Use it for forty days: sure and unsure facts, some accessed, some said again, one retracted."""
    days = [0]
    workspace.now = lambda: NOW + days[0] * DAY
    with workspace.writing("test") as recorder:

        def record(kind: str, **args: object) -> str | None:
            return recorder.record([workspace.envelope(kind, args)])[0].id

        for day in range(0, 41, 5):
            days[0] = day
            said = f"Anna has {day} bees"
            sure = 0.3 + day / 80
            known = record("write", entity="people/anna", create=True, text=said, confidence=sure)
            if day in {10, 20}:
                record("access", id="people/anna-001")
                record("confirm", id="people/anna-002")
            if day == 15:
                record("retract", id=known, reason="it never held")
        for _ in range(10):
            record("access", id="people/anna-003")


@pytest.fixture
def used(workspace_with: WorkspaceWith) -> Workspace:
    workspace = workspace_with(use)
    workspace.now = lambda: NOW + 40 * DAY
    return workspace


@pytest.mark.parametrize("clock", ["activity", "wall"])
@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/Los_Angeles"])
def test_facts_are_counted_by_tier_as_if_each_was_looked_at(used: Workspace, clock: str, zone: str) -> None:
    decay = DecaySettings.model_validate({"clock": clock})
    with used.reading() as database:
        facts, usages = database.list_facts(FactFilter()), database.usages()
        calendar = Calendar(ZoneInfo(zone), database.active_days(ZoneInfo(zone)))
        for day in range(0, 90, 7):
            now = NOW + day * DAY
            each = tiers(facts, usages, now=now, calendar=calendar, settings=decay)
            counted = count_tiers(database, Moment(now, decay, ZoneInfo(zone), caller=None))

            assert Counter(each.values()) == Counter(counted)
