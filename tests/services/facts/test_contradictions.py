"""What a statement would contradict: the attribute and the reason, in a workspace, with nothing written."""

from typing import Any

import pytest

from engram.services.facts.contradictions import find_contradictions
from engram.workspace import Workspace


def write(workspace: Workspace, text: str, entity: str = "people/anna", **options: Any) -> None:
    result = workspace.submit("write", {"entity": entity, "text": text, "create": True, **options})
    assert result.id is not None, result


def conflicts(workspace: Workspace, text: str, entity: str = "people/anna") -> list[tuple[str, str | None, str]]:
    with workspace.reading() as database:
        found = find_contradictions(database, entity, text, cross_entity=False)
    return [(one["kind"], one["attribute"], one["why"]) for one in found]


def test_two_values_of_one_attribute_name_the_attribute_and_both_values(workspace: Workspace) -> None:
    write(workspace, "Anna works at Acme")

    expected = [("attribute", "employer", "employer: Acme became Globex")]
    assert conflicts(workspace, "She is employed by Globex now") == expected


def test_the_value_that_the_writer_named_is_compared_too(workspace: Workspace) -> None:
    write(workspace, "Anna joined the harbour crew", attribute="company", value="Harbour Ltd")

    expected = [("attribute", "company", "company: Harbour Ltd became Globex")]
    assert conflicts(workspace, "Anna works at Globex") == expected


def test_a_value_that_changed_in_other_words_is_found_with_what_became_what(workspace: Workspace) -> None:
    write(workspace, "The kitchen renovation will cost $4,000 in total")

    (found,) = conflicts(workspace, "The cost of the kitchen renovation has now grown to $5,500")

    assert found[0] == "update"
    assert "$4,000 became $5,500" in found[2]


@pytest.mark.parametrize(
    "text",
    [
        "Anna's brother works at Globex",
        "Anna works at Acme as a designer",
        "Anna once visited Globex",
        "Anna likes tea",
    ],
)
def test_what_may_hold_beside_it_is_no_conflict(workspace: Workspace, text: str) -> None:
    write(workspace, "Anna works at Acme")

    assert conflicts(workspace, text) == []


def test_asking_writes_nothing(workspace: Workspace) -> None:
    write(workspace, "Anna works at Acme")
    before = workspace.journal.head()

    conflicts(workspace, "Anna works at Globex")

    assert workspace.journal.head() == before
