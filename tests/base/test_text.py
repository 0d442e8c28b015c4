"""Normal forms, slugs and the fingerprint."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.base.text import MAX_SLUG_BYTES
from engram.base.text import clean_statement
from engram.base.text import fingerprint
from engram.base.text import parse_entity_path
from engram.base.text import slug_problem
from engram.base.text import slugify

SAME = [
    ("Uses Postgres", "uses  postgres."),
    ("Всё готово", "все готово!"),
    ("“Quoted”", "quoted"),
    ("Ｆｕｌｌ width", "full width"),
    ("café", "cafe\u0301"),
    ("one, two", "one two"),
]
DIFFERENT = [
    ("Written in C++", "Written in C#"),
    ("Written in C", "Written in C++"),
    ("version 3.1", "version 31"),
    ("likes tea", "does not like tea"),
    ("любит чай", "не любит чай"),
    ("uses .NET", "uses NET"),
    ("-5 degrees", "5 degrees"),
    ("uses Redis?", "uses Redis"),
    ("10%", "10"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_form_does_not_matter(one: str, other: str) -> None:
    assert fingerprint(one) == fingerprint(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_meaning_does(one: str, other: str) -> None:
    assert fingerprint(one) != fingerprint(other)


@given(st.text())
def test_a_fingerprint_has_one_form(text: str) -> None:
    assert fingerprint(text) == fingerprint(clean_statement(text))


@given(st.text())
def test_a_clean_statement_is_clean(text: str) -> None:
    assert clean_statement(text) == clean_statement(clean_statement(text))


@given(st.text(max_size=300))
def test_a_slug_made_from_any_title_is_a_folder_name_or_empty(title: str) -> None:
    slug = slugify(title)

    assert slug == "" or slug_problem(slug) == ""


@pytest.mark.parametrize(
    "slug",
    ["", ".", "..", "a/b", "a\\b", ".hidden", "-x", "a b", "a\0b", "a..b", "end.", "con", "x" * 200, "a:b", "a*"],
)
def test_what_cannot_be_a_folder_name_is_said_to_be_none(slug: str) -> None:
    assert slug_problem(slug)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("people/anna", ("people", "anna")),
        ("People/Anna", ("people", "anna")),
        ("people/Сергей", ("people", "сергей")),
        ("projects/v2.1_x-y", ("projects", "v2.1_x-y")),
        ("anna", None),
        ("planets/mars", None),
        ("people/../x", None),
        ("../../x", None),
        ("people/", None),
        ("people/a/b", None),
    ],
)
def test_an_entity_path_is_a_kind_and_a_slug(text: str, path: tuple[str, str] | None) -> None:
    assert path == parse_entity_path(text)


def test_sound_16_of_a_title_without_end_a_name_is_made_at_once() -> None:
    assert slugify("x" * 3_000_000) == "x" * MAX_SLUG_BYTES
    assert slugify("ж" * 100) == "ж" * 60
    assert slugify("a" + "ж" * 100) == "a" + "ж" * 59


@given(st.text(alphabet="aZ9İßé_.- \u00b2", max_size=6) | st.text(alphabet="Con1aux", max_size=MAX_SLUG_BYTES + 2))
def test_one_word_has_the_slug_that_it_has_beside_a_sign(title: str) -> None:
    slug = slugify(f"({title})")

    assert slugify(title) == slug
    assert slug == "" or slug_problem(slug) == ""
