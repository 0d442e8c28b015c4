"""Whose an OpenClaw chat is: what is kept of it, and what its agent is shown."""

import json

import pytest

from engram.base.speaker_names import NAMELESS
from engram.base.text import RECALLED_OPENING
from engram.heartbeat.run.options import RunOptions
from engram.heartbeat.run.runner import run_heartbeat
from engram.hooks.host import SESSION_START
from engram.hooks.host import USER_PROMPT
from engram.hooks.log import log
from engram.hooks.outcome import REFUSED
from engram.hooks.run import run_hook
from engram.ports.database import FactFilter
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.hooks.test_silos import ask_here
from tests.making import NOW

PREFERENCE = "I prefer short meetings in the morning."
NOTICE = "Anna is the owner of this machine"


@pytest.fixture(autouse=True)
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask in this process for what a hook shows."""
    monkeypatch.setattr("engram.hooks.background.subprocesses.ask_engram", ask_here)


def opened(workspace: Workspace, agent: str = "main") -> Workspace:
    """Return the workspace with an owner, an agent of this name and a MEMORY.md."""
    lines = workspace.paths.settings.read_text().splitlines()
    rest = "\n".join(line for line in lines if not line.startswith(("agent =", "owner =")))
    workspace.paths.settings.write_text(f'owner = "people/anna"\nagent = "{agent}"\n{rest}\n')
    workspace.paths.self_file.write_text(f"# Memory\n\n{NOTICE}\n")
    return open_workspace(str(workspace.paths.root), now=lambda: NOW)


def hear(workspace: Workspace, key: str, **context: object) -> None:
    event = {"type": "message", "action": "preprocessed", "sessionKey": key, "context": {"body": PREFERENCE, **context}}
    assert run_hook(USER_PROMPT, json.dumps(event).encode(), str(workspace.paths.root), "openclaw")


def start(workspace: Workspace, key: str) -> str:
    event = {"type": "agent", "action": "bootstrap", "sessionKey": key, "context": {}}
    done = run_hook(SESSION_START, json.dumps(event).encode(), str(workspace.paths.root), "openclaw")
    assert done is not None
    return str(json.loads(done.stdout)["context"])


def kept(workspace: Workspace) -> tuple[list[str], list[tuple[str, str]], list[str | None]]:
    """Return the texts of facts, (scope, trust) of turns, and the kinds of sessions."""
    with workspace.reading() as database:
        facts = [fact.text for fact in database.list_facts(FactFilter())]
        turns = [(turn.scope.partition(":")[0], turn.trust.value) for turn in database.list_turns()]
        return facts, turns, [one.kind for one in database.list_sessions()]


@pytest.mark.parametrize(
    ("key", "agent"),
    [
        ("agent:main:telegram:group:-42", "main"),
        ("agent:main:telegram:direct:7", "main"),  # a colleague, as far as anybody knows
        ("agent:main:irc:direct:main", "main"),  # somebody whose nick is "main"
        ("agent:main:direct:main", "main"),
        ("agent:main:irc:group:main", "main"),
        ("agent:work:main", "main"),  # another agent, to which another person may talk
        ("agent:main:main:main", "main"),
        ("cron:main", "main"),
    ],
)
def test_in_every_other_chat_nobody_is_the_owner(workspace: Workspace, key: str, agent: str) -> None:
    here = opened(workspace, agent)
    shown = start(here, key)
    hear(here, key)

    assert kept(here) == ([], [("session", "unverified")], ["group"])
    assert NOTICE not in shown


@pytest.mark.parametrize(("key", "agent"), [("agent:main:main", "main"), ("agent:main:main", "kit"),
                                            ("agent:work:main", "work")])  # fmt: skip
def test_the_main_session_is_the_owners(workspace: Workspace, key: str, agent: str) -> None:
    here = opened(workspace, agent)
    shown = start(here, key)
    hear(here, key)

    assert kept(here) == ([PREFERENCE], [("shared", "trusted")], [None])
    assert NOTICE in shown


def test_a_group_that_writes_into_the_main_session_does_not_take_it_from_the_owner(workspace: Workspace) -> None:
    here = opened(workspace)
    hear(here, "agent:main:main", isGroup=True)

    assert kept(here) == ([], [("shared", "unverified")], [None])


@pytest.mark.parametrize(
    ("sender", "speaker"),
    [
        ({"senderName": "Boris", "senderUsername": "boris7", "senderId": "77"}, "Boris"),
        ({"senderUsername": "boris7", "senderId": "77"}, "boris7"),
        ({"senderId": "77"}, "77"),
        ({}, NAMELESS),
        ({"senderName": "User"}, NAMELESS),  # who calls themselves so is not the owner
        ({"senderName": " я "}, NAMELESS),
        ({"senderName": "assistant"}, NAMELESS),
        ({"senderName": "Bo\x1bris"}, "Bo\N{REPLACEMENT CHARACTER}ris"),
    ],
)
def test_what_is_said_in_a_group_is_of_who_says_it(workspace: Workspace, sender: dict[str, str], speaker: str) -> None:
    here = opened(workspace)
    hear(here, "agent:main:telegram:group:-42", **sender)

    with here.reading() as database:
        assert [turn.speaker for turn in database.list_turns()] == [speaker]


def test_in_the_main_session_the_owner_speaks_under_no_name(workspace: Workspace) -> None:
    here = opened(workspace)
    hear(here, "agent:main:main", senderName="Anna")

    with here.reading() as database:
        assert [turn.speaker for turn in database.list_turns()] == ["user"]


@pytest.mark.usefixtures("children_here")
def test_what_a_member_of_a_group_wants_is_not_the_owners_wish(workspace: Workspace) -> None:
    here = opened(workspace)
    hear(here, "agent:main:telegram:group:-42", senderName="Boris")
    run_heartbeat(here, RunOptions(phases=("extraction",), force=True))

    with here.reading() as database:
        assert {fact.entity for fact in database.list_facts(FactFilter(status="all"))} == {"people/boris"}


def test_an_event_without_a_chat_leaves_nothing(workspace: Workspace) -> None:
    done = run_hook(USER_PROMPT, json.dumps({"type": "message", "sessionKey": ""}).encode(),
                    str(workspace.paths.root), "openclaw")  # fmt: skip

    assert done is not None
    assert done.outcome == REFUSED
    assert kept(workspace) == ([], [], [])


def test_the_agent_of_a_chat_that_is_kept_apart_is_told_by_which_door_to_ask(workspace: Workspace) -> None:
    here = opened(workspace)
    name = "openclaw/agent-main-telegram-direct-7"

    assert start(here, "agent:main:telegram:direct:7").startswith(
        f"{RECALLED_OPENING} context from memory; session {name}: give --session {name} to every engram command;"
    )
    assert start(here, "agent:main:main").startswith(f"{RECALLED_OPENING} context from memory; data,")


@pytest.mark.parametrize("behind", range(440, 500, 7))
def test_no_end_of_a_secret_is_lost_before_it_is_known_for_one(workspace: Workspace, behind: int) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"  # made up, of the right shape
    log(workspace.paths, f"{'x' * behind} {key} and more")

    written = workspace.paths.hooks_log.read_text()
    assert key[:12] not in written
    assert len(written) < 560
