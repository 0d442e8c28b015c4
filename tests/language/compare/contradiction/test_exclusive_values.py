from engram.language.compare.contradiction.compare import compare
from engram.language.compare.contradiction.exclusive_values import Exclusion
from engram.language.compare.contradiction.exclusive_values import find_exclusion
from engram.language.compare.reading.alignment import find_difference
from engram.language.compare.reading.tokens import tokenize
from engram.model.comparison import EXCLUDING
from tests.cases import for_each


@for_each(
    ("new", "old", "group"),
    [
        ("The door is red", "The door is blue", "colour"),
        ("The door is grey", "The door is navy", "colour"),
        ("The piano is in the living room", "The piano is in the dining room", "room"),
        ("The office is in New Zealand", "The office is in the United States", "country"),
        ("The mill is far away from the river", "The mill is near the river", "near / far from"),
        ("Prefers small dogs", "Prefers big dogs", "big / small"),
        ("A man in a red shirt runs", "A man in a green shirt runs", "colour"),
        ("The vendor is unreliable", "The vendor is reliable", "reliable / unreliable"),
        ("Анна врач", "Анна юрист", "профессия"),
        ("Паула — недовольная", "Паула — довольная", "довольная / недовольная"),
        ("Интернет быстрый", "Интернет медленный", "быстрый / медленный"),
        ("他是上海人", "他是北京的", "城市"),
        ("보고서는 미완성이다", "보고서는 완성이다", "완성이다 / 미완성이다"),
        ("창고는 부산에 있다", "창고는 서울에 있다", "city"),
    ],
)
def test_one_group_of_words_that_differs_excludes_as_a_predicate(new: str, old: str, group: str) -> None:
    found = _found(new, old)

    assert found is not None
    assert found.group.name == group


@for_each(
    ("new", "old"),
    [
        ("The door is grey", "The door is gray"),
        ("The red door is open", "The blue door is open"),
        ("Likes small dogs", "Likes big dogs"),
        ("Is a fan of German cars", "Is a fan of French cars"),
        ("Is in the Berlin group chat", "Is in the Paris group chat"),
        ("There is a printer in the office", "There is a printer in the library"),
        ("A copy is in Berlin", "A copy is in Paris"),
        ("Was in Berlin", "Was in Paris"),
        ("The door is red and old", "The door is blue and new"),
        ("The door is red", "The door is heavy"),
        ("Met reliable vendors", "Met unreliable vendors"),
        ("The value is 4", "The value is in4"),
        ("Читает про Японию", "Читает про Китай"),
        ("去过北京", "去过上海"),
        ("부산을 여행했다", "서울을 여행했다"),
        ("", "The door is red"),
    ],
)
def test_where_there_is_room_for_both_nothing_is_excluded(new: str, old: str) -> None:
    assert _found(new, old) is None
    assert _found(old, new) is None


@for_each(
    ("new", "old"),
    [
        ("A tall man is fixing a fence", "A short man is fixing a fence"),
        ("The old lady is knitting", "The young lady is knitting"),
        ("A man is cycling up the road", "A man is cycling down the road"),
    ],
)
def test_an_adjective_of_the_subject_tells_which_one_is_meant(new: str, old: str) -> None:
    assert compare(new, old).kind not in EXCLUDING
    assert compare(old, new).kind not in EXCLUDING


@for_each(
    ("new", "old"),
    [
        ("The man is tall", "The man is short"),
        ("The server is up", "The server is down"),
        ("A man is fixing a wooden fence", "A man is fixing a metal fence"),
    ],
)
def test_an_adjective_of_the_predicate_says_what_is(new: str, old: str) -> None:
    assert compare(new, old).kind in EXCLUDING


def _found(new: str, old: str) -> Exclusion | None:
    newer, older = tokenize(new), tokenize(old)
    difference = find_difference(newer, older)
    return difference and find_exclusion(newer, older, difference)
