"""What is read again brings no fact a second time, whomever it would be filed under by now."""

import pytest

from engram.heartbeat.run.options import RunOptions
from engram.heartbeat.run.runner import run_heartbeat
from engram.ports.database import FactFilter
from engram.workspace import Workspace
from tests.heartbeat.notes import put_note

pytestmark = pytest.mark.usefixtures("children_here")

TEXT = "- Marta Kowalczyk is the project manager on their side\n- Everything else waits until she is back\n"


def texts(workspace: Workspace) -> list[tuple[str, str, str]]:
    with workspace.reading() as database:
        return sorted(
            (fact.text, fact.entity, fact.status.value) for fact in database.list_facts(FactFilter(status="all"))
        )


def test_a_note_that_is_read_again_doubles_no_fact_under_another_entity(workspace: Workspace) -> None:
    put_note(workspace, "main/main/2026-02-10.md", TEXT)
    run_heartbeat(workspace, RunOptions(phases=("extraction",)))
    first = texts(workspace)
    workspace.submit("entity-add", {"path": "people/marta", "title": "Marta", "aliases": ["Marta Kowalczyk"]})

    run_heartbeat(workspace, RunOptions(phases=("extraction",), force=True))

    assert first
    assert texts(workspace) == first
