import pytest

from engram.language.tokens import DATE
from engram.language.tokens import NAME
from engram.language.tokens import NUMBER
from engram.language.tokens import VERSION
from engram.language.tokens import WORD
from engram.language.tokens import tokenize


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("holds 1,000 jobs", NUMBER, "1000"),
        ("holds 3.50 jobs", NUMBER, "3.5"),
        ("takes 10 minutes", NUMBER, "600"),
        ("takes 250ms", NUMBER, "0.25"),
        ("costs $40", NUMBER, "40"),
        ("has two dogs", NUMBER, "2"),
        ("весит 3 кг", NUMBER, "3000"),
        ("due 2026-02-24", DATE, "2026-02-24"),
        ("due 24.02.2026", DATE, "24.02.2026"),
        ("due May 8, 2023", DATE, "may 8, 2023"),
        ("due 8 May 2023", DATE, "8 may 2023"),
        ("meets 10:30", DATE, "10:30"),
        ("срок 8 мая", DATE, "8 мая"),
        ("uses v2.3.1", VERSION, "2.3.1"),
        ("uses version 31", VERSION, "31"),
        ("версия 3.1", VERSION, "3.1"),
        ("fixed issue 12", NAME, "12"),
    ],
)
def test_values_are_recognised_and_brought_to_one_form(text: str, kind: str, value: str) -> None:
    found = [(token.kind, token.value) for token in tokenize(text).items if token.kind != WORD]

    assert found == [(kind, value)]


@pytest.mark.parametrize("word", ["c++", "c#", "node.js", ".net", "utf8", "full-time", "#12", "python3"])
def test_names_with_signs_and_digits_are_one_word(word: str) -> None:
    assert [token.shown for token in tokenize(f"uses {word}").items] == ["uses", word]


def test_negations_are_counted_and_contractions_taken_apart() -> None:
    assert tokenize("He doesn't like it").negated
    assert tokenize("Он не любит").negated
    assert tokenize("Никогда не любит").negated
    assert not tokenize("It is not impossible, and not strange").negated


def test_an_ending_is_not_a_negation() -> None:
    tokens = tokenize("No longer uses Redis")

    assert (tokens.ceased, tokens.negated) == (True, False)


def test_content_leaves_out_function_words_and_subjects() -> None:
    assert tokenize("I like the tea of my mother").content == {"like", "tea", "mother"}
