"""Who may ask the page's server at all: a browser on this machine that opened the link, from a page of this server.

A page of somebody else in the same browser can send requests to loopback, also under a name of its own (DNS rebinding),
so the headers Host and Origin have to be ours. The link's token is exchanged for a cookie that only this server gets,
that no script reads, and that another site's page sends only when a person follows a link there; what it may do then is
show a view (OWASP, "Cross-Site Request Forgery Prevention").
"""

import secrets
import time
from http.cookies import CookieError
from http.cookies import SimpleCookie
from typing import Final
from urllib.parse import parse_qs
from urllib.parse import urlencode

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp
from starlette.types import Message
from starlette.types import Receive
from starlette.types import Scope
from starlette.types import Send

from engram.loopback.port import hosts
from engram.loopback.token import is_token

_POLICY: Final = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "worker-src": "'self'",
    "manifest-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}
HEADERS: Final = {
    "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in _POLICY.items()),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_SAFE: Final = ("GET", "HEAD")
_ONCE_S: Final = 60.0  # from the start, for a browser to open the page
_STALE = "This link is not, or no longer, good here.\nRun engram ui again, and open the link that it prints.\n"


class Guard:
    """Passes on what may be answered; anything else is refused and told nothing of the memory."""

    def __init__(self, app: ASGIApp, port: int, token: str, once: str = "") -> None:
        """Take what is behind the door, the port that it is served on, and the token of the link.

        `once` is a token that opens the page one time, within a minute: it stands in the command line of a browser that
        is started, which other accounts can read.
        """
        self._app = app
        self._hosts = frozenset(hosts(port))
        self._token = token
        self._once = once
        self._once_until = time.monotonic() + _ONCE_S
        self._cookie = f"engram_{port}"  # cookies do not tell ports apart
        self._secret = secrets.token_urlsafe(32)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request (ASGI)."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        answer = self._refusal(scope) or self._entry(scope) or self._app
        await answer(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> ASGIApp | None:
        """Return what is answered to a request that comes from elsewhere."""
        host, origin = _header(scope, b"host"), _header(scope, b"origin")
        if host not in self._hosts:
            return PlainTextResponse("this server is only for this machine\n", status_code=403)
        is_own = origin == f"http://{host}"
        if (origin is not None and not is_own) or (scope["method"] not in _SAFE and not is_own):
            return PlainTextResponse("this server answers only its own page\n", status_code=403)
        return None

    def _entry(self, scope: Scope) -> ASGIApp | None:
        """Return what exchanges the link's token for the cookie, or refuses who has neither; None lets pass."""
        given = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        shown = given.pop("token", [])
        if shown and scope["method"] in _SAFE:
            if len(shown) != 1 or not self._is_good(shown[0].encode()):
                return PlainTextResponse(_STALE, status_code=403)
            place = "/" + scope["path"].lstrip("/\\")  # never the name of another server
            entered = RedirectResponse(f"{place}?{rest}" if (rest := urlencode(given, doseq=True)) else place, 303)
            entered.set_cookie(self._cookie, self._secret, path="/", httponly=True, samesite="lax")
            return entered
        if is_token(self._secret, _cookie(scope, self._cookie).encode()):
            return None
        return PlainTextResponse(_STALE, status_code=403)

    def _is_good(self, said: bytes) -> bool:
        """Tell whether a token opens the page; one that does so once is used up."""
        if is_token(self._token, said):
            return True
        if not self._once or time.monotonic() > self._once_until or not is_token(self._once, said):
            return False
        self._once = ""
        return True


def _header(scope: Scope, name: bytes) -> str | None:
    """Return a header, or None; one that stands there twice is none that we know."""
    found = [value for key, value in scope["headers"] if key == name]
    return None if not found else found[0].decode("latin-1") if len(found) == 1 else ""


def _cookie(scope: Scope, name: str) -> str:
    said = SimpleCookie()
    try:
        said.load(_header(scope, b"cookie") or "")
    except CookieError:
        return ""
    return said[name].value if name in said else ""
