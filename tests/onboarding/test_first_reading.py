"""The first reading of a machine's conversations: the newest first, and the rest by the heartbeat."""

from pathlib import Path

import pytest

from engram.hooks.background.drain_requests import take_in
from engram.importers.transcripts.places import find_transcripts
from engram.onboarding.first_reading import capture_newest
from engram.onboarding.first_reading import learn
from engram.services.context.block import ContextQuery
from engram.services.context.block import load_context
from engram.workspace import Workspace
from tests.newcomer.history import after
from tests.newcomer.history import write_changes
from tests.newcomer.history import write_past

pytestmark = pytest.mark.usefixtures("children_here")


def test_what_there_is_no_time_for_is_read_by_the_next_heartbeat(workspace: Workspace, tmp_path: Path) -> None:
    write_past(tmp_path)
    found = find_transcripts({}, tmp_path)

    first = capture_newest(workspace, found, most_s=0, lot_bytes=1)

    assert (first.files, first.left) == (1, 10)
    with workspace.reading() as database:
        (session,) = database.list_sessions()
    assert found[-1].path.stem.endswith(session.name[-36:])

    taken = take_in(workspace)
    again = capture_newest(workspace, found)

    assert first.turns + taken["captured"] == 68
    assert (again.turns, again.files, again.left) == (0, 11, 0)


def test_what_was_said_before_and_is_read_later_takes_the_place_of_nothing(
    workspace: Workspace, tmp_path: Path
) -> None:
    workspace.now = lambda: after(5)
    write_past(tmp_path)
    changes = len(write_changes(tmp_path))
    found = find_transcripts({}, tmp_path)

    capture_newest(workspace, found[-changes:])
    learn(workspace)
    capture_newest(workspace, found)
    learn(workspace)

    with workspace.reading() as database:
        asked = ContextQuery(budget=2000, project="projects/parcels")
        block = load_context(database, workspace.files, workspace.settings, asked, now=after(5)).text
    said = [line.partition(" (projects/")[0] for line in block.splitlines()]
    assert any("400 calls per hour" in line for line in said)
    assert any("PostgreSQL 17" in line for line in said)
    assert not any("250 calls per hour for parcels, more" in line for line in said)
    assert not any("keep shipments in PostgreSQL 16" in line for line in said)
    asked = asked.model_copy(update={"project": "projects/tidewatch"})
    with workspace.reading() as database:
        block = load_context(database, workspace.files, workspace.settings, asked, now=after(5)).text
    assert "6.1 metres" in block
    assert "is 6.4 metres" not in block


def test_a_conversation_that_went_since_it_was_found_keeps_no_other_from_being_read(
    workspace: Workspace, tmp_path: Path
) -> None:
    write_past(tmp_path)
    found = find_transcripts({}, tmp_path)
    found[-1].path.unlink()

    captured = capture_newest(workspace, found, most_s=600.0, lot_bytes=1)

    assert captured.files == len(found)
    assert len(captured.complaints) == 1
    with workspace.reading() as database:
        assert len(database.list_sessions()) == len(found) - 1
