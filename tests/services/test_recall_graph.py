"""Activation that spreads from the entities that a question names."""

import pytest

from engram.services.recall.retrieval.graph_leg import spread
from engram.workspace import Workspace
from tests.conftest import WorkspaceWith


def introduce(workspace: Workspace) -> None:
    facts = [
        ("people/anna", "Anna leads the lighthouse crew", ["projects/lighthouse"]),
        ("projects/lighthouse", "Bo repairs the lamp", ["people/bo"]),
        ("people/bo", "Bo sails to the mill", ["projects/mill"]),
        ("projects/mill", "The mill grinds rye", []),
        ("projects/bakery", "The bakery closes in May", []),
    ]
    for entity, text, related in facts:
        workspace.submit("write", {"entity": entity, "text": text, "related": related, "create": True})


@pytest.fixture
def team(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(introduce)


def activations(workspace: Workspace, *named: str, scopes: tuple[str, ...] = ("shared",)) -> dict[str, float]:
    with workspace.reading() as database:
        found = spread(database, named, scopes)
    return {fact.text: activation for fact, activation in found.values()}


def test_activation_falls_with_the_distance(team: Workspace) -> None:
    found = activations(team, "people/anna")

    assert list(found) == ["Anna leads the lighthouse crew", "Bo repairs the lamp"]
    assert found["Anna leads the lighthouse crew"] > found["Bo repairs the lamp"] > 0


def test_what_lies_between_two_named_entities_is_most_active_of_what_is_not_named(team: Workspace) -> None:
    found = activations(team, "people/anna", "people/bo")

    assert found["Bo repairs the lamp"] >= found["Bo sails to the mill"]
    assert "The bakery closes in May" not in found


def test_an_entity_without_neighbours_brings_its_own_facts(team: Workspace) -> None:
    assert activations(team, "projects/bakery") == {"The bakery closes in May": 1.0}


def test_nothing_named_brings_nothing(team: Workspace) -> None:
    assert activations(team) == {}


def test_private_facts_neither_come_nor_lead_on(team: Workspace) -> None:
    secret = {"entity": "projects/bakery", "text": "Bo owns it", "related": ["people/bo"], "scope": "session:demo"}
    team.submit("write", secret)

    assert activations(team, "projects/bakery") == {"The bakery closes in May": 1.0}
    assert "Bo sails to the mill" in activations(team, "projects/bakery", scopes=("shared", "session:demo"))
