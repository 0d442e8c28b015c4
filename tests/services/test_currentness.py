"""Newer values before older ones of the same thing."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.document import Document
from engram.model.fact import Fact
from engram.rules.recall.fusion import Fused
from engram.services.recall.validity.newest_value import newest_first
from engram.services.recall.validity.newest_value import newest_of_slots_first
from tests.making import DAY0
from tests.making import make_fact

NOW = DAY0 + dt.timedelta(days=100)


def turns(*texts: str, **fields: object) -> dict[str, Document]:
    """Return turns `t0`, `t1`, ... said on following days."""
    return {
        f"t{place}": Document.model_validate(
            {
                "id": f"t{place}",
                "kind": "turn",
                "text": text,
                "indexed_text": text,
                "session": "talk",
                "ordinal": place,
                "at": DAY0 + dt.timedelta(days=place),
                **fields,
            }
        )
        for place, text in enumerate(texts)
    }


def order(documents: dict[str, Document], question: str, scores: dict[str, float] | None = None) -> list[str]:
    given_ = scores or {key: 1.0 - place / 10 for place, key in enumerate(documents)}
    ranked = [Fused(key, score, {}) for key, score in sorted(given_.items(), key=lambda pair: -pair[1])]
    return [one.id for one in newest_first(ranked, documents, question)]


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [
        ("My snack budget for the party is $40", "I raised the snack budget to $60", "What is my snack budget?"),
        ("The call with the bank is on May 3", "The bank moved the call to May 9", "When is the call with the bank?"),
        ("We run version 2.3.1 of the parser", "The parser is on version 2.4.0 now", "Which version is the parser?"),
        ("Бюджет на подарки 400 рублей", "Увеличил бюджет на подарки до 500 рублей", "Какой бюджет на подарки?"),
        ("礼物的预算是400元", "礼物的预算改成500元", "礼物的预算是多少？"),
        ("선물 예산은 400달러야", "선물 예산을 500달러로 올렸어", "선물 예산이 얼마야?"),
    ],
    ids=["money", "date", "version", "russian", "chinese", "korean"],
)
def test_a_newer_value_goes_first(older: str, newer: str, question: str) -> None:
    assert order(turns(older, newer), question) == ["t1", "t0"]


OLD, NEW = "My snack budget for the party is $40", "I raised the snack budget to $60"


@pytest.mark.parametrize(
    ("documents", "question"),
    [
        (turns(OLD, NEW), "What was the original snack budget?"),
        (turns(OLD, NEW), "How did the snack budget change over time?"),
        (turns(OLD, NEW), "Help me with the snack budget"),
        (turns(OLD, "Dinner for 12 guests is on me"), "What is my snack budget?"),
        (turns(OLD, "The snack budget is fine"), "What is my snack budget?"),
        (turns(OLD, "My snack budget is $40 as I said"), "What is my snack budget?"),
        (turns(OLD, NEW, by_assistant=True), "What is my snack budget?"),
        (turns(OLD, NEW, kind="note"), "What is my snack budget?"),
        (turns(OLD, NEW, at=None), "What is my snack budget?"),
    ],
    ids=[
        "the past is asked for",
        "the history is asked for",
        "no value is asked for",
        "about something else",
        "no value in it",
        "the same value",
        "said by the assistant",
        "a note",
        "nobody knows when",
    ],
)
def test_otherwise_the_order_stays(documents: dict[str, Document], question: str) -> None:
    assert order(documents, question) == ["t0", "t1"]


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [
        (
            "The monthly grocery budget with Alexis is $500",
            "I saw that my monthly grocery budget was increased to $550",
            "What is the monthly grocery budget with Alexis?",
        ),
        (
            "The deadline of the Montserrat application is May 10",
            "I found out that the application deadline was extended to May 20",
            "When is the deadline of the Montserrat application?",
        ),
        (
            "The rate limit of the Montserrat API is 100 requests a minute",
            "The rate limit was raised to 120 requests a minute. Antigua asked me how to test the API",
            "What is the rate limit of the Montserrat API?",
        ),
        (
            "Бюджет Алексея на продукты 400 рублей",
            "Я увеличил бюджет на продукты до 500 рублей",
            "Какой бюджет у Алексея на продукты?",
        ),
    ],
    ids=["somebody", "something", "another sentence", "russian"],
)
def test_a_change_that_names_nothing_else_is_of_what_was_named_before(older: str, newer: str, question: str) -> None:
    assert order(turns(older, newer), question) == ["t1", "t0"]


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [
        (
            "The deadline of the Montserrat application is May 10",
            "The deadline of the Antigua application was extended to May 20",
            "When is the deadline of the Montserrat application?",
        ),
        (
            "The deadline of the Montserrat application is May 10",
            "That application deadline is May 20",
            "When is the deadline of the Montserrat application?",
        ),
        (
            "Бюджет Алексея на продукты 400 рублей",
            "Я увеличил Марине бюджет на продукты до 500 рублей",
            "Какой бюджет у Алексея на продукты?",
        ),
    ],
    ids=["another thing", "no change", "somebody else"],
)
def test_what_may_be_of_something_else_does_not_go_before_what_was_named(older: str, newer: str, question: str) -> None:
    assert order(turns(older, newer), question) == ["t0", "t1"]


def test_what_hardly_fits_the_question_does_not_overtake() -> None:
    assert order(turns(OLD, NEW), "What is my snack budget?", {"t0": 1.0, "t1": 0.3}) == ["t0", "t1"]


def test_the_newest_of_three_comes_first_and_nothing_else_moves() -> None:
    said = turns(OLD, NEW, "The snack budget went up to $75", "Snacks are great fun")

    assert order(said, "What is my snack budget?") == ["t2", "t1", "t0", "t3"]


def test_within_a_session_of_one_day_the_place_decides() -> None:
    assert order(turns(OLD, NEW, at=DAY0), "What is my snack budget?") == ["t1", "t0"]


# --- slots of facts ------------------------------------------------------------------------------------------------


def slots(*fields: tuple[str, str, int]) -> dict[str, Fact]:
    """Return facts by id: entity, attribute and the day from which each holds."""
    facts = [
        make_fact(number, entity=entity, attribute=attribute or None, valid_from=DAY0 + dt.timedelta(days=day))
        for number, (entity, attribute, day) in enumerate(fields)
    ]
    return {fact.id: fact for fact in facts}


@pytest.mark.parametrize(
    ("fields", "places"),
    [
        ([("people/anna", "city", 1), ("people/anna", "city", 5), ("people/anna", "city", 3)], [1, 2, 0]),
        ([("people/anna", "city", 1), ("people/anna", "employer", 2), ("people/anna", "city", 5)], [2, 1, 0]),
        ([("people/anna", "city", 1), ("people/bo", "city", 5)], [0, 1]),
        ([("people/anna", "", 1), ("people/anna", "", 5)], [0, 1]),
        ([("people/anna", "city", 5), ("people/anna", "city", 1)], [0, 1]),
    ],
    ids=["the newest first", "others stay", "of two people", "no slots", "in order already"],
)
def test_facts_of_a_slot_come_newest_first_in_their_places(
    fields: list[tuple[str, str, int]], places: list[int]
) -> None:
    facts = slots(*fields)
    ranked = [Fused(key, 1.0 - place / 10, {}) for place, key in enumerate(facts)]

    assert newest_of_slots_first(ranked, facts, "", NOW) == [ranked[place] for place in places]
    assert newest_of_slots_first(ranked, {}, "", NOW) == ranked


def test_many_values_of_one_attribute_stay_in_the_order_of_the_question() -> None:
    facts = slots(*(("people/anna", "likes", day) for day in range(15)))
    ranked = [Fused(key, 1.0 - place / 100, {}) for place, key in enumerate(facts)]

    assert newest_of_slots_first(ranked, facts, "does Anna like chess", NOW) == ranked


def test_a_value_that_the_question_names_is_not_moved_down() -> None:
    old, new = (
        make_fact(number, attribute="city", value=city, valid_from=DAY0 + dt.timedelta(days=number))
        for number, city in enumerate(("Riga", "Oslo"), 1)
    )
    facts = {old.id: old, new.id: new}
    ranked = [Fused(old.id, 1.0, {}), Fused(new.id, 0.9, {})]

    assert newest_of_slots_first(ranked, facts, "when did Anna live in Riga", NOW) == ranked
    assert newest_of_slots_first(ranked, facts, "where does Anna live", NOW) == ranked[::-1]


def test_what_hardly_fits_takes_no_place_of_its_slot() -> None:
    facts = slots(("people/anna", "city", 1), ("people/anna", "city", 5))
    ranked = [Fused(key, score, {}) for key, score in zip(facts, (1.0, 0.2), strict=True)]

    assert newest_of_slots_first(ranked, facts, "", NOW) == ranked


@given(st.permutations(range(5)))
def test_every_candidate_stays(places: list[int]) -> None:
    said = turns(*(f"The snack budget is ${40 + 5 * place} this week" for place in range(5)))
    scores = {f"t{key}": 1.0 - rank / 10 for rank, key in enumerate(places)}

    found = order(said, "What is the snack budget?", scores)

    assert sorted(found) == sorted(said)
    assert found[0] == "t4"
