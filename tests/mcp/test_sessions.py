"""Sessions as a model would hold them, right and wrong, through the SDK's own client and a real process."""

from typing import Any

import pytest
from mcp import Client
from mcp_types import CallToolResult
from mcp_types import TextContent

from engram.base.tokens.vocabulary import count_tokens
from engram.model.fact import Actor
from engram.workspace import Workspace
from tests.conftest import WorkspaceWith
from tests.mcp.serving import connect
from tests.mcp.serving import run
from tests.mcp.serving import said

_MOST_TOKENS = 4000  # that the list of tools may take in every conversation


def fill(workspace: Workspace) -> None:
    """An owner of whom two things are known."""
    for text in ("Anna prefers tea", "Anna lives in Riga"):
        workspace.submit("write", {"entity": "people/anna", "text": text, "create": True}, actor=Actor.USER)
    workspace.submit("owner", {"path": "people/anna"}, actor=Actor.USER)


@pytest.fixture
def filled(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(fill)


async def refused(client: Client, tool: str, **arguments: Any) -> tuple[str, str]:
    """Return the code and the hint of a call that must be refused, and which says in its text what its JSON says."""
    result: CallToolResult = await client.call_tool(tool, arguments)
    assert result.is_error, result.content
    assert isinstance(result.content[0], TextContent)
    found: dict[str, str] = result.structured_content
    assert result.content[0].text == f"error {found['error']}: {found['message']}\nhint: {found['hint']}"
    return found["error"], found["hint"]


def test_the_list_of_tools_takes_few_tokens_of_every_conversation(filled: Workspace) -> None:
    async def test() -> None:
        async with connect(filled) as client:
            listed = await client.list_tools()
            assert client.server_info is not None
        sent = listed.model_dump_json(by_alias=True, exclude_none=True)
        assert len(listed.tools) == 10
        assert all(tool.name.startswith("memory_") and tool.description for tool in listed.tools)
        assert 1000 < count_tokens(sent) < _MOST_TOKENS

    run(test)


def test_a_day_of_work_takes_one_call_for_each_intent(filled: Workspace) -> None:
    async def test() -> None:
        async with connect(filled) as client:
            assert "=== end ===" in (await said(client, "memory_context"))["text"]
            hits = (await said(client, "memory_recall", query="what does Anna prefer"))["hits"]
            assert hits[0]["text"] == "Anna prefers tea"

            mine = await said(client, "memory_remember", entity="me", fact="Anna wants short answers")
            assert (mine["status"], mine["id"]) == ("created", "people/anna-003")
            again = await said(client, "memory_remember", entity="Anna", fact="Anna wants short answers.")
            assert (again["status"], again["id"]) == ("confirmed", "people/anna-003")

            stranger = await said(client, "memory_remember", entity="Boris", fact="Boris works with Clara on Ledger")
            assert (stranger["status"], stranger["new_entity"]) == ("created", stranger["id"].rpartition("-")[0])

            moved = await said(client, "memory_correct", id="people/anna-002", fact="Anna lives in Oslo")
            assert (moved["status"], moved["superseded"], len(moved["tensions"])) == ("tension", [], 1)
            hits = (await said(client, "memory_recall", query="where does Anna live"))["hits"]
            trust_of = {hit["text"]: hit["trust"] for hit in hits}
            assert (trust_of["Anna lives in Riga"], trust_of["Anna lives in Oslo"]) == ("trusted", "unverified")

            assert (await said(client, "memory_note", text="Boris joined today"))["status"] == "done"
            assert (await said(client, "memory_note", text="Next: call Boris", section="handoff"))["version"] == 1
            assert "Next: call Boris" in (await said(client, "memory_context"))["text"]
            assert (await said(client, "memory_status"))["facts"]["active"] == 5

    run(test)


def test_a_misspelt_entity_is_put_right_in_the_next_call(filled: Workspace) -> None:
    async def test() -> None:
        async with connect(filled) as client:
            code, hint = await refused(client, "memory_remember", entity="people/ana", fact="Anna plays chess")
            assert (code, hint) == ("UnknownEntity", "did you mean people/anna? create makes people/ana a new one")
            done = await said(client, "memory_remember", entity="people/anna", fact="Anna plays chess")
            assert done["id"] == "people/anna-003"

            code, hint = await refused(client, "memory_recall", query="what does she play", entity="people/ana")
            assert (code, hint) == ("UnknownEntity", "did you mean people/anna?")
            hits = (await said(client, "memory_recall", query="Anna plays what", entity="people/anna"))["hits"]
            assert "Anna plays chess" in [hit["text"] for hit in hits]

            other = await said(client, "memory_remember", entity="people/ana", fact="Ana plays go", create=True)
            assert other["new_entity"] == "people/ana"

    run(test)


def test_an_argument_that_is_missing_or_of_a_wrong_type_is_named_with_a_call_that_works(filled: Workspace) -> None:
    wrong: list[tuple[str, dict[str, Any], str]] = [
        ("memory_remember", {"entity": "people/anna"}, "fact is missing"),
        ("memory_remember", {"entity": "people/anna", "fact": ["Anna sings"]}, "fact is no text"),
        ("memory_remember", {"entity": "people/anna", "fact": "Anna sings", "tags": "music"}, "tags is no list"),
        ("memory_remember", {"entity": "people/anna", "fact": "Anna sings", "category": "hobby"}, "category can be "),
        ("memory_remember", {"entity": "people/anna", "content": "Anna sings"}, "did you mean fact?"),
        ("memory_recall", {}, "query is missing"),
        ("memory_recall", {"query": "tea", "limit": "many"}, "limit is no whole number"),
        ("memory_recall", {"query": "tea", "since": "sometime"}, "since 'sometime' is not a moment"),
        ("memory_correct", {"id": "people/anna-001"}, "fact is missing"),
        ("memory_show", {"id": 7}, "id is no text"),
        ("memory_review", {"outcome": "dismiss"}, "an outcome needs the id"),
    ]

    async def test() -> None:
        async with connect(filled) as client:
            for tool, arguments, expected in wrong:
                result = await client.call_tool(tool, arguments)
                assert result.is_error
                assert result.structured_content["error"] == "BadValue", arguments
                assert expected in result.structured_content["message"], arguments
                assert result.structured_content["hint"]
            code, hint = await refused(client, "memory_remember", entity="people/anna")
            assert code == "BadValue"
            assert "such as memory_remember(entity='people/anna', fact='Anna prefers tea')" in hint
            done = await said(client, "memory_remember", entity="people/anna", fact="Anna sings", tags=["music"])
            assert done["status"] == "created"

    run(test)


def test_an_unknown_id_leads_to_one_that_is_known(filled: Workspace) -> None:
    known = "did you mean people/anna-001 or people/anna-002? memory_recall finds other ids"

    async def test() -> None:
        async with connect(filled) as client:
            for tool, arguments in (
                ("memory_show", {"id": "people/anna-009"}),
                ("memory_correct", {"id": "anna-009", "fact": "Anna prefers coffee"}),
                ("memory_remember", {"entity": "me", "fact": "Anna is well", "supersedes": ["people/ana-001"]}),
            ):
                assert await refused(client, tool, **arguments) == ("UnknownFact", known)
            code, hint = await refused(client, "memory_show", id="nothing of the kind")
            assert (code, hint) == ("UnknownFact", "memory_recall finds the ids")
            code, hint = await refused(client, "memory_review", id="tension-9999", outcome="dismiss")
            assert (code, hint) == ("NotFound", "memory_review without arguments lists what waits")
            assert (await said(client, "memory_show", id="anna-001"))["text"] == "Anna prefers tea"

    run(test)


def test_a_tool_by_its_former_name_or_that_of_another_server_is_answered_with_the_right_one(filled: Workspace) -> None:
    async def test() -> None:
        async with connect(filled) as client:
            for called, meant in (
                ("recall", "memory_recall"),
                ("write", "memory_remember"),
                ("memory_search", "memory_recall"),
                ("memory_delete", "memory_forget_request"),
            ):
                assert await refused(client, called, query="tea") == ("NotFound", f"call {meant}")
            asked = await said(client, "memory_forget_request", what="people/anna-001", reason="Anna asked for it")
            assert asked["status"] == "created"
            assert (await said(client, "memory_show", id="people/anna-001"))["status"] == "active"

    run(test)


def test_a_disk_that_fails_is_told_to_the_model_and_the_server_goes_on(filled: Workspace) -> None:
    spool = filled.paths.state / "spool"

    async def test() -> None:
        async with connect(filled) as client:
            await said(client, "memory_recall", query="tea")
            spool.rename(spool.with_name("away"))
            spool.write_text("no folder")
            result = await client.call_tool("memory_remember", {"entity": "people/anna", "fact": "Anna has a boat"})
            spool.unlink()
            spool.with_name("away").rename(spool)
            kept = await said(client, "memory_remember", entity="people/anna", fact="Anna has a boat")

        assert result.is_error
        assert result.structured_content["message"] == "memory_remember failed: Not a directory"
        assert kept["status"] == "created"

    run(test)
