"""How texts are put to a model, and what is taken off a question."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.config.sections.recall import EmbeddingSettings
from engram.store.embedding.centre import background
from engram.store.embedding.centre import centred
from engram.store.embedding.centre import mean
from engram.store.embedding.centre import script_of
from engram.store.embedding.model import PASSAGE_CHARACTERS
from engram.store.embedding.model import QUERY_CHARACTERS
from engram.store.embedding.model import Scheme
from engram.store.embedding.model import prepared
from engram.store.embedding.model import scheme_of

VECTORS = st.lists(st.floats(-1, 1), min_size=3, max_size=3)


@given(st.text(), st.sampled_from(["query", "passage"]))
def test_what_a_model_gets_is_composed_whole_and_short(text: str, role: str) -> None:
    put = prepared(text, role)  # type: ignore[arg-type]

    assert put
    assert "\0" not in put
    assert put.encode()
    assert len(put) <= (QUERY_CHARACTERS if role == "query" else PASSAGE_CHARACTERS)
    assert prepared(put, role) == put  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "put"),
    [
        ("tea", "tea"),
        (" tea\n", "tea"),
        ("ＡＰＩ", "API"),
        ("чаи\u0306", "чай"),
        ("a\0b", "a b"),
        ("a\ud800b", "a\ufffdb"),
        ("", "."),
        ("\ufdfa" * 2000, "\u0635\u0644\u0649 \u0627\u0644\u0644\u0647"),
    ],
)
def test_texts_are_prepared(text: str, put: str) -> None:
    assert prepared(text, "passage").startswith(put)


@pytest.mark.parametrize(
    ("name", "given", "scheme"),
    [
        ("multilingual-e5-small", {}, Scheme("query: ", "passage: ", centred=True)),
        ("intfloat/E5-large", {}, Scheme("query: ", "passage: ", centred=True)),
        ("all-MiniLM-L6-v2", {}, Scheme()),
        ("multilingual-e5-small", {"prefixes": "none"}, Scheme(centred=True)),
        ("mine", {"prefixes": "e5"}, Scheme("query: ", "passage: ")),
    ],
)
def test_the_name_decides_unless_the_settings_do(name: str, given: dict[str, str], scheme: Scheme) -> None:
    assert scheme_of(name, EmbeddingSettings.model_validate(given)) == scheme


@pytest.mark.parametrize(
    ("question", "script"),
    [
        ("Where are the keys?", "latin"),
        ("¿Dónde están las llaves de la casa?", "latin"),
        ("Где ключи от PostgreSQL?", "cyrillic"),
        ("Де ключі?", "cyrillic"),
        ("钥匙在哪里？", "han"),
        ("열쇠는 어디에 있어?", "hangul"),
        ("鍵はどこにありますか", ""),
        ("أين المفاتيح؟", ""),
        ("42?", ""),
    ],
)
def test_the_script_of_a_question_decides_its_background(question: str, script: str) -> None:
    assert script_of(question) == script


@pytest.mark.parametrize("script", ["latin", "cyrillic", "han", "hangul"])
def test_a_background_is_two_dozen_questions_of_its_script(script: str) -> None:
    questions = background(script)

    assert len(set(questions)) == len(questions) == 24
    assert {script_of(question) for question in questions} == {script}


@given(VECTORS, VECTORS)
def test_a_centred_vector_has_length_one_and_no_part_of_the_centre_is_left(
    vector: list[float], centre: list[float]
) -> None:
    found = centred(vector, centre)
    rest = [one - other for one, other in zip(vector, centre, strict=True)]

    if math.hypot(*rest) < 1e-6:
        assert found == vector
    else:
        assert math.hypot(*found) == pytest.approx(1)
        assert [number * math.hypot(*rest) for number in found] == pytest.approx(rest, abs=1e-9)


def test_the_mean_is_taken_number_by_number() -> None:
    assert mean([[1.0, 2.0], [3.0, 6.0]]) == [2.0, 4.0]
