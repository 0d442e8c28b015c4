"""Fields of other people's records."""

import datetime as dt

import pytest

from engram.importers.memories.fields import category_of
from engram.importers.memories.fields import entity_for
from engram.importers.memories.fields import instant
from engram.importers.memories.fields import number
from engram.importers.memories.items import note_name
from engram.language.text.front_matter import split_front_matter


@pytest.mark.parametrize(
    ("text", "fields", "body"),
    [
        ("plain", {}, "plain"),
        ("---\ntitle: A: b\n---\nbody", {"title": "A: b"}, "body"),
        ('---\ntitle: "quoted"\ntags: [a, "b"]\n---\n', {"title": "quoted", "tags": ["a", "b"]}, ""),
        ("---\ntags:\n  - a\n  - b\n---\nx", {"tags": ["a", "b"]}, "x"),
        ("---\nnot closed", {}, "---\nnot closed"),
        ("---\n  nested: deeper\n---\nx", {}, "x"),
    ],
)
def test_front_matter_of_plain_values_and_lists(text: str, fields: dict[str, object], body: str) -> None:
    assert (fields, body) == split_front_matter(text)


@pytest.mark.parametrize(
    ("name", "kind", "path"),
    [
        ("Tom Reed", "Person", "people/tom-reed"),
        ("Pier 9", "place", "projects/pier-9"),
        ("people/Tom", "", "people/tom"),
        ("Мария Кюри", "person", "people/мария-кюри"),
        ("../../etc", "", "projects/etc"),
        ("!!!", "person", ""),
    ],
)
def test_a_name_becomes_a_path_that_stays_in_its_folder(name: str, kind: str, path: str) -> None:
    assert path == entity_for(name, kind)


@pytest.mark.parametrize("value", ["", None, "soon", True, [], "0001-01-01", "9999-12-31T23:59:59-12:00", -1, 1e30])
def test_what_is_no_time_of_people_is_none(value: object) -> None:
    assert instant(value, dt.UTC) is None


@pytest.mark.parametrize(
    ("value", "expected"), [(0.3, 0.3), (1, 1.0), (True, 0.7), ("0.3", 0.7), (7, 0.7), (float("nan"), 0.7)]
)
def test_a_confidence_is_a_number_from_0_to_1(value: object, expected: float) -> None:
    assert expected == number(value, 0.7)


def test_a_known_name_of_a_category_stays_as_a_tag_when_it_is_not_ours() -> None:
    assert category_of("User Preference") == ("preference", ("User Preference",), "")
    assert category_of("Decision") == ("decision", (), "")


@pytest.mark.parametrize(
    ("name", "kept"), [("a/b/c.md", "a-b-c.md"), ("../../x.md", "x.md"), ("/etc/passwd", "etc-passwd"), (".a/b", "a-b")]
)
def test_a_note_is_never_kept_outside_its_folder(name: str, kept: str) -> None:
    assert kept == note_name(name)
