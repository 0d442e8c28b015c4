"""What is told of many facts at once is what the forecast tells of each."""

import datetime as dt
from collections import Counter
from typing import Any

import pytest

from engram.services.facts.decay_horizon import Horizon
from engram.services.facts.decay_horizon import read_live
from engram.services.facts.listing import Moment
from engram.services.facts.tier_course import course_report
from engram.services.facts.tier_course import fact_courses
from engram.services.facts.tier_course import read_wear
from engram.services.visibility import Caller
from engram.workspace import Workspace
from tests.conftest import WorkspaceWith
from tests.making import NOW
from tests.services.facts.single_forecast import forecast

DAY = dt.timedelta(days=1)
HORIZON = Horizon(60)
KEPT = [
    "samovar",
    "canoe",
    "violin",
    "telescope",
    "loom",
    "kiln",
    "beehive",
    "greenhouse",
    "anvil",
    "kite",
    "accordion",
    "sundial",
]
LATER = NOW + 24 * DAY


def use(workspace: Workspace) -> None:
    """Facts of many ages: unsure ones, pinned ones, some used often, some of one session alone."""
    day = 0
    workspace.now = lambda: NOW + day * DAY
    with workspace.writing("test") as recorder:  # once: opening the store takes as long as writing to it

        def submit(kind: str, args: dict[str, Any]) -> None:
            (result,) = recorder.record([workspace.envelope(kind, args)])
            assert result.exit_code == 0, result

        for number in range(12):
            day = 2 * number
            told: dict[str, Any] = {"entity": "people/anna", "create": True}
            told["text"] = f"Anna repairs the old {KEPT[number]}"
            told["confidence"] = 0.3 if number % 3 == 0 else 0.9
            told["scope"] = "session:secret" if number % 5 == 4 else "shared"
            submit("write", told)
        for number in (2, 3, 5):
            for day in (12, 14, 16, 18, 20):  # noqa: B007 - the clock reads it
                submit("access", {"id": f"people/anna-{number:03d}"})
        submit("pin", {"id": "people/anna-001"})


@pytest.fixture
def used(workspace_with: WorkspaceWith) -> Workspace:
    workspace = workspace_with(use)
    workspace.now = lambda: LATER
    return workspace


def told(workspace: Workspace, caller: Caller | None = None, **other: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the report of many facts, and the forecast of each."""
    moment = Moment(LATER, workspace.settings.decay, dt.UTC, caller)
    what_if = workspace.settings.decay.model_copy(update=other) if other else None
    with workspace.reading() as database:
        live, worn = read_live(database, dt.UTC), read_wear(database, moment)
    return course_report(worn, moment, HORIZON, what_if), forecast(live, moment, HORIZON, what_if)


@pytest.mark.parametrize("other", [{"hot_days": 2}, {"warm_days": 10}, {"clock": "wall"}, {"kept_accesses": 3}])
def test_tiers_and_courses_are_those_of_the_forecast(used: Workspace, other: dict[str, Any]) -> None:
    report, single = told(used, **other)

    assert report["tiers"] == single["tiers"]
    assert report["leaving"]["count"] == len(single["facts"])
    assert report["leaving"]["ids"][0] in {one["id"] for one in single["facts"]}
    assert report["what_if"]["tiers"] == single["what_if"]["tiers"]
    assert set(report["what_if"]["changed"]["ids"]) == {one["id"] for one in single["what_if"]["changed"]}
    for name, place in (("course", None), ("expected", "expected")):
        assert moved(report[name]) == leaves(single["facts"], place)


def moved(columns: dict[str, list[Any]]) -> dict[str, int]:
    """Return day -> how many fewer are hot than the day before, and how many more cold."""
    found: Counter[str] = Counter()
    for row in range(1, len(columns["day"])):
        found["hot"] += columns["hot"][row - 1] - columns["hot"][row]
        found["cold"] += columns["cold"][row] - columns["cold"][row - 1]
    return {name: count for name, count in found.items() if count}


def leaves(rows: list[dict[str, Any]], part: str | None) -> dict[str, int]:
    days = [row[part] if part else row for row in rows]
    found = {
        "hot": sum(one["leaves_hot"] is not None for one in days),
        "cold": sum(one["leaves_warm"] is not None for one in days),
    }
    return {name: count for name, count in found.items() if count}


def test_the_course_of_a_fact_is_that_of_the_forecast(used: Workspace) -> None:
    _, single = told(used)
    moment = Moment(LATER, used.settings.decay, dt.UTC, None)
    ids = [one["id"] for one in single["facts"]]
    with used.reading() as database:
        shown = fact_courses(database, read_wear(database, moment), ids, moment, HORIZON, moment.decay)

    assert shown == [{name: value for name, value in one.items() if name != "expected"} for one in single["facts"]]


def test_uses_that_are_not_counted_yet_are_counted(used: Workspace) -> None:
    moment = Moment(LATER, used.settings.decay, dt.UTC, None)
    uses = [{"id": "people/anna-002", "at": LATER.isoformat(), "count": 1}]
    with used.reading() as database:
        live, worn = read_live(database, dt.UTC, uses), read_wear(database, moment, uses)

    assert course_report(worn, moment, HORIZON)["tiers"] == forecast(live, moment, HORIZON)["tiers"]
    with used.reading() as database:
        shown = fact_courses(database, worn, ["people/anna-002"], moment, HORIZON, moment.decay)
    assert shown[0]["tier"] == "hot"


def test_a_week_ago_is_told_as_it_was(used: Workspace) -> None:
    report, _ = told(used)

    past = report["past"]
    totals = [sum(past[tier][row] for tier in ("hot", "warm", "cold")) for row in range(len(past["day"]))]
    assert past["day"][-1] == (LATER - 7 * DAY).date().isoformat()
    assert totals[-1] == sum(2 * number <= 17 for number in range(12))
    assert totals[-4:] == sorted(totals[-4:])


def test_a_reader_is_told_of_what_it_may_see(used: Workspace) -> None:
    report, _ = told(used, Caller("elsewhere", "main"))

    assert sum(report["tiers"].values()) == 10
    assert not {"people/anna-005", "people/anna-010"} & set(report["leaving"]["ids"])
