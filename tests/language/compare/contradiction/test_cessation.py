from engram.language.compare.contradiction.cessation import find_ending
from engram.language.compare.reading.tokens import tokenize
from tests.cases import for_each


@for_each(
    ("new", "old", "ended"),
    [
        ("Anna no longer uses Redis", "Anna uses Redis", True),
        ("Redis is no longer used", "Redis is used by billing", True),
        ("Anna stopped drinking coffee", "Anna drinks coffee", True),
        ("Stopped using Redis", "Relies on Redis", True),
        ("Anna quit smoking", "Anna smokes", True),
        ("Anna quit smoking", "Anna works at Acme", False),
        ("Anna quit smoking", "Anna reads before bed", False),
        ("Анна бросила курить", "Анна курит", True),
        ("Анна бросила курить", "Анна живёт в Казани", False),
        ("Anna left Acme", "Anna works at Acme", True),
        ("Anna left Acme", "Anna's brother works at Acme", False),
        ("Anna no longer uses Redis", "Anna never used Redis", False),
    ],
)
def test_an_ending_ends_what_it_names_and_nothing_else_of_the_subject(new: str, old: str, ended: bool) -> None:
    found = find_ending(tokenize(new), tokenize(old))

    assert (found is not None and found[0] == "cessation") == ended
