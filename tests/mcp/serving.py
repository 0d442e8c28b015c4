"""`engram mcp` as a real process, and the SDK's own client for it."""

import contextlib
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from collections.abc import Awaitable
from collections.abc import Callable
from collections.abc import Iterator
from typing import Any

import anyio
import httpx2
from mcp import Client
from mcp import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from engram.workspace import Workspace
from tests import forked

LONG_S = 120.0  # a machine that is busy with other things fails no test


def command(workspace: Workspace, *options: str) -> list[str]:
    return [sys.executable, "-m", "engram", "--workspace", str(workspace.paths.root), "mcp", *options]


def connect(workspace: Workspace, *options: str) -> Client:
    """Return a client whose server is started for it: a process that is forked, for loading the SDK takes a second."""
    program = forked.door(workspace.paths.root.parent / "engram-mcp")
    arguments = command(workspace, *options)[3:]
    return Client(StdioServerParameters(command=str(program), args=arguments, env=dict(os.environ)))


def run(test: Callable[[], Awaitable[Any]]) -> Any:
    """Run a test that waits."""

    async def bounded() -> Any:
        with anyio.fail_after(LONG_S):
            return await test()

    return anyio.run(bounded)


async def said(client: Client, tool: str, **arguments: Any) -> Any:
    """Return what a tool says as JSON; it must not be an error."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content


@contextlib.contextmanager
def http_process(workspace: Workspace, *options: str) -> Iterator[str]:
    """Run `engram mcp --http` until the end of the block; give its address."""
    process = subprocess.Popen(
        command(workspace, "--http", "0", *options), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    try:
        said = next(line for line in process.stderr if line.startswith("serving on http://127.0.0.1:"))
        yield said.split()[-1]
    finally:
        process.kill()
        process.communicate()


@contextlib.asynccontextmanager
async def connect_http(address: str, token: str) -> AsyncIterator[Client]:
    """Give a client that shows a token."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=LONG_S) as http,
        Client(streamable_http_client(address, http_client=http)) as client,
    ):
        yield client
