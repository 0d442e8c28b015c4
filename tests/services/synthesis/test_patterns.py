"""What is a pattern, a principle, a line for MEMORY.md: decision tables."""

import datetime as dt
from typing import Any

import pytest

from engram.language.compare.contradiction.compare import skeleton
from engram.model.fact import Abstraction
from engram.model.fact import Category
from engram.services.synthesis.patterns import Said
from engram.services.synthesis.patterns import find_memory_lines
from engram.services.synthesis.patterns import find_patterns
from engram.services.synthesis.patterns import find_principles


def said(number: int, text: str, *occasions: str, **fields: Any) -> Said:
    entity = fields.get("entity", "projects/billing")
    defaults: dict[str, Any] = {
        "id": f"{entity}-{number:03d}",
        "entity": entity,
        "text": text,
        "category": Category.CONTEXT,
        "abstraction": Abstraction.EPISODE,
        "confidence": 0.9,
        "skeleton": skeleton(text),
        "slot": None,
        "occasions": frozenset(occasions),
    }
    return Said(**{**defaults, **fields})


MON, TUE, WED = "2026-02-02", "2026-02-03", "2026-02-04"
ALL = tuple(f"projects/billing-{number:03d}" for number in (1, 2, 3))
BACKUP = "The nightly backup fails when the disk is full"
AGAIN = "The nightly backup fails when the disk is nearly full"


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ([said(1, BACKUP, MON, TUE, WED)], [("projects/billing-001",)]),
        ([said(1, BACKUP, MON, TUE)], []),
        ([said(1, BACKUP, MON), said(2, BACKUP, MON), said(3, BACKUP, MON)], []),
        ([said(1, BACKUP, MON), said(2, AGAIN, TUE), said(3, BACKUP, WED)], [ALL]),
        ([said(1, BACKUP, MON), said(2, "Anna likes tea with milk", TUE), said(3, "We use DuckDB here", WED)], []),
        # The same slot with other values is a change.
        (
            [
                said(1, "Anna works at Acme", MON, slot=("employer", "Acme")),
                said(2, "Anna works at Initech", TUE, slot=("employer", "Initech")),
                said(3, "Anna works at Globex", WED, slot=("employer", "Globex")),
            ],
            [],
        ),
        # One says the opposite.
        ([said(1, BACKUP, MON), said(2, BACKUP.replace("fails", "succeeds"), TUE), said(3, BACKUP, WED)], []),
        # What is contradicted is settled first.
        ([said(1, BACKUP, MON, TUE, WED, is_disputed=True)], []),
        # It is a pattern already.
        ([said(1, BACKUP, MON, TUE, WED), said(2, AGAIN, MON, abstraction=Abstraction.PATTERN)], []),
        ([said(1, BACKUP, MON, TUE, WED, abstraction=Abstraction.PATTERN)], []),
        # A statement and a decision that say the same are not one.
        ([said(1, BACKUP, MON, TUE), said(2, BACKUP, WED, category=Category.DECISION)], []),
        # Only numbers differ.
        (
            [said(n, f"The backup took {n}0 minutes", day) for n, day in enumerate([MON, TUE, WED], 1)],
            [ALL],
        ),
        # A number that names, counts or tells a version makes another statement of it.
        *(
            ([said(n, text.format(n), day) for n, day in enumerate([MON, TUE, WED], 5)], [])
            for text in ("Step 0{} of the plan ships on Friday", "Release v1.{} went out without trouble",
                         "Anna met {} clients of the new office", "Шаг {} готов к выпуску и проверен",
                         "第{}步已经完成并且发布")
        ),
        ([], []),
    ],
)  # fmt: skip
def test_patterns(facts: list[Said], expected: list[tuple[str, ...]]) -> None:
    assert [one.sources for one in find_patterns(facts)] == expected
    assert [one.sources for one in find_patterns(facts[::-1])] == expected  # their ids are their order


def test_the_newest_words_speak_for_a_pattern_and_more_evidence_keeps_its_key() -> None:
    facts = [said(1, BACKUP, MON), said(2, BACKUP, TUE), said(3, AGAIN, WED)]

    (found,) = find_patterns(facts)
    (later,) = find_patterns([*facts, said(4, BACKUP, "2026-02-05")])

    assert (found.text, found.abstraction, found.occasions, found.target) == (AGAIN, Abstraction.PATTERN, 3, "fact")
    assert (later.text, later.occasions, later.key) == (BACKUP, 4, found.key)


def weeks(count: int) -> list[str]:
    return [str(dt.date(2026, 1, 5) + dt.timedelta(weeks=week)) for week in range(count)]


@pytest.mark.parametrize(
    ("fields", "occasions", "is_one"),
    [
        ({}, weeks(4), True),
        ({}, weeks(3), False),
        ({}, ["2026-01-05", "2026-01-06", "2026-01-07", "2026-01-08"], False),  # one week
        ({"is_disputed": True}, weeks(5), False),
        ({"abstraction": Abstraction.EPISODE}, weeks(5), False),
        ({"abstraction": Abstraction.PRINCIPLE}, weeks(5), False),
        ({}, [*weeks(3), "session chat", "session other"], False),  # no days are known of conversations
    ],
)
def test_principles(fields: dict[str, Any], occasions: list[str], is_one: bool) -> None:
    fact = said(1, BACKUP, *occasions, **{"abstraction": Abstraction.PATTERN, **fields})

    found = find_principles([fact], weeks=4)

    assert [(one.text, one.abstraction) for one in found] == ([(BACKUP, Abstraction.PRINCIPLE)] if is_one else [])


OWNER = "people/anna"


@pytest.mark.parametrize(
    ("fields", "days", "is_one"),
    [
        ({"is_pinned": True}, [MON], True),
        ({"is_hot": True}, [MON, TUE], True),
        ({"is_hot": True}, [MON], False),  # said once
        ({}, [MON, TUE, WED], False),  # not used lately
        ({"is_pinned": True, "entity": "people/bob"}, [MON], False),
        ({"is_pinned": True, "category": Category.CONTEXT}, [MON], False),
        ({"is_pinned": True, "category": Category.CORRECTION}, [MON], True),
        ({"is_hot": True, "category": Category.INSTRUCTION}, [MON, TUE], True),
        ({"is_hot": True, "importance": 0.5}, [MON, TUE], False),
        ({"is_pinned": True, "is_trusted": False}, [MON], False),
        ({"is_pinned": True, "is_disputed": True}, [MON], False),
        ({"is_pinned": True, "confidence": 0.5}, [MON], False),
        ({"abstraction": Abstraction.PRINCIPLE, "entity": "projects/billing"}, [MON], True),
        ({"abstraction": Abstraction.PRINCIPLE, "is_trusted": False}, [MON], False),
    ],
)
def test_lines_for_memory(fields: dict[str, Any], days: list[str], is_one: bool) -> None:
    fact = said(
        1, "Always ask before you deploy", *days, **{"entity": OWNER, "category": Category.PREFERENCE, **fields}
    )

    assert [one.target for one in find_memory_lines([fact], OWNER, frozenset())] == (["memory"] if is_one else [])
    assert find_memory_lines([fact], OWNER, frozenset([fact.id])) == []


def test_without_an_owner_nobody_has_preferences() -> None:
    fact = said(1, "Always ask first", MON, entity=OWNER, category=Category.PREFERENCE, is_pinned=True)

    assert find_memory_lines([fact], "", frozenset()) == []


def test_of_the_lines_for_memory_the_weightiest_come_first() -> None:
    own: dict[str, Any] = {"entity": OWNER, "category": Category.PREFERENCE, "is_hot": True}
    light = said(1, "Anna prefers long walks", MON, TUE, **own, importance=0.6)
    heavy = said(2, "Anna prefers short meetings", MON, TUE, **own, importance=0.9)

    found = find_memory_lines([light, heavy], OWNER, frozenset())

    assert [one.text for one in found] == ["Anna prefers short meetings", "Anna prefers long walks"]
