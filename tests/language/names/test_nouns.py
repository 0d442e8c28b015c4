import re

from hypothesis import given
from hypothesis import strategies as st

from engram.language.names.mentions import NameIndex
from engram.language.names.new_entities import find_candidates
from engram.language.names.nouns import _MOST_BEFORE
from engram.language.names.nouns import is_noun
from engram.language.names.nouns import is_plain_noun
from engram.language.names.word_lists import words
from tests.cases import for_each


@for_each(
    ("prose", "name", "expected"),
    [
        ("Wir haben den Server neu gestartet.", "Server", True),
        ("Ich habe eine Frage zum Termin.", "Frage", True),
        ("Die Chefin sagt, dass es geht.", "Chefin", True),
        ("Heute kam Chef Radomir nicht, sagte Radomir selbst.", "Radomir", False),
        ("Gestern sagte Leocadia, dass sie nicht kommt.", "Leocadia", False),
        ("Meine Schwester Meera wohnt in Bonn.", "Meera", False),
        ("Ich mag die Anna und den Termin.", "Anna", False),
        ("Wir nehmen PostgreSQL für den Dienst.", "PostgreSQL", False),
        ("Bitte schreib Go-Dateien mit Tabs und nicht anders.", "Go-Dateien", True),
        ("Der Kunde hat angerufen.", "Kunde", True),  # one word of German, and none of English
        ("We restarted Lantern and the port is free.", "Lantern", False),
    ],
)
def test_a_capital_makes_no_name_of_a_german_noun(prose: str, name: str, expected: bool) -> None:
    assert is_plain_noun(prose, name) is expected


def test_german_nouns_that_come_again_become_no_entities_and_people_do() -> None:
    entries = [
        "Ich glaube, dass der Server langsam ist.",
        "Gestern war wieder Server weg, sagte Leocadia.",
        "Warum ist unser Server so alt?",
        "Heute meinte Leocadia, dass es geht.",
        "Ich weiß, dass Leocadia morgen kommt.",
    ]

    found = find_candidates(entries, NameIndex([]), min_mentions=3)

    assert [one.path for one in found] == ["people/leocadia"]


PROSE = st.lists(
    st.sampled_from(
        ["Der", "die", "seinem", "einen", "alten", "großen", "Lager", "Lagerhaus", "und", "im", "x", "neuer"]
    )
    | st.text(max_size=3),
    max_size=7,
).map(" ".join)


@given(PROSE)
def test_an_article_before_a_word_is_found_as_by_one_expression_for_both(prose: str) -> None:
    articles = "|".join(sorted(words("determiners")))
    whole = rf"(?<!\w)(?i:{articles}) (?:[^\W\d_A-Z]{{2,30}}e[nrsm]? )?Lager(?!\w)"

    assert is_noun(prose, "Lager") == (re.search(whole, prose) is not None)


def test_an_article_and_an_adjective_are_no_longer_than_what_is_read_before_a_word() -> None:
    assert max(map(len, words("determiners"))) + len(" " + 32 * "x" + "en ") < _MOST_BEFORE
