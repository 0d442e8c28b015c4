"""What the files in life/ say."""

import datetime as dt
import json
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.fact import Fact
from engram.model.fact import Usage
from engram.rules.life.mirror import Beside
from engram.rules.life.mirror import files_of
from engram.rules.life.mirror import is_an_index
from engram.rules.life.mirror import render_index
from engram.rules.life.mirror import render_items
from engram.rules.life.mirror import render_summary
from engram.rules.life.shelves import MOST_LINES
from tests.making import DAY0
from tests.making import make_entity
from tests.making import make_fact

DAY = dt.timedelta(days=1)
LATER = DAY0 + dt.timedelta(days=100)
TEA = make_fact(1, "Anna prefers tea")
OLD = make_fact(2, "Anna lived in Riga", category="context", valid_from=DAY0 - dt.timedelta(days=90))
RULE = make_fact(3, "Anna never merges on a Friday", abstraction="principle", category="decision")


def summary(*facts: Fact, tiers: dict[str, str] | None = None, **usages: Usage) -> str:
    given = {fact.id: "hot" for fact in facts} | (tiers or {})
    used = {usage.fact_id: usage for usage in usages.values()}
    return render_summary(make_entity(), facts, used, given, at=LATER, zone=dt.UTC).decode()


def test_summary_has_a_shelf_for_each_kind_and_says_the_category_where_the_shelf_does_not() -> None:
    manager = make_fact(5, "Anna is Luis's manager", category="relationship")
    text = summary(TEA, OLD, RULE, manager, tiers={OLD.id: "warm", RULE.id: "cold"})

    assert text == (
        "# Anna\n\n"
        "## Who and what\n\n"
        "- Anna is Luis's manager (relationship, 2026-03-01) [005]\n\n"
        "## Principles\n\n"
        "- Anna never merges on a Friday (decision, 2026-03-01) [003]\n\n"
        "## Preferences\n\n"
        "- Anna prefers tea (2026-03-01) [001]\n\n"
        "## Background\n\n"
        "- Anna lived in Riga (2025-12-01) [002]\n"
    )


def test_summary_says_how_much_it_leaves_out_and_what_shows_it() -> None:
    text = summary(TEA, OLD, tiers={OLD.id: "cold"})

    assert "Riga" not in text
    assert text.endswith("And 1 more, not used lately: `engram facts --entity people/anna`\n")


def test_a_long_summary_is_bounded_and_keeps_principles_pinned_facts_and_what_is_hot() -> None:
    many = [make_fact(number, f"Anna has seen film {number}") for number in range(1, 301)]
    rule = make_fact(301, "Anna never merges on a Friday", abstraction="principle")
    tiers = {fact.id: "hot" if fact is many[1] else "warm" for fact in many} | {rule.id: "cold", many[2].id: "cold"}
    lines = summary(*many, rule, tiers=tiers, **{many[0].id: Usage(fact_id=many[0].id, pinned=True)}).splitlines()

    shown = [line for line in lines if line.startswith("- ")]
    assert len(shown) == MOST_LINES
    assert [line[-5:] for line in shown[:4]] == ["[301]", "[001]", "[002]", "[300]"]
    assert lines[-1] == "And 261 more, 1 of them not used lately: `engram facts --entity people/anna`"


def test_each_shelf_has_lines_of_its_own_however_many_others_there_are() -> None:
    decisions = [make_fact(number, f"Anna chose plan {number}", category="decision") for number in range(1, 101)]
    lesson = make_fact(101, "Anna learnt to ask first", category="lesson", confidence=0.6)

    text = summary(*decisions, lesson)

    assert text.count("\n- ") == MOST_LINES
    assert "## Lessons\n\n- Anna learnt to ask first" in text


def test_a_shelf_shows_the_weightiest_and_of_equals_the_newest_first() -> None:
    days = [make_fact(n, f"Anna chose plan {n}", category="decision", valid_from=DAY0 + n * DAY) for n in (1, 2, 3)]
    unsure = make_fact(4, "Anna chose plan 4", category="decision", confidence=0.5, valid_from=DAY0 + 4 * DAY)

    lines = [line[-5:] for line in summary(*days, unsure).splitlines() if line.startswith("- ")]

    assert lines == ["[003]", "[002]", "[001]", "[004]"]


def test_a_statement_that_another_one_says_too_is_only_counted() -> None:
    text = render_summary(
        make_entity(), [TEA, OLD], {}, {TEA.id: "hot", OLD.id: "hot"}, at=LATER, zone=dt.UTC, beside=Beside({OLD.id})
    ).decode()

    assert "Riga" not in text
    assert "And 1 more: `engram facts --entity people/anna`" in text


def test_a_correction_stands_where_that_stood_which_it_corrects() -> None:
    wrong = make_fact(
        5, "The limit is 64 MB", category="decision", status="superseded", superseded_by="people/anna-006"
    )
    right = make_fact(6, "The limit is 32 MB", category="correction", supersedes=(wrong.id,))
    alone = make_fact(7, "It is not the cache", category="correction")

    text = summary(wrong, right, alone)

    assert "## Decisions\n\n- The limit is 32 MB (correction, 2026-03-01) [006]" in text
    assert "## Background\n\n- It is not the cache (correction, 2026-03-01) [007]" in text


def test_summary_of_cold_facts_only_is_a_line_that_says_so() -> None:
    text = summary(TEA, OLD, tiers={TEA.id: "cold", OLD.id: "cold"})

    assert text == "# Anna\n\nNothing here was used lately: 2 facts, `engram facts --entity people/anna`\n"


def test_summary_without_facts_says_that_nothing_is_known() -> None:
    assert summary() == "# Anna\n\nNothing is known yet.\n"


@pytest.mark.parametrize(
    "fields",
    [
        {"trust": "quarantined"},
        {"scope": "session:demo"},
        {"scope": "agent:main"},
        {"status": "superseded"},
        {"status": "retracted"},
        {"status": "pending"},
        {"status": "candidate"},
    ],
)
def test_summary_hides_what_is_not_active_and_shared_and_screened(fields: dict[str, str]) -> None:
    assert "tea" not in summary(make_fact(1, "Anna prefers tea", **fields))


def test_private_facts_stand_in_no_file() -> None:
    private = make_fact(4, "Anna is looking for a new job", scope="session:demo")

    items = render_items(make_entity(), [TEA, private], {})

    assert b"new job" not in items
    assert b"Anna prefers tea" in items


def test_line_marks_what_is_unsure_unverified_pinned_or_ends() -> None:
    fact = make_fact(confidence=0.4, trust="unverified", valid_to=DAY0 + dt.timedelta(days=109))

    text = summary(fact, used=Usage(fact_id=fact.id, pinned=True))

    assert "(2026-03-01 to 2026-06-18, unsure, unverified, pinned) [001]" in text


def test_a_day_is_written_no_more_exactly_than_it_was_said() -> None:
    april, year_end = dt.datetime(2026, 4, 1, tzinfo=dt.UTC), dt.datetime(2027, 1, 1, tzinfo=dt.UTC)
    begun: dict[str, Any] = {"valid_from": april, "valid_from_precision": "month"}
    ended: dict[str, Any] = {"valid_to": year_end, "valid_to_precision": "year"}

    assert "(2026-04) [001]" in summary(make_fact(**begun))
    assert "(2026-04 to 2027) [001]" in summary(make_fact(**begun, **ended))
    assert "(week of 2026-03-30) [001]" in summary(make_fact(**{**begun, "valid_from_precision": "week"}))


def test_days_are_those_of_the_workspaces_time_zone() -> None:
    tokyo = render_summary(make_entity(), [TEA], {}, {TEA.id: "hot"}, at=LATER, zone=ZoneInfo("Asia/Tokyo"))

    assert b"(2026-03-02) [001]" in tokyo


def test_fact_that_was_born_elsewhere_keeps_its_whole_id() -> None:
    moved = make_fact(id="people/anya-007")

    assert "[people/anya-007]" in summary(moved)


def test_items_hold_every_version_with_every_field_and_its_use() -> None:
    retired = make_fact(10, "Anna prefers coffee", status="superseded", superseded_by="people/anna-011")
    usage = Usage(fact_id=TEA.id, access_count=3, last_accessed_at=DAY0)

    items = json.loads(render_items(make_entity(aliases=("Anya",)), [retired, TEA], {TEA.id: usage}))

    assert [item["id"] for item in items["facts"]] == ["people/anna-001", "people/anna-010"]
    assert items["aliases"] == ["Anya"]
    assert set(Fact.model_fields) - {"beliefs"} <= set(items["facts"][1])
    assert items["facts"][0]["access_count"] == 3
    assert items["facts"][1]["superseded_by"] == "people/anna-011"


@given(st.permutations([TEA, OLD, RULE, make_fact(12), make_fact(13, scope="agent:x")]))
def test_files_do_not_depend_on_the_order_in_which_facts_are_given(facts: list[Fact]) -> None:
    tiers = {fact.id: "warm" for fact in facts}
    in_order = sorted(facts, key=lambda fact: fact.id)

    def files(given: list[Fact]) -> tuple[bytes, bytes]:
        entity = make_entity()
        return render_items(entity, given, {}), render_summary(entity, given, {}, tiers, at=LATER, zone=dt.UTC)

    assert files(facts) == files(in_order)


def test_index_links_every_entity_of_which_something_is_known_with_its_count() -> None:
    entities = [make_entity("projects/billing", "Billing [new]"), make_entity(), make_entity("people/boris", "Boris")]

    text = render_index(entities, {"people/anna": 1, "projects/billing": 2, "people/boris": 0}).decode()

    assert "## People\n\n- [Anna](people/anna/summary.md): 1 fact\n\n" in text
    assert "## Projects\n\n- [Billing \\[new\\]](projects/billing/summary.md): 2 facts\n" in text
    assert text.endswith("\nNothing is known for sure yet of 1 more: `engram entity list`\n")
    assert "Boris" not in text
    assert "Archives" not in text
    assert is_an_index(text.encode())
    assert not is_an_index(text.encode() + b"my own words\n")


def test_an_entity_has_two_files() -> None:
    assert files_of(make_entity()) == ("people/anna/summary.md", "people/anna/items.json")


def test_no_shelf_takes_more_than_twice_its_share_while_another_wants_room() -> None:
    orders = [make_fact(number, f"Anna always does thing {number}", category="instruction") for number in range(1, 51)]
    states = [make_fact(number, f"Anna has {number} bees", category="status") for number in range(51, 101)]
    history = [make_fact(number, f"Anna won race {number}", category="milestone") for number in range(101, 151)]

    shelves = summary(*orders, *states, *history).split("\n## ")[1:]

    assert [(shelf.partition("\n")[0], shelf.count("\n- ")) for shelf in shelves] == [
        ("Standing instructions", 26),
        ("How things stand", 8),
        ("Milestones", 6),
    ]


def test_a_page_about_which_only_unsure_statements_wait_says_so() -> None:
    unsure = [
        make_fact(number, f"Anna may like {what}", status="candidate") for number, what in ((1, "tea"), (2, "jam"))
    ]

    assert summary(*unsure[:1]) == (
        "# Anna\n\nNothing is sure yet: 1 statement waits to be said again or confirmed, "
        "`engram facts --candidates --entity people/anna`\n"
    )
    assert "2 statements wait to be said again" in summary(*unsure)
    assert summary(unsure[0].model_copy(update={"scope": "session:harbour"})) == "# Anna\n\nNothing is known yet.\n"
