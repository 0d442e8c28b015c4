"""A relay between a client and the server that cuts a connection at a chosen word of the client."""

import contextlib
import socket
import threading
from types import TracebackType
from typing import Self


class Relay:
    """Listens on a port of its own and passes everything on, until it is told otherwise."""

    def __init__(self, port: int) -> None:
        """Take the port of the server."""
        self._server_port = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self.cuts = 0
        self._word = b""
        self._lets_through = True
        self._open: list[socket.socket] = []

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listening.close()
        for one in self._open:
            one.close()

    def cut_at(self, word: bytes, *, lets_through: bool) -> None:
        """Cut the next connection whose client says the word; the server hears it first, or it does not."""
        self._word, self._lets_through = word, lets_through

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.create_connection(("127.0.0.1", self._server_port))
                self._open += [client, server]
                threading.Thread(target=self._pass, args=(client, server, True), daemon=True).start()
                threading.Thread(target=self._pass, args=(server, client, False), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, is_client: bool) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                if is_client and self._word and self._word in data:
                    self._cut(source, target, data)
                    return
                target.sendall(data)
        for one in (source, target):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def _cut(self, client: socket.socket, server: socket.socket, data: bytes) -> None:
        """Let the client hear nothing more; the server does what it was told, if it heard it."""
        self._word = b""
        self.cuts += 1
        client.shutdown(socket.SHUT_RDWR)
        if self._lets_through:
            server.sendall(data)
        else:
            server.shutdown(socket.SHUT_RDWR)
