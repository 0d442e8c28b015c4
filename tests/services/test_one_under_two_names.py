"""Doctor proposes to join entities that may be one, each with the command that does it, and is silent about others."""

import shlex

from engram.services.doctor.duplicate_entities import MOST
from engram.workspace import Workspace
from tests.conftest import Engram
from tests.services.commands.test_rearranging import done
from tests.services.commands.test_rearranging import said


def tell(workspace: Workspace, *told: tuple[str, dict[str, object]]) -> None:
    with workspace.writing("test") as recorder:
        recorder.record([workspace.envelope(kind, args) for kind, args in told])


def proposals(engram_here: Engram) -> list[dict[str, str]]:
    found = engram_here("doctor", "--json")
    return [one for one in found.json["findings"] if one["code"] == "entity-twice"]


def test_the_command_of_a_proposal_mends_it(workspace: Workspace, engram_here: Engram) -> None:
    tell(
        workspace,
        said("people/sergey", "Sergey likes chess"),
        said("people/sergey", "Sergey lives in Riga"),
        said("people/сергей", "Он играет в шахматы"),
        said("people/boris", "Boris sings"),
    )
    [proposal] = proposals(engram_here)
    assert proposal["level"] == "info"
    command = shlex.split(proposal["command"])
    assert command == ["engram", "entity", "merge", "people/сергей", "people/sergey"]
    assert engram_here(*command[1:]).code == 0
    assert proposals(engram_here) == []


def test_two_that_a_fact_speaks_of_together_are_two(workspace: Workspace, engram_here: Engram) -> None:
    tell(
        workspace,
        said("people/anna", "Anna is the aunt of Anna Petrova", related=["people/anna-petrova"]),
        said("people/anna-petrova", "Anna Petrova sings"),
    )
    assert proposals(engram_here) == []


def test_no_more_is_proposed_than_somebody_works_through(workspace: Workspace, engram_here: Engram) -> None:
    names = [f"n{chr(97 + number)}rek" for number in range(MOST + 3)]
    tell(workspace, *(said(f"people/{name}{end}", "sings") for name in names for end in ("", "-smith")))
    found = proposals(engram_here)
    assert len(found) == MOST + 1
    assert "3 more pairs" in found[-1]["message"]


def test_an_archived_entity_is_nobodys_twin(workspace: Workspace, engram_here: Engram) -> None:
    tell(workspace, said("people/anna", "Anna sings"), said("people/anna-petrova", "Anna Petrova sings"))
    assert len(proposals(engram_here)) == 1
    done(workspace, "entity-archive", path="people/anna")
    assert proposals(engram_here) == []
