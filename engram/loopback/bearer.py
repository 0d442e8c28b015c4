"""What a client of a server on this machine has to show: its name for the server, its origin, and the token.

A page in a browser can make requests to loopback under a name of its own (DNS rebinding), so Host and Origin have to be
those of the server itself.
"""

from collections.abc import Collection
from collections.abc import Iterable
from typing import Final

from engram.loopback.token import is_token

_SCHEME: Final = b"bearer "

Headers = Iterable[tuple[bytes, bytes]]


def shows_token(headers: Headers, token: str) -> bool:
    """Tell whether a request shows the token, once, as `Authorization: Bearer TOKEN`."""
    shown = [value for name, value in headers if name == b"authorization"]
    if len(shown) != 1 or not shown[0].lower().startswith(_SCHEME):
        return False
    return is_token(token, shown[0][len(_SCHEME) :].strip())


def names_server(headers: Headers, hosts: Collection[str]) -> bool:
    """Tell whether a request names this server, and comes from no page of another one."""
    said = list(headers)
    host = [value.decode("latin-1") for name, value in said if name == b"host"]
    origins = [value.decode("latin-1") for name, value in said if name == b"origin"]
    return len(host) == 1 and host[0] in hosts and all(origin == f"http://{host[0]}" for origin in origins)
