"""`engram mcp` on standard input and output: a real process, and the SDK's own client."""

import json
import os
import signal
import subprocess
import sys
from typing import Any

import anyio
import pytest
from mcp import MCPError

from engram.base.machine.install_hints import install_command
from engram.model.fact import Actor
from engram.workspace import Workspace
from tests.conftest import Engram
from tests.conftest import WorkspaceWith
from tests.mcp.serving import command
from tests.mcp.serving import connect
from tests.mcp.serving import run
from tests.mcp.serving import said
from tests.warm.serving import ping
from tests.warm.serving import until

QUESTION = "what does Anna prefer"
GUESTS = ("Boris", "Clara", "Dmitri", "Elena", "Farid", "Greta", "Hugo", "Irina", "Jonas", "Kira")
INITIALIZE: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def fill(workspace: Workspace) -> None:
    workspace.submit("write", {"entity": "people/anna", "text": "Anna prefers tea", "create": True}, actor=Actor.USER)


@pytest.fixture
def filled(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(fill)


def line(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"


def call(number: int, tool: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def test_the_client_of_the_sdk_lists_tools_resources_and_prompts(filled: Workspace) -> None:
    async def test() -> None:
        async with connect(filled) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert len(tools) == 10
            assert tools["memory_recall"].annotations is not None
            assert tools["memory_recall"].annotations.read_only_hint
            assert tools["memory_correct"].annotations is not None
            assert tools["memory_correct"].annotations.destructive_hint
            assert tools["memory_remember"].input_schema["required"] == ["entity", "fact"]
            resources = [str(one.uri) for one in (await client.list_resources()).resources]
            assert resources == ["engram://context", "engram://summary/people/anna"]
            read = await client.read_resource("engram://summary/people/anna")
            assert "Anna prefers tea" in str(read.contents[0].model_dump()["text"])
            templates = (await client.list_resource_templates()).resource_templates
            assert [one.uri_template for one in templates] == [
                "engram://summary/{kind}/{name}",
                "engram://domain/{name}",
            ]
            assert [one.name for one in (await client.list_prompts()).prompts] == ["review", "handoff"]
            assert (await client.get_prompt("review")).messages[0].role == "user"
            with pytest.raises(MCPError, match="no resource"):
                await client.read_resource("engram://summary/people/nobody")
            with pytest.raises(MCPError, match="no prompt"):
                await client.get_prompt("nothing")

    run(test)


def test_a_fact_that_is_written_is_recalled_and_known_to_the_command_line(filled: Workspace, engram: Engram) -> None:
    async def test() -> None:
        async with connect(filled) as client:
            assert [hit["text"] for hit in (await said(client, "memory_recall", query=QUESTION))["hits"]] == [
                "Anna prefers tea"
            ]
            done = await said(client, "memory_remember", entity="people/anna", fact="Anna sings in a choir")
            assert done["status"] == "created"
            hits = (await said(client, "memory_recall", query="who sings in a choir"))["hits"]
            assert hits[0]["text"] == "Anna sings in a choir"
            shown = await anyio.to_thread.run_sync(lambda: engram("show", "anna-002", "--json"))
            assert shown.json["source"]["actor"] == "agent"

    run(test)


def test_errors_are_typed_and_the_next_call_is_answered(filled: Workspace) -> None:
    async def test() -> None:
        async with connect(filled) as client:
            for tool, arguments, code in (
                ("memory_recall", {}, "BadValue"),
                ("memory_recall", {"query": ["x"]}, "BadValue"),
                ("memory_recall", {"query": "x", "entity": "people/nobody"}, "UnknownEntity"),
                ("memory_show", {"id": "people/nobody-001"}, "UnknownFact"),
                ("memory_remember", {"entity": "people/ana", "fact": "Ana sings"}, "UnknownEntity"),
                ("no_tool", {}, "NotFound"),
            ):
                result = await client.call_tool(tool, arguments)
                assert result.is_error
                assert result.structured_content["error"] == code
                assert result.structured_content["hint"]
                assert "Traceback" not in str(result.content)
            assert await said(client, "memory_recall", query=QUESTION)

    run(test)


def test_nothing_but_the_protocol_is_written_on_standard_output(filled: Workspace) -> None:
    messages: list[dict[str, Any]] = [INITIALIZE, {"jsonrpc": "2.0", "method": "notifications/initialized"}]
    messages += [
        call(2, "memory_recall", query=QUESTION),
        call(3, "memory_recall"),
        call(4, "memory_note", text="hello"),
    ]
    process = subprocess.Popen(
        command(filled), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ)
    )
    assert process.stdin is not None
    assert process.stdout is not None
    for message in messages:
        process.stdin.write(line(message))
        process.stdin.flush()
    heard = [json.loads(process.stdout.readline()) for _ in range(4)]
    rest, _ = process.communicate()

    assert rest == b""
    assert process.returncode == 0
    assert {one["id"] for one in heard} == {1, 2, 3, 4}
    assert all(one["jsonrpc"] == "2.0" for one in heard)


def test_what_is_no_message_does_not_end_the_server(filled: Workspace) -> None:
    process = subprocess.Popen(command(filled), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(os.environ))
    assert process.stdin is not None
    assert process.stdout is not None
    nonsense = [b"not JSON\n", b'{"jsonrpc": "2.0"}\n', b"[]\n", b"\xff\xfe\x00\n", b"\n"]
    for number, said_before in enumerate(nonsense, 1):
        asked = INITIALIZE if number == 1 else {"jsonrpc": "2.0", "id": number, "method": "ping"}
        process.stdin.write(said_before + line(asked))
        process.stdin.flush()
        while (heard := json.loads(process.stdout.readline())).get("id") != number:
            assert "result" not in heard
        assert "result" in heard, said_before
        if number == 1:
            assert heard["result"]["serverInfo"]["name"] == "engram"
    process.communicate()

    assert process.returncode == 0


def test_a_client_that_leaves_in_the_middle_of_a_call_leaves_a_store_that_works(
    filled: Workspace, engram: Engram
) -> None:
    process = subprocess.Popen(command(filled), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(os.environ))
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line(INITIALIZE))
    process.stdin.flush()
    process.stdout.readline()
    for number in range(2, 12):
        process.stdin.write(
            line(call(number, "memory_remember", entity="people/anna", fact=f"Anna knows song {number}"))
        )
    process.stdin.close()
    process.stdout.close()
    process.wait(60)

    assert engram("recall", QUESTION).code == 0
    assert engram("doctor", "--json").code == 0


def test_a_killed_server_leaves_nothing_that_keeps_others_from_working(filled: Workspace, engram: Engram) -> None:
    process = subprocess.Popen(command(filled), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(os.environ))
    until(lambda: (ping(filled) or {}).get("pid") == process.pid)
    assert process.stdin is not None
    process.stdin.write(line(INITIALIZE) + line(call(2, "memory_recall", query=QUESTION)))
    process.stdin.flush()
    process.send_signal(signal.SIGKILL)
    process.communicate()

    assert "Anna prefers tea" in engram("recall", QUESTION).out
    assert engram("write", "--entity", "people/anna", "--fact", "Anna sings").code == 0


def test_no_call_sees_beyond_the_session_that_the_server_was_started_for(workspace: Workspace) -> None:
    for name in ("personal", "group"):
        workspace.submit("session-add", {"name": name, "kind": name})
    for scope, text in (("session:personal", "Anna fears spiders"), ("shared", "Anna likes tea")):
        workspace.submit("write", {"entity": "people/anna", "text": text, "scope": scope, "create": True})

    async def hits(*options: str) -> set[str]:
        async with connect(workspace, *options) as client:
            return {
                hit["text"]
                for hit in (await said(client, "memory_recall", query="what about Anna, spiders, tea"))["hits"]
            }

    async def test() -> None:
        assert await hits("--session", "group") == {"Anna likes tea"}
        assert await hits("--session", "personal") == {"Anna likes tea", "Anna fears spiders"}

    run(test)


def test_two_servers_of_one_workspace_both_work_beside_a_heartbeat(filled: Workspace, engram: Engram) -> None:
    async def test() -> None:
        async with connect(filled) as first, connect(filled) as second, anyio.create_task_group() as group:
            beats = []
            group.start_soon(lambda: anyio.to_thread.run_sync(lambda: beats.append(engram("heartbeat", "run"))))
            for guest in GUESTS:
                for client in (first, second):
                    assert (await said(client, "memory_recall", query=QUESTION))["hits"]
                done = await said(second, "memory_remember", entity="people/anna", fact=f"Anna met {guest}")
                assert done["status"] == "created"
            while not beats:
                await anyio.sleep(0.1)
            assert [beat.code for beat in beats] == [0]

    run(test)


@pytest.mark.soak
def test_a_thousand_calls_at_once_are_all_answered(filled: Workspace) -> None:
    async def test() -> None:
        done: list[str] = []
        async with connect(filled) as client:

            async def ask(number: int) -> None:
                if number % 100 == 99:
                    result = await said(
                        client, "memory_remember", entity="people/anna", fact=f"Anna met {GUESTS[number // 100]}"
                    )
                    done.append(result["status"])
                elif number % 10 == 9:
                    wrong = await client.call_tool("memory_recall", {"query": number})
                    done.append(wrong.structured_content["error"])
                else:
                    done.append((await said(client, "memory_recall", query=QUESTION, limit=1))["answer"])

            async with anyio.create_task_group() as group:
                for number in range(1000):
                    group.start_soon(ask, number)
        assert {one: done.count(one) for one in set(done)} == {"found": 900, "BadValue": 90, "created": 10}

    run(test)


def test_without_the_sdk_one_sentence_says_what_to_install(filled: Workspace) -> None:
    code = "import sys; sys.modules['mcp'] = None; from engram.cli.main import main; sys.exit(main(sys.argv[1:]))"
    arguments = ["--workspace", str(filled.paths.root), "mcp"]
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "error: the package mcp is not installed",
        f"hint: {install_command('mcp')}",
    ]
    assert "'engram-heartbeat[mcp]'" in done.stderr
