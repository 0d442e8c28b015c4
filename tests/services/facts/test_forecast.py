"""What the forecast of a store tells is what that of each fact tells, read a page at a time."""

import datetime as dt
from collections.abc import Iterable
from typing import Any

import pytest

from engram.ports.columns import FactFace
from engram.services.facts.decay_horizon import Horizon
from engram.services.facts.decay_horizon import read_live
from engram.services.facts.forecast import forecast
from engram.services.facts.listing import Moment
from engram.services.facts.tier_course import read_wear
from engram.workspace import Workspace
from tests.conftest import WorkspaceWith
from tests.services.facts import single_forecast
from tests.services.facts.test_tier_course import LATER
from tests.services.facts.test_tier_report import USES
from tests.services.facts.test_tier_report import use_and_rename

OTHERS: tuple[dict[str, Any], ...] = ({"hot_days": 2}, {"warm_days": 10}, {"clock": "wall"}, {"kept_accesses": 3})


@pytest.fixture
def used(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(use_and_rename)


@pytest.mark.parametrize("page", [1, 2, 2_000])
def test_the_forecast_of_a_store_is_that_of_each_of_its_facts(
    used: Workspace, monkeypatch: pytest.MonkeyPatch, page: int
) -> None:
    monkeypatch.setattr("engram.services.facts.forecast._PAGE", page)
    moment = Moment(LATER, used.settings.decay, dt.UTC, None)
    horizons = [Horizon(7), Horizon(90), Horizon(400, idle=True)]
    cases = [(uses, other, horizon) for uses in USES for other in ({}, *OTHERS) for horizon in horizons]

    for uses, other, horizon in cases:
        what_if = used.settings.decay.model_copy(update=other) if other else None
        with used.reading() as database:
            single = single_forecast.forecast(read_live(database, dt.UTC, uses), moment, horizon, what_if)
            told = forecast(database, read_wear(database, moment, uses), moment, horizon, what_if)
            counts = [len(told["facts"]), len(told["what_if"]["changed"]) if what_if else 0]
            told["facts"] = list(told["facts"])
            if what_if:
                told["what_if"]["changed"] = list(told["what_if"]["changed"])
        assert (told, list(told)) == (single, list(single))
        assert counts == [len(told["facts"]), len(told["what_if"]["changed"]) if what_if else 0]


def test_what_is_shown_of_facts_is_read_in_pages(used: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engram.services.facts.forecast._PAGE", 2)
    moment = Moment(LATER, used.settings.decay, dt.UTC, None)
    other = used.settings.decay.model_copy(update={"hot_days": 1})
    asked: list[int] = []
    with used.reading() as database:
        faces = database.fact_faces

        def watched(ids: Iterable[str]) -> list[FactFace]:
            wanted = list(ids)
            asked.append(len(wanted))
            return faces(wanted)

        monkeypatch.setattr(database, "fact_faces", watched)
        monkeypatch.setattr(database, "list_facts", lambda _: pytest.fail("all facts are read at once"))
        told = forecast(database, read_wear(database, moment), moment, Horizon(90), other)
        assert asked == []
        rows = iter(told["facts"])
        next(rows)
        assert asked == [2]
        assert len([*rows]) + 1 == len(told["facts"]) > 2
        assert [*told["what_if"]["changed"]]
    assert max(asked) == 2
