"""What setup shows of a memory that was just filled."""

from engram.onboarding.learnt_facts import look_back
from engram.workspace import Workspace


def test_who_speaks_in_no_project_reads_the_name_of_their_own_program(workspace: Workspace) -> None:
    session = "openclaw/agent-main-main"
    turn = {"id": "turn-1", "session": session, "text": "I prefer tea"}
    workspace.submit("capture", {"session": session, "turns": [turn]})
    source = {"actor": "user", "session": session}
    workspace.submit("write", {"entity": "people/anna", "text": "I prefer tea", "create": True, "source": source})

    assert look_back(workspace).next_session.host == "OpenClaw"
