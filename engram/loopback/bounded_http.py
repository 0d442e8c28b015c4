"""HTTP with bounds on what a client may send, and on how long it may take, before anything knows who it is."""

import asyncio
from typing import Any
from typing import Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_HEAD_BYTES: Final = 16 * 1024  # of the first line and the headers
MOST_BODY_BYTES: Final = 8 * 1024 * 1024  # more than the largest request that is answered
MOST_CONNECTIONS: Final = 256  # at a time; one more is closed at once
HEAD_S = 10.0  # that the first line and the headers may take, from the first byte or the connection on
BODY_S = 30.0  # that the rest of a request may take


class BoundedHttp(H11Protocol):
    """uvicorn's HTTP/1.1, which ends a connection that sends too much or too slowly."""

    _phase: Any = h11.IDLE  # what is waited for: the head (IDLE), the body (SEND_BODY), nothing of the client's (None)
    _deadline: asyncio.TimerHandle | None = None
    _body_bytes = 0  # of this request, what else came with it included

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as in uvicorn
        """Take a client, unless there are too many."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
            return
        self._deadline = self.loop.call_later(HEAD_S, transport.abort)

    def data_received(self, data: bytes) -> None:
        """Take bytes of a request, and end the connection when they are too many."""
        super().data_received(data)
        before, self._phase = self._phase, self._awaited()
        if self._phase is not before:
            self._set_deadline()
        if self._phase is not h11.SEND_BODY:
            self._body_bytes = 0
            return
        self._body_bytes += len(data)
        if self._body_bytes > MOST_BODY_BYTES:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the client."""
        if self._deadline is not None:
            self._deadline.cancel()
        super().connection_lost(exc)

    def _awaited(self) -> Any:
        state = self.conn.their_state
        if state is h11.IDLE:
            return h11.IDLE if self.conn.trailing_data[0] else None  # a head was begun; else it rests: see keep-alive
        return h11.SEND_BODY if state is h11.SEND_BODY else None

    def _set_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        if self._phase is not None:
            seconds = HEAD_S if self._phase is h11.IDLE else BODY_S
            self._deadline = self.loop.call_later(seconds, self.transport.abort)
