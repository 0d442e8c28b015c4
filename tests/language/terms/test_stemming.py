"""Stems: forms of a word have one, in every language that Snowball knows, and Russian words their dictionary form."""

import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language import PATTERNS
from engram.language.terms.stemming import dictionary_forms
from engram.language.terms.stemming import stem
from tests.cases import for_each

FILES = sorted(Path(PATTERNS, "terms").glob("*.toml"))


@for_each(
    ("form", "lemma"),
    [
        ("шел", "идти"),
        ("людьми", "человек"),
        ("хочешь", "хотеть"),
        ("совета", "совет"),
        ("деплоим", "деплоить"),
        ("елок", "елка"),
        ("її", "її"),
        ("tea", "tea"),
        ("абв1", "абв1"),
        ("", ""),
    ],
)
def test_a_russian_word_goes_back_to_its_dictionary_form(form: str, lemma: str) -> None:
    assert dictionary_forms(form)[0] == lemma


def test_a_russian_form_has_a_dictionary_form_for_each_likely_word() -> None:
    assert dictionary_forms("банки") == ["банк", "банка"]
    assert len(dictionary_forms("кошками")) == 1


@for_each(
    ("language", "one", "other"),
    [
        ("en", "bought", "buying"),
        ("en", "women", "woman"),
        ("en", "naïve", "naive"),
        ("en", "решения", "решение"),
        ("en", "τράπεζα", "τράπεζες"),
        ("en", "працювати", "працювати"),
        ("de", "häuser", "haus"),
        ("fr", "écoles", "école"),
        ("es", "canciones", "canción"),
        ("it", "divani", "divano"),
        ("nl", "boeken", "boek"),
        ("tr", "bankalarda", "bankada"),
    ],
)
def test_forms_of_one_word_have_one_stem(language: str, one: str, other: str) -> None:
    assert stem(one, language) == stem(other, language)


@for_each("word", ["e0432", "v2", "3f9a2bc", "2026"])
def test_a_word_with_digits_is_its_own_stem(word: str) -> None:
    assert stem(word) == word


@for_each("word", ["rose", "leaves", "ground", "saw2"])
def test_a_form_that_is_another_word_too_is_left_alone(word: str) -> None:
    assert stem(word)[:3] == word[:3]


def test_no_form_stands_for_two_words() -> None:
    for path in FILES:
        tables = tomllib.loads(path.read_text("utf-8")).get("forms", {})
        forms = [form for table in tables.values() for line in table["lines"].splitlines() for form in line.split()[1:]]

        assert sorted(set(forms)) == sorted(forms)
        assert all(stem(form) for form in forms)


@given(st.text(alphabet=st.characters(categories=["Ll"]), min_size=1, max_size=12))
def test_the_stem_of_any_word_holds_something(word: str) -> None:
    assert stem(word)


def test_words_are_stemmed_the_same_in_many_threads() -> None:
    words = ["кошками", "решениями", "бежали", "домов", "синего"] * 50
    alone = [stem(word) for word in words]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(stem, words)) == alone


@pytest.mark.integration
def test_only_russian_words_load_the_dictionary() -> None:
    script = (
        "import sys; from engram.language.terms.terms import asked_terms, indexed_terms;"
        "from engram.language.compare.updates.update_statement import read_statement;"
        "texts = ('green tea', '머리를 빗', '数据库', 'Die Häuser und die Katze');"
        "[(asked_terms(text), indexed_terms(text), read_statement(text)) for text in texts];"
        "print('pymorphy3' in sys.modules); asked_terms('кошка'); print('pymorphy3' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "True"]
