from engram.language.compare.reading.alignment import align
from engram.language.compare.reading.alignment import find_difference
from engram.language.compare.reading.tokens import tokenize
from tests.cases import for_each


@for_each(
    ("a", "b", "aligned"),
    [
        ("The queue holds 3 jobs", "The queue holds 5 jobs", True),
        ("Sergey likes tea", "likes tea", True),
        ("Anna's brother likes tea", "likes tea", False),
        ("The old queue of billing holds 3 jobs", "holds 3 jobs", False),
        ("민수는 고기를 먹는다", "고기를 먹는다", True),
        ("민수는 고기를 먹는다", "누나는 고기를 먹는다", False),
        ("uses Redis", "uses Kafka", False),
        ("", "uses Redis", False),
    ],
)
def test_statements_are_aligned_when_they_differ_by_values_or_a_subject_left_out(a: str, b: str, aligned: bool) -> None:
    assert (align(tokenize(a), tokenize(b)) is not None) == aligned
    assert (align(tokenize(b), tokenize(a)) is not None) == aligned


@for_each(
    ("new", "old", "difference"),
    [
        ("Written in C#", "Written in C++", (["c#"], ["c++"])),
        ("a white dog and a white cat", "a black dog and a black cat", (["white"], ["black"])),
        ("far away from the river", "near the river", (["far", "away", "from"], ["near"])),
        ("uses Redis in Berlin", "uses Redis", (["in", "berlin"], [])),
    ],
)
def test_the_one_place_that_differs_is_found(new: str, old: str, difference: tuple[list[str], list[str]]) -> None:
    found = find_difference(tokenize(new), tokenize(old))

    assert found is not None
    assert tuple([token.shown for token in side] for side in found) == difference


def test_equal_statements_differ_nowhere() -> None:
    assert find_difference(tokenize("uses Redis"), tokenize("Uses the Redis")) is None
