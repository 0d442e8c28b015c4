from engram.language.compare.contradiction.compare import compare
from engram.language.compare.reading.timestamps import normal_date
from engram.language.compare.reading.timestamps import same_date
from engram.language.compare.slots.slots import same_value
from tests.cases import for_each


@for_each(
    ("folded", "expected"),
    [
        ("2026-03-05", "2026-03-05"),
        ("5.3.2026", "2026-03-05"),
        ("3/5/2026", "3/5/2026"),  # March or May: nobody knows
        ("5 march", "-03-05"),
        ("march 5th", "-03-05"),
        ("5th of march, 2026", "2026-03-05"),
        ("march 2026", "2026-03-"),
        ("may 1", "-05-01"),
        ("5 марта", "-03-05"),
        ("2026年3月5日", "2026-03-05"),
        ("3월 5일", "-03-05"),
        ("3月", "-03-"),
        ("9:15", "09:15"),
        ("9:15 pm", "21:15"),
        ("10am", "10:00"),
        ("12 am", "00:00"),
        ("12 pm", "12:00"),
        ("q3 2026", "q3 2026"),
    ],
)
def test_dates_and_times_have_one_form(folded: str, expected: str) -> None:
    assert normal_date(folded) == expected


@for_each(
    ("a", "b", "same"),
    [
        ("2026-03-05", "-03-05", True),
        ("-03-05", "2026-03-05", True),
        ("2026-03-05", "2025-03-05", False),
        ("-03-05", "-03-06", False),
        ("5", "15", False),
    ],
)
def test_a_date_without_its_year_may_be_the_one_with_it(a: str, b: str, same: bool) -> None:
    assert same_date(a, b) == same


@for_each(
    ("new", "old", "kind"),
    [
        ("The demo is on March 5th", "The demo is on 5 March", "none"),
        ("The demo is on 2026-03-05", "The demo is on March 5", "none"),
        ("The call is at 10:00", "The call is at 10 am", "none"),
        ("The call is at 10 pm", "The call is at 10 am", "date"),
        ("The demo is on March 6", "The demo is on 5 March", "date"),
        ("Демо 05.03.2026", "Демо 5 марта", "none"),
    ],
)
def test_one_date_written_twice_is_no_change(new: str, old: str, kind: str) -> None:
    assert compare(new, old).kind == kind


def test_a_slot_holds_a_date_however_it_is_written() -> None:
    assert same_value("5 March", "March 5th")
    assert not same_value("5 March", "6 March")
