"""The newest facts of a listing are those of the whole listing, however few are read for them."""

import datetime as dt

import pytest

from engram.services.facts.listing import FactQuery
from engram.services.facts.listing import Moment
from engram.services.facts.listing import list_facts
from engram.workspace import Workspace
from tests.making import NOW

ENDED = {"valid_from": "2025-01-01", "valid_to": "2025-02-01"}


@pytest.mark.parametrize("status", ["active", "ended", "all"])
def test_the_newest_are_the_last_of_all(workspace: Workspace, status: str) -> None:
    """Forty that have ended were recorded after twenty that hold, so that a few are not enough to read."""
    with workspace.writing("test") as recorder:
        for number in range(60):
            said = {"text": f"Kept {chr(97 + number // 26)}{chr(97 + number % 26)}", "create": True}
            args = {"entity": "projects/x", **said, **(ENDED if number >= 20 else {})}
            recorder.record([workspace.envelope("write", args)])
    moment = Moment(NOW, workspace.settings.decay, dt.UTC, caller=None)

    with workspace.reading() as database:
        every = list_facts(database, FactQuery(status=status), moment)
        for most in (1, 3, 25):
            newest = sorted(every, key=lambda view: view["id"])[-most:]  # of one moment, so the id decides
            assert list_facts(database, FactQuery(status=status, limit=most), moment) == newest
