"""Two names of one, and two names of two."""

import pytest

from engram.language.names.same_name import sound_key
from engram.language.names.same_name import spelling_key
from engram.language.names.twins import Named
from engram.language.names.twins import find_twins


def twins(*titles: str, kind: str = "people") -> list[tuple[str, str]]:
    named = [Named(f"{kind}/{number}", title) for number, title in enumerate(titles)]
    title_of = dict(zip((one.path for one in named), titles, strict=True))
    return [(title_of[pair.one], title_of[pair.other]) for pair in find_twins(named)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Anna Petrova", "anna  petrova"),
        ("Anna-Lena", "Anna Lena"),
        ("José", "Jose"),
        ("Sergey", "Сергей"),
        ("Sergei Ivanov", "Sergey Ivanov"),
        ("Юлия", "Yulia"),
        ("Petrova Anna", "Anna Petrova"),
        ("Анна Петрова", "Анны Петровой"),
        ("Anna", "Anna Petrova"),
        ("A. Petrova", "Anna Petrova"),
        ("김민수", "김 민수"),
        ("Meera", "Mira"),
        ("Sean O'Neill", "Sean Oneil"),
        ("Fernando", "Fernado"),
    ],
)
def test_one_person_under_two_names_is_proposed(one: str, other: str) -> None:
    assert {frozenset(pair) for pair in twins(one, other, "Boris")} == {frozenset((one, other))}


@pytest.mark.parametrize(
    "titles",
    [
        ("Anna", "Hanna"),
        ("Anna Petrova", "Anna Schmidt"),
        ("Anna", "Anna Petrova", "Anna Schmidt"),
        ("A. Petrova", "Anna Petrova", "Alla Petrova"),
        ("Max", "Marx"),
        ("Maria", "Marina"),
        ("Martin", "Marvin"),
        ("Yana", "Yan"),
        ("Li", "Lee"),
        ("王芳", "王方"),
        ("Marina Lopez", "Lopez"),
    ],
)
def test_two_persons_are_left_alone(titles: tuple[str, ...]) -> None:
    assert twins(*titles) == []


@pytest.mark.parametrize("titles", [("C", "C++"), ("v1.2", "v12"), ("Atlas", "Atlas API"), ("Node 2", "Node 3")])
def test_projects_with_a_word_or_sign_more_are_others(titles: tuple[str, ...]) -> None:
    assert twins(*titles, kind="projects") == []


def test_a_person_and_a_project_of_one_name_are_two() -> None:
    assert find_twins([Named("people/atlas", "Atlas"), Named("projects/atlas", "Atlas")]) == []


def test_an_alias_counts_like_a_title() -> None:
    [pair] = find_twins([Named("people/a", "Anna", ("Annie",)), Named("people/b", "annie")])
    assert (pair.one, pair.other) == ("people/a", "people/b")
    assert "'Annie' and 'annie'" in pair.why


@pytest.mark.parametrize(("one", "other"), [("Ёлка", "елка"), ("ＡＢＣ", "abc"), ("a_b", "A B"), ("Straße", "STRASSE")])
def test_spelling_looks_through_case_width_and_punctuation(one: str, other: str) -> None:
    assert spelling_key(one) == spelling_key(other) != ""


def test_what_is_too_short_has_no_sound() -> None:
    assert sound_key("Al") == ""
    assert sound_key("李") == "李"
