"""A name becomes an entity on evidence from all notes, however long ago they were read."""

import pytest

from engram.heartbeat.run.options import RunOptions
from engram.heartbeat.run.runner import run_heartbeat
from engram.workspace import Workspace
from tests.heartbeat.notes import put_note

pytestmark = pytest.mark.usefixtures("children_here")


def entities(workspace: Workspace) -> list[str]:
    with workspace.reading() as database:
        return [entity.path for entity in database.list_entities()]


def test_the_third_mention_makes_an_entity_though_it_stands_in_another_run(workspace: Workspace) -> None:
    said = (
        "- In the morning we talked with Olga about the harbor",
        "- Later that day somebody saw Olga near the station",
        "## Decisions\n\n- We decided today that Olga reviews every release before it is shipped",
    )
    found = []
    for number, text in enumerate(said):
        put_note(workspace, f"main/main/2026-02-{number + 10}.md", f"# Day\n\n{text}\n")
        put_note(workspace, f"main/other/2026-01-{number + 10}.md", "- nothing much happened on that day\n" * 3)
        run_heartbeat(workspace, RunOptions(phases=("extraction",)))
        found.append(entities(workspace))

    assert ["people/olga" in paths for paths in found] == [False, False, True]


def test_a_name_that_was_said_twice_is_nobody_yet(workspace: Workspace) -> None:
    put_note(workspace, "main/main/2026-02-10.md", "- In the morning we talked with Olga about the harbor\n")
    run_heartbeat(workspace, RunOptions(phases=("extraction",)))
    put_note(workspace, "main/main/2026-02-11.md", "- We decided today that Olga reviews every single release\n")
    run_heartbeat(workspace, RunOptions(phases=("extraction",), force=True))

    assert "people/olga" not in entities(workspace)
