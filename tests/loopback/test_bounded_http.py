"""Who does not show the token can neither keep the door busy nor fill its memory."""

import asyncio
import contextlib
import socket
from collections.abc import Awaitable
from collections.abc import Callable
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import Receive
from starlette.types import Scope
from starlette.types import Send

from engram.loopback import bounded_http
from engram.loopback.bounded_http import MOST_BODY_BYTES
from engram.loopback.bounded_http import MOST_HEAD_BYTES
from engram.loopback.bounded_http import BoundedHttp
from engram.mcp.http import TokenRequired

HEAD = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
TOKEN = b"Authorization: Bearer secret\r\n"
PIECE = b"x" * 65536


async def answer(scope: Scope, receive: Receive, send: Send) -> None:
    """Read a whole request, then say how long it was."""
    if scope["type"] != "http":
        return
    size, more = 0, True
    while more:
        message = await receive()
        size, more = size + len(message.get("body", b"")), message.get("more_body", False)
    await PlainTextResponse(str(size))(scope, receive, send)


@pytest.fixture
def short_deadlines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_http, "HEAD_S", 0.3)
    monkeypatch.setattr(bounded_http, "BODY_S", 0.3)


@contextlib.contextmanager
def bound() -> Iterator[socket.socket]:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield taken


Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[Any]]


def talked(talk: Talk) -> Any:
    """Return what a talk with a server behind its bounds came to."""

    async def serve() -> Any:
        config = uvicorn.Config(
            TokenRequired(answer, "secret"),
            http=BoundedHttp,
            lifespan="off",
            log_config=None,
            h11_max_incomplete_event_size=MOST_HEAD_BYTES,
        )
        server = uvicorn.Server(config)
        with bound() as taken:
            running = asyncio.create_task(server.serve(sockets=[taken]))
            while not server.started:
                await asyncio.sleep(0.01)
            reader, writer = await asyncio.open_connection(*taken.getsockname())
            try:
                async with asyncio.timeout(30):
                    return await talk(reader, writer)
            finally:
                writer.close()
                server.should_exit = True
                await running

    return asyncio.run(serve())


async def rest(reader: asyncio.StreamReader) -> bytes:
    """Return what comes until the connection is ended, in whichever way."""
    got = bytearray()
    with contextlib.suppress(ConnectionError):
        while piece := await reader.read(65536):
            got += piece
    return bytes(got)


async def poured(writer: asyncio.StreamWriter, pieces: int, piece: bytes = PIECE) -> int:
    """Send pieces until the connection is ended; return how many bytes were taken."""
    sent = 0
    with contextlib.suppress(ConnectionError):
        for _ in range(pieces):
            writer.write(piece)
            await writer.drain()
            sent += len(piece)
    return sent


def test_a_request_within_the_bounds_is_answered_and_the_next_one_on_the_same_connection(
    short_deadlines: None,
) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> tuple[bytes, bytes]:
        found = []
        for body in (b"one", b"three"):
            writer.write(HEAD + TOKEN + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
            found.append((await reader.readuntil(b"\r\n\r\n")) + await reader.readexactly(1))
            await asyncio.sleep(0.5)  # longer than any deadline: nothing is waited for
        return found[0], found[1]

    first, second = talked(talk)
    assert (first[:15], first[-1:]) == (b"HTTP/1.1 200 OK", b"3")
    assert (second[:15], second[-1:]) == (b"HTTP/1.1 200 OK", b"5")


@pytest.mark.parametrize("sent", [b"", b"POST /mcp HT", HEAD])
def test_a_head_that_does_not_end_is_not_waited_for(short_deadlines: None, sent: bytes) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(sent)
        return await rest(reader)

    assert talked(talk) == b""


def test_a_head_that_comes_byte_by_byte_gets_no_more_time(short_deadlines: None) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> int:
        async def drip() -> int:
            for count in range(200):
                writer.write(b"x")
                try:
                    await writer.drain()
                except ConnectionError:
                    return count
                await asyncio.sleep(0.05)
            return 200

        writer.write(HEAD)
        return await drip()

    assert talked(talk) < 100


def test_headers_without_end_are_refused() -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> tuple[int, bytes]:
        writer.write(HEAD)
        sent = await poured(writer, 10_000, b"X-More: " + b"y" * 1000 + b"\r\n")
        return sent, await rest(reader)

    sent, said = talked(talk)
    assert sent < 10_000 * 1010
    assert said[:12] in {b"", b"HTTP/1.1 400"}


@pytest.mark.parametrize("shown", [b"", TOKEN])
def test_a_body_without_end_is_cut_off(shown: bytes) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> int:
        writer.write(HEAD + shown + b"Content-Length: 1073741824\r\n\r\n")
        return await poured(writer, (1 << 30) // len(PIECE))

    assert talked(talk) < 4 * MOST_BODY_BYTES  # what the system's buffers hold included


def test_a_body_that_does_not_come_is_not_waited_for(short_deadlines: None) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(HEAD + TOKEN + b"Content-Length: 100\r\n\r\nabc")
        return await rest(reader)

    assert talked(talk) == b""


def test_without_the_token_the_answer_comes_before_the_body_and_ends_the_connection() -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(HEAD + b"Content-Length: 1073741824\r\n\r\n")
        return await rest(reader)

    said = talked(talk)
    assert said.startswith(b"HTTP/1.1 401")
    assert b"connection: close" in said.lower()


def test_more_connections_than_there_may_be_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_http, "MOST_CONNECTIONS", 3)

    async def talk(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> list[bytes]:
        port = writer.get_extra_info("peername")[1]
        more = [await asyncio.open_connection("127.0.0.1", port) for _ in range(4)]
        ended = [await rest(reader) for reader, _ in more[2:]]
        for _, one in more:
            one.close()
        return ended

    assert talked(talk) == [b"", b""]
