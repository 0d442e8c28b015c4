"""A statement that tells what an older one excludes, on its way in."""

import pytest

from engram.ports.database import FactFilter
from engram.workspace import Workspace
from tests.conftest import Engram


def write(workspace: Workspace, text: str, **fields: object) -> str:
    result = workspace.submit("write", {"entity": "people/anna", "text": text, "create": True, **fields})
    return result.status.value


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Anna is vegetarian", "Anna ate a steak on Friday"),
        ("Анна вегетарианка", "Анна съела стейк"),
        ("安娜是素食者", "安娜吃了牛排"),
        ("안나는 채식주의자다", "안나는 스테이크를 먹었다"),
    ],
)
def test_it_opens_a_tension_and_retires_nothing(workspace: Workspace, older: str, newer: str) -> None:
    write(workspace, older)

    assert write(workspace, newer) == "tension"
    with workspace.reading() as database:
        assert [one.kind for one in database.list_tensions()] == ["contradiction"]
        assert {fact.status.value for fact in database.list_facts(FactFilter())} == {"active"}


@pytest.mark.parametrize("newer", ["Anna cooked a steak for Boris", "Anna did not eat the steak", "Anna has a knife"])
def test_what_does_not_exclude_it_opens_none(workspace: Workspace, newer: str) -> None:
    write(workspace, "Anna is vegetarian")

    assert write(workspace, newer) == "created"


def test_contradictions_shows_it_before_it_is_written(workspace: Workspace, engram: Engram) -> None:
    write(workspace, "Anna is vegetarian")

    found = engram("contradictions", "--entity", "people/anna", "--fact", "Anna ate a steak", "--json").json

    assert [(one["id"], one["kind"], one["why"]) for one in found["conflicts"]] == [
        ("people/anna-001", "contradiction", "vegetarian, and yet meat")
    ]
