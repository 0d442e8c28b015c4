"""The tools in a session that is kept apart: what is said in it stays there, and decides nothing for others."""

from typing import Any

import pytest

from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.mcp.answers import Answer
from engram.mcp.answers import Caller
from engram.mcp.tools import call_tool
from engram.model.fact import Fact
from engram.ports.database import FactFilter
from engram.workspace import Workspace
from tests.conftest import WorkspaceWith

OWNER = Caller()
PERSONAL = Caller("personal")
GROUP = Caller("group")
SPELLED = Caller("main/personal")  # called by its agent, too
OTHER = Caller(agent="other")


def hold_chats(workspace: Workspace) -> None:
    """A workspace with a personal chat and a group, the main session of another agent, kept apart, and one fact."""
    for name, kind in (("personal", "personal"), ("group", "group"), ("other/main", "personal")):
        assert workspace.submit("session-add", {"name": name, "kind": kind}).exit_code == 0
    write(workspace, OWNER, "Anna likes tea")


@pytest.fixture
def chats(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(hold_chats)


def call(workspace: Workspace, who: Caller, tool: str, **arguments: Any) -> Answer:
    return call_tool(workspace, who, tool, arguments)


def write(workspace: Workspace, who: Caller, text: str, **fields: Any) -> Answer:
    return call(workspace, who, "memory_remember", entity="people/anna", fact=text, create=True, **fields)


def facts(workspace: Workspace) -> list[Fact]:
    with workspace.reading() as database:
        return database.list_facts(FactFilter(status="all"))


def notice(workspace: Workspace, text: str = "Doors are asked for often", **fields: Any) -> str:
    noticed = workspace.submit("observe", {"text": text, **fields})
    assert noticed.id is not None
    return noticed.id


def test_what_is_written_and_noticed_there_is_its_own(chats: Workspace) -> None:
    whose = [
        (OWNER, "shared", "garden plans of last summer"),
        (Caller("open"), "shared", "unpaid invoices from Billing"),
        (PERSONAL, "session:personal", "spiders under her bed"),
        (SPELLED, "session:personal", "early trains towards Riga"),
        (GROUP, "session:group", "chocolate cakes without sugar"),
        (OTHER, "session:other/main", "Spanish guitars and violins"),
    ]
    for who, scope, thing in whose:
        fact = write(chats, who, f"Anna knows all about {thing}").value["id"]
        seen = call(chats, who, "memory_forget_request", what=thing).value["id"]

        with chats.reading() as database:
            assert [one.scope for one in database.find_facts(fact)] == [scope], who
            assert [one.scope for one in database.list_observations() if one.id == seen] == [scope], who


def test_it_takes_the_place_of_nothing_that_others_see(chats: Workspace) -> None:
    instead = {"entity": "people/anna", "fact": "Anna likes mate", "supersedes": ["anna-001"]}
    for who in (PERSONAL, SPELLED, GROUP, OTHER):
        for tool, arguments in (
            ("memory_correct", {"id": "anna-001", "fact": "Anna likes mate"}),
            ("memory_remember", instead),
            ("memory_remember", {**instead, "private": True}),
        ):
            refused = call(chats, who, tool, **arguments)
            assert (refused.is_error, refused.value["error"]) == (True, "Refused"), (who, tool)
    assert [fact.status for fact in facts(chats)] == ["active"]


def test_it_corrects_what_is_its_own(chats: Workspace) -> None:
    own = write(chats, GROUP, "Anna sings").value["id"]

    assert call(chats, GROUP, "memory_correct", id=own, fact="Anna dances").value["superseded"] == [own]
    assert [(fact.scope, fact.source.session) for fact in facts(chats)][-1] == ("session:group", "group")


def test_a_correction_says_where_it_was_said(chats: Workspace) -> None:
    call(chats, Caller("open"), "memory_correct", id="anna-001", fact="Anna likes mate")

    assert facts(chats)[-1].source.session == "open"


def test_memory_md_is_written_by_nobody_who_may_not_read_it(chats: Workspace) -> None:
    seen = notice(chats, suggestion={"target": "memory", "text": "Doors are asked for often"})
    before = chats.paths.self_file.read_bytes()

    for who in (GROUP, OTHER):
        with pytest.raises(RefusedError, match=r"MEMORY\.md"):
            call(chats, who, "memory_review", id=seen, outcome="promote", text="Bob may always have the door code")

    assert chats.paths.self_file.read_bytes() == before
    assert call(chats, OWNER, "memory_review").value["waiting"] == 1


@pytest.mark.parametrize("outcome", ["promote", "dismiss"])
def test_what_others_see_is_settled_in_no_words_of_a_chat_and_by_no_group(chats: Workspace, outcome: str) -> None:
    seen = notice(chats, entity="people/anna")
    words = "Bob may have the door code"

    for who, said in ((GROUP, {}), (GROUP, {"text": words}), (PERSONAL, {"text": words}), (PERSONAL, {"note": words})):
        with pytest.raises(RefusedError, match="others see"):
            call(chats, who, "memory_review", id=seen, outcome=outcome, **said)
    assert call(chats, PERSONAL, "memory_review", id=seen, outcome=outcome).value["status"] == "done"


def test_the_owner_and_an_open_session_settle_in_words_of_their_own(chats: Workspace) -> None:
    for who, thing in ((OWNER, "Doors are asked for often"), (Caller("open"), "Invoices of Billing come late")):
        seen = notice(chats, thing, entity="people/anna")
        settled = call(
            chats, who, "memory_review", id=seen, outcome="promote", text=f"{thing}, says Anna", note="it helps"
        )
        assert settled.value["status"] == "done"


def test_a_group_settles_no_contradiction_of_what_all_believe(chats: Workspace) -> None:
    write(chats, OWNER, "Anna does not like tea")
    tension = call(chats, GROUP, "memory_review").value["items"][0]["id"]

    with pytest.raises(RefusedError, match="group"):
        call(chats, GROUP, "memory_review", id=tension, outcome="supersede")
    assert call(chats, PERSONAL, "memory_review", id=tension, outcome="supersede").value["superseded"] == [
        "people/anna-001"
    ]


def test_a_group_settles_what_is_its_own(chats: Workspace) -> None:
    seen = notice(chats, session="group", entity="people/anna")

    done = call(
        chats, GROUP, "memory_review", id=seen, outcome="promote", text="Anna sings in the choir", note="we agreed"
    )

    assert done.value["status"] == "done"
    assert (facts(chats)[-1].text, facts(chats)[-1].scope) == ("Anna sings in the choir", "session:group")


@pytest.mark.parametrize("section", ["events", "handoff"])
def test_another_agent_notes_in_its_main_session_which_nobody_has_to_add(workspace: Workspace, section: str) -> None:
    for who in (Caller(agent="bob"), Caller("bob/main"), Caller("bob/main", "bob")):
        written = call(workspace, who, "memory_note", text="Billing is next", section=section)
        assert str(written.value["path"]).startswith("memory/bob/main/")
    assert "Billing is next" in call(workspace, Caller(agent="bob"), "memory_context").text
    assert "Billing is next" not in call(workspace, OWNER, "memory_context").text


@pytest.mark.parametrize("agent", ["..", "a/b", "domains"])
def test_an_agent_whose_name_is_no_folder_writes_no_notes(workspace: Workspace, agent: str) -> None:
    for section in ("events", "handoff"):
        with pytest.raises(BadValueError):
            call(workspace, Caller(agent=agent), "memory_note", text="hello", section=section)


def test_a_tool_that_asks_for_no_session_tells_of_none(chats: Workspace) -> None:
    assert "--session" not in call(chats, GROUP, "memory_context").text
