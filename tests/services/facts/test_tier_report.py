"""What is told of the tiers as they are is what the forecast of a week tells of each fact."""

import datetime as dt
from collections import Counter
from typing import Any

import pytest

from engram.ports.mirror import MirrorState
from engram.services.facts.decay_horizon import SOON_DAYS
from engram.services.facts.decay_horizon import Horizon
from engram.services.facts.decay_horizon import Live
from engram.services.facts.decay_horizon import held_facts
from engram.services.facts.decay_horizon import read_live
from engram.services.facts.listing import Moment
from engram.services.facts.tier_report import tier_report
from engram.workspace import Workspace
from tests.conftest import WorkspaceWith
from tests.services.facts.single_forecast import forecast
from tests.services.facts.test_tier_course import LATER
from tests.services.facts.test_tier_course import use

USES: tuple[list[dict[str, Any]], ...] = ([], [{"id": "people/anna-002", "at": LATER.isoformat(), "count": 1}])


def use_and_rename(workspace: Workspace) -> None:
    use(workspace)
    with workspace.writing("test") as recorder:
        recorder.record(
            [
                workspace.envelope("entity-rename", {"path": "people/anna", "new": "people/anna-2"}),
                workspace.envelope("write", {"entity": "people/anna-2", "text": "Anna plays chess"}),
                workspace.envelope("write", {"entity": "projects/x", "text": "It is about boats", "create": True}),
            ]
        )


@pytest.fixture
def used(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(use_and_rename)


@pytest.mark.parametrize("uses", USES)
def test_tiers_by_entity_and_what_leaves_are_those_of_the_forecast(used: Workspace, uses: list[dict[str, Any]]) -> None:
    moment = Moment(LATER, used.settings.decay, dt.UTC, None)
    with used.reading() as database:
        report = tier_report(database, moment, MirrorState(), uses)
        live = read_live(database, dt.UTC, uses)
    single = forecast(live, moment, Horizon(SOON_DAYS))

    counted = Counter(fact.entity for fact in live.facts)
    assert report["tiers"] == single["tiers"]
    assert {row["entity"]: row["hot"] + row["warm"] + row["cold"] for row in report["entities"]} == counted
    assert set(counted) == {"people/anna-2", "projects/x"}
    assert report["leaving"] == single["facts"]
    assert report["leaving"]
    assert report["held"] is None


def test_each_entity_has_its_own_tiers(used: Workspace) -> None:
    moment = Moment(LATER, used.settings.decay, dt.UTC, None)
    with used.reading() as database:
        report = tier_report(database, moment, MirrorState())
        live = read_live(database, dt.UTC)

    for row in report["entities"]:
        own = Live([fact for fact in live.facts if fact.entity == row["entity"]], live.usages, live.calendar)
        tiers = forecast(own, moment, Horizon(SOON_DAYS))["tiers"]
        assert {name: row[name] for name in tiers} == tiers
        assert held_facts(own, moment, MirrorState()) is None
