"""A name that is like a known one may mean it; another name does not, whatever folder both stand in."""

import pytest

from engram.language.names.twins import Named
from engram.services.facts.near_names import like_names

KNOWN = (
    Named("people/anna", "Anna"),
    Named("people/boris-petrov", "Boris Petrov", ("Borya",)),
    Named("people/sergey", "Sergey"),
    Named("projects/billing", "Billing"),
    Named("people/wang-wei", "王伟"),
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("people/ana", "people/anna"),
        ("Anna Smith", "people/anna"),
        ("people/boris", "people/boris-petrov"),
        ("borja", "people/boris-petrov"),
        ("Сергей", "people/sergey"),
        ("people/billing", "projects/billing"),
        ("billing service", "projects/billing"),
        ("biling", "projects/billing"),
    ],
)
def test_a_like_name_is_found(name: str, expected: str) -> None:
    assert expected in like_names(name, KNOWN)


@pytest.mark.parametrize(
    "name", ["people/clara", "people/dmitri", "projects/atlas", "王芳", "people/bo", "", "/", "???"]
)
def test_another_name_is_no_slip(name: str) -> None:
    assert like_names(name, KNOWN) == []


def test_the_most_alike_comes_first_and_few_are_named() -> None:
    known = [Named(f"people/anna-{number}", f"Anna {number}") for number in range(9)]

    assert like_names("anna-7", known)[0] == "people/anna-7"
    assert len(like_names("anna", known)) == 3
