"""Demote, never delete: what decay may do to summaries at once, and that it does nothing else."""

import datetime as dt
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from engram.config.sections.memory import DecaySettings
from engram.config.settings import Settings
from engram.rules.life.decay import is_too_many
from engram.services.facts.listing import FactQuery
from engram.services.facts.listing import Moment
from engram.services.facts.listing import list_facts
from engram.services.mirror import view as mirror_view
from engram.services.mirror.report import mirror_warnings
from tests.effort import examples
from tests.house import MONDAY
from tests.house import House

DAY = dt.timedelta(days=1)
WALL = Settings.model_validate({"decay": {"clock": "wall", "survival_count": 2}})
PLACES = ("the garden", "the attic", "the orchard", "the meadow")


@pytest.fixture
def house(tmp_path: Path) -> House:
    """Ten facts of one entity that was written to on the first day, by the wall clock; two may leave at once."""
    built = House(tmp_path, WALL)
    built.write_all(f"Anna has {number} bees" for number in range(10))
    built.refresh()
    return built


def age(house: House, days: int) -> None:
    """Let days go by, and something else be written, so that the day of the last record turns."""
    house.now = MONDAY + days * DAY
    house.write(f"Bob counted {days} days", entity="people/bob")


def shown(house: House) -> int:
    return house.read("people/anna/summary.md").count("bees")


@pytest.mark.parametrize(
    ("leaving", "standing", "share", "count", "expected"),
    [
        (20, 20, 0.2, 20, False),
        (21, 21, 0.2, 20, True),
        (21, 105, 0.2, 20, False),
        (22, 105, 0.2, 20, True),
        (200, 1000, 0.2, 20, False),
        (201, 1000, 0.2, 20, True),
        (1, 1, 0.0, 0, True),
        (0, 0, 0.0, 0, False),
        (1000, 1000, 1.0, 0, False),
    ],
)
def test_the_budget_is_a_share_and_never_less_than_a_count(
    leaving: int, standing: int, share: float, count: int, expected: bool
) -> None:
    settings = DecaySettings(survival_share=share, survival_count=count)

    assert is_too_many(leaving, standing, settings) is expected


@pytest.mark.parametrize("read_at_once", [1, 20_000])
def test_a_clock_that_jumped_changes_no_summary(
    house: House, monkeypatch: pytest.MonkeyPatch, read_at_once: int
) -> None:
    monkeypatch.setattr(mirror_view, "_READ_AT_ONCE", read_at_once)
    before = house.read("people/anna/summary.md")
    age(house, 365)
    stats = house.refresh()

    assert house.read("people/anna/summary.md") == before
    assert stats["held_since"] == "2026-03-02"
    assert stats["demoted"] == {
        "left_hot": 10, "left_warm": 10, "left_summaries": 10, "entities": {"people/anna": 10}
    }  # fmt: skip
    assert len(mirror_warnings(stats)) == 1


def test_the_alert_is_the_same_sentence_while_the_summaries_are_held(house: House) -> None:
    age(house, 365)
    first = mirror_warnings(house.refresh())
    age(house, 366)

    assert mirror_warnings(house.refresh()) == first


def test_a_write_to_a_held_entity_shows_the_new_fact_beside_the_old(house: House) -> None:
    age(house, 365)
    house.refresh()
    house.write("Anna has 99 bees")
    house.refresh(thorough=False)

    assert shown(house) == 11
    assert house.differences() == []


def test_a_write_before_the_heartbeat_saw_the_jump_is_taken_back(house: House) -> None:
    house.now = MONDAY + 365 * DAY
    house.write("Anna has 99 bees")
    house.refresh(thorough=False)
    assert shown(house) == 1
    house.refresh()

    assert shown(house) == 11


def test_a_person_lets_them_go(house: House) -> None:
    age(house, 365)
    house.refresh()
    with house.workspace.writing("test"):
        pass
    stats = house.workspace.store.refresh_mirror(accept=True)

    assert (shown(house), stats["held_since"]) == (0, None)
    assert house.refresh()["held_since"] is None
    assert house.differences() == []


def test_a_mended_clock_ends_it(house: House) -> None:
    before = house.read("people/anna/summary.md")
    age(house, 365)
    house.refresh()
    age(house, 1)

    assert house.refresh()["held_since"] is None
    assert house.read("people/anna/summary.md") == before


def test_what_leaves_on_its_day_is_never_held(house: House) -> None:
    for day in range(1, 31):
        age(house, day)
        assert house.refresh()["held_since"] is None
    assert shown(house) == 10
    age(house, 31)
    stats = house.refresh()

    assert (stats["held_since"], stats["demoted"]["left_summaries"], shown(house)) == (None, 10, 0)


def test_changed_settings_are_held_too_and_applied_by_nobody_else(house: House) -> None:
    age(house, 8)
    house.refresh()
    strict = Settings.model_validate({"decay": {"clock": "wall", "warm_days": 7, "survival_count": 2}})
    house.workspace.settings = strict
    house.write("Anna has 99 bees")
    house.refresh(thorough=False)
    assert shown(house) == 11
    stats = house.refresh()

    assert (shown(house), stats["held_since"]) == (11, "2026-03-10")
    house.workspace.settings = WALL
    assert house.refresh()["held_since"] is None


def test_idle_weeks_change_nothing_by_the_activity_clock(tmp_path: Path) -> None:
    house = House(tmp_path, Settings())
    house.write_all(f"Anna has {number} bees" for number in range(40))
    house.refresh()
    age(house, 90)
    stats = house.refresh()

    assert (shown(house), stats["held_since"], stats["demoted"]["left_hot"]) == (40, None, 0)


def test_by_the_wall_clock_facts_leave_on_their_day_though_nothing_is_recorded(house: House) -> None:
    before = house.workspace.journal.head()
    seen = []
    for day in range(1, 32):
        house.now = MONDAY + day * DAY
        house.refresh()
        seen.append(shown(house))
        house.refresh(thorough=False)
        assert shown(house) == seen[-1]  # a quick refresh lets no time go by, and takes none back

    assert seen == [10] * 30 + [0]
    assert house.workspace.journal.head() == before


def test_by_the_wall_clock_life_that_is_deleted_comes_back_as_it_was(house: House) -> None:
    house.now = MONDAY + 20 * DAY
    house.refresh()
    before = house.read("people/anna/summary.md")
    shutil.rmtree(house.workspace.paths.life)
    house.refresh()

    assert house.read("people/anna/summary.md") == before


def test_few_facts_leave_without_being_held(house: House) -> None:
    with house.workspace.reading() as database:
        ids = sorted(fact["id"] for fact in list_facts(database, FactQuery(), _moment(house)))
    house.now = MONDAY + 20 * DAY
    for one in ids[:9]:
        house.submit("access", id=one)
    house.refresh()
    age(house, 40)
    stats = house.refresh()

    assert (stats["held_since"], stats["demoted"]["left_summaries"], shown(house)) == (None, 1, 9)


@pytest.mark.integration
@given(
    st.lists(st.tuples(st.integers(0, 60), st.floats(0, 1), st.sampled_from(["episode", "pattern", "principle"])),
             min_size=1, max_size=4),
    st.lists(st.integers(-400, 4000), min_size=1, max_size=3),
    st.builds(DecaySettings, clock=st.sampled_from(["activity", "wall"]), hot_days=st.integers(0, 40),
              warm_days=st.integers(0, 40), unsure_days=st.integers(0, 40), kept_accesses=st.integers(1, 20),
              survival_share=st.floats(0, 1), survival_count=st.integers(0, 5)),
)  # fmt: skip
@effort(max_examples=examples(15), suppress_health_check=[HealthCheck.too_slow])
def test_no_path_leads_from_decay_to_loss(
    facts: list[tuple[int, float, str]], clocks: list[int], decay: DecaySettings
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        house = House(Path(folder), Settings(decay=decay))
        written = {}
        with house.kept_open():
            for number, (day, confidence, abstraction) in enumerate(facts):
                house.now = MONDAY + day * DAY
                text = f"Anna has bees in {PLACES[number]}"  # else the newer number would take the older one's place
                fields: dict[str, Any] = {"confidence": confidence, "abstraction": abstraction}
                written[house.write(text, **fields)] = text  # fmt: skip
        for day in clocks:
            age(house, day)
            house.refresh()

            with house.workspace.reading() as database:
                live = list_facts(database, FactQuery(entity="people/anna"), _moment(house))
                kept = list_facts(database, FactQuery(entity="people/anna", status="all"), _moment(house))
                found = {fact_id: database.find_facts(fact_id)[0].text for fact_id in written}
            assert {one["id"]: one["text"] for one in live} == written
            assert {one["id"] for one in kept} == set(written)
            assert found == written
            items = house.read("people/anna/items.json")
            assert all(text in items for text in written.values())
            summary = house.read("people/anna/summary.md")
            assert all(text in summary for text, (_, _, kind) in zip(written.values(), facts, strict=True)
                       if kind == "principle")  # fmt: skip


def _moment(house: House) -> Moment:
    return Moment(house.now, house.workspace.settings.decay, dt.UTC, caller=None)
