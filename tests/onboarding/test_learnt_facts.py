"""What setup shows of a memory that was just filled."""

from engram.cli.setup.begin_text import learnt_text
from engram.onboarding.execution import SetupReport
from engram.onboarding.first_reading import Captured
from engram.onboarding.learnt_facts import look_back
from engram.workspace import Workspace


def test_who_speaks_in_no_project_reads_the_name_of_their_own_program(workspace: Workspace) -> None:
    session = "openclaw/agent-main-main"
    turn = {"id": "turn-1", "session": session, "text": "I prefer tea"}
    workspace.submit("capture", {"session": session, "turns": [turn]})
    source = {"actor": "user", "session": session}
    workspace.submit("write", {"entity": "people/anna", "text": "I prefer tea", "create": True, "source": source})

    assert look_back(workspace).next_session.host == "OpenClaw"


def test_what_is_kept_apart_is_counted_and_said_with_the_command_that_lists_it(workspace: Workspace) -> None:
    own, before = "openclaw/agent-main-main", "openclaw/main-aaaa1111"  # after a reset nothing says which chat it was
    workspace.submit("session-add", {"name": before, "kind": "group"})
    for session, text in ((own, "I prefer tea"), (before, "I prefer short meetings"), (before, "I live in Riga")):
        source = {"source": {"actor": "user", "session": session}}
        workspace.submit("write", {"entity": "people/anna", "text": text, "create": True, **source})

    learnt = look_back(workspace)
    report = SetupReport([], Captured(3, 2, 0, ()), learnt)

    assert (learnt.facts, learnt.apart.facts, learnt.apart.sessions) == (1, 2, (before,))
    assert report.as_json()["kept_apart"] == {"facts": 2, "sessions": [before]}
    assert (
        "2 more facts were said in 1 conversation that is kept apart, as others than you may have spoken there; "
        "of what came before a reset OpenClaw does not say which chat it was: "
        f"engram facts --scope session:{before}; if nobody but you did: engram session open {before}"
    ) in learnt_text(report)
