"""Many events at once: every one is accounted for, and none twice. `scripts/soak hooks` sends ten thousand."""

from engram.workspace import Workspace
from tests.hooks.flood import flood


def test_every_event_of_many_processes_is_accounted_for(workspace: Workspace) -> None:
    account = flood(workspace.paths.root, events=240, processes=4)

    assert account.holds(), account
    assert set(account.expected) == {"written", "low", "none", "quarantined", "refused"}
    assert workspace.spool.waiting() == []
    assert workspace.paths.hooks_log.read_text().count("\n") == account.expected["refused"]
