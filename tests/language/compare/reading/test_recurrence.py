"""Statements beside which there may be others of their kind, as pairs: newer, older, and how they stand."""

from engram.language.compare.contradiction.compare import compare
from engram.language.compare.reading.recurrence import is_logged
from engram.language.compare.reading.recurrence import is_occasion
from engram.language.compare.reading.stems import fold
from engram.language.compare.updates.updates import find_update
from engram.language.compare.updates.updates import weigh
from engram.model.comparison import EXCLUDING
from tests.cases import for_each


@for_each(
    ("new", "old"),
    [
        ("Bought 2 lamps", "Bought 3 lamps"),
        ("Omar paid $55 for the taxi", "Omar paid $40 for the taxi"),
        ("Went to Oslo in 2021", "Went to Oslo in 2019"),
        ("Swam 2 km", "Swam 3 km"),
        ("Had breakfast at 9:00", "Had breakfast at 8:00"),
        ("We released v2.4", "We released v2.3"),
        ("Version 2.5 fixes the sign-up form", "Version 2.4 fixes the sign-up form"),
        ("Supports Node 20.1", "Supports Node 18.2"),
        ("The gateway was down on 9 March", "The gateway was down on 3 March"),
        ("Omar has a doctor appointment on Friday", "Omar has a doctor appointment on Monday"),
        ("We ship on Thursdays", "We ship on Mondays"),
        ("We interviewed 8 customers", "We interviewed 5 customers"),
        ("Omar was at the gym at 18:00", "Omar was at the gym at 7:00"),
        ("Пригласили 12 гостей", "Пригласили 10 гостей"),
        ("我面试了4个人", "我面试了3个人"),
        ("Омар купил 2 лампы", "Омар купил 3 лампы"),
        ("Закрыли 9 багов", "Закрыли 4 бага"),
        ("Была в Осло в 2021 году", "Была в Осло в 2019 году"),
        ("Бегает по средам", "Бегает по понедельникам"),
        ("我卖了2辆车", "我卖了3辆车"),
        ("发布了2.4版本", "发布了2.3版本"),
        ("램프를 2개 샀다", "램프를 3개 샀다"),
        ("3시에 면접이 있다", "10시에 면접이 있다"),
    ],
)
def test_what_happened_twice_is_no_contradiction(new: str, old: str) -> None:
    assert compare(new, old).kind not in EXCLUDING
    assert compare(old, new).kind not in EXCLUDING


@for_each(
    ("new", "old", "kind"),
    [
        ("Has 2 lamps", "Has 3 lamps", "number"),
        ("The taxi costs $55", "The taxi costs $40", "number"),
        ("The standup is on Thursdays", "The standup is on Mondays", "date"),
        ("The doctor appointment is on Friday", "The doctor appointment is on Monday", "date"),
        ("Uses Node 20.1", "Uses Node 18.2", "number"),
        ("The incident lasted 3 hours", "The incident lasted 2 hours", "number"),
        ("Omar needed 5 days", "Omar needed 4 days", "number"),
        ("Version 2.5 is in production", "Version 2.4 is in production", "version"),
        ("У Омара 2 лампы", "У Омара 3 лампы", "number"),
        ("我有2辆车", "我有3辆车", "number"),
        ("면접은 3시이다", "면접은 10시이다", "number"),
    ],
)
def test_what_holds_still_changes(new: str, old: str, kind: str) -> None:
    assert compare(new, old).kind == kind


@for_each(
    ("new", "old"),
    [
        ('"date": "2026-01-06"', '"date": "2026-01-05"'),
        ("updated_at: 2026-01-06", "updated_at: 2026-01-05"),
        ("[INFO] 5 tests passed", "[INFO] 3 tests passed"),
        ("2026-01-06T10:00:01 5 jobs queued", "2026-01-05T10:00:01 3 jobs queued"),
    ],
)
def test_lines_of_a_log_contradict_nothing_and_update_nothing(new: str, old: str) -> None:
    assert is_logged(fold(new))
    assert compare(new, old).kind == "none"
    assert find_update(new, old, weigh([old])) is None


def test_an_occasion_updates_another_one_only_beside_a_word_of_change() -> None:
    old = "We merged 140 pull requests into the billing repository"
    another = "We merged 155 pull requests into our billing repository"
    later = "We merged 155 pull requests into our billing repository so far"

    assert is_occasion(fold(old))
    assert find_update(another, old, weigh([old])) is None
    assert find_update(later, old, weigh([old])) is not None
