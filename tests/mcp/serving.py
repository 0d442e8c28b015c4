"""`engram mcp` as a real process, and the SDK's own client for it."""

import contextlib
import os
import socket
import subprocess
import sys
import time
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

from engram.mcp.http import PATH
from engram.workspace import Workspace

LONG_S = 120.0  # a machine that is busy with other things fails no test


def command(workspace: Workspace, *options: str) -> list[str]:
    return [sys.executable, "-m", "engram", "--workspace", str(workspace.paths.root), "mcp", *options]


def connect(workspace: Workspace, *options: str) -> Client:
    """Return a client whose server is started for it."""
    program, *arguments = command(workspace, *options)
    return Client(StdioServerParameters(command=program, args=arguments, env=dict(os.environ)))


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
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(command(workspace, "--http", str(port), *options), stdin=subprocess.DEVNULL)
    deadline = time.monotonic() + LONG_S
    try:
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}{PATH}"
    finally:
        process.kill()
        process.wait()


@contextlib.asynccontextmanager
async def connect_http(address: str, token: str) -> AsyncIterator[Client]:
    """Give a client that shows a token."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=LONG_S) as http,
        Client(streamable_http_client(address, http_client=http)) as client,
    ):
        yield client
