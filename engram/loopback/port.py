"""A port of loopback, taken before anything is said about it."""

import contextlib
import socket
from collections.abc import Iterator

from engram.errors import RefusedError

HOST = "127.0.0.1"
NAMES = (HOST, "localhost", "[::1]")  # that a client on this machine may call it by


@contextlib.contextmanager
def taken_port(port: int, address: str = HOST) -> Iterator[socket.socket]:
    """Take a port of an address for a block, 0 for any that is free; raise RefusedError when it cannot be had.

    It does not listen yet.
    """
    with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind((address, port))
        except OSError as problem:
            raise RefusedError(
                f"port {port} cannot be used: {problem.strerror}", hint="choose another port"
            ) from problem
        yield taken


def hosts(port: int) -> list[str]:
    """Return what a header Host may say to a server on this port."""
    return [f"{name}:{port}" for name in NAMES]
