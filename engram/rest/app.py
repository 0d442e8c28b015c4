"""The application: requests to operations, with errors as problem details (RFC 9457). It decides nothing itself."""

import json
import re
from collections.abc import Collection
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from typing import Final
from typing import NamedTuple

from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.responses import Response
from starlette.types import Receive
from starlette.types import Scope
from starlette.types import Send

from engram.base.json_values import load_json
from engram.base.log import warn
from engram.base.telemetry import observed
from engram.base.text import require_plain
from engram.errors import BadValueError
from engram.errors import DegradedIndexError
from engram.errors import EngramError
from engram.errors import MalformedInputError
from engram.errors import NotFoundError
from engram.errors import RefusedError
from engram.errors import StoreBusyError
from engram.errors import UsageError
from engram.loopback.bearer import names_server
from engram.loopback.bearer import shows_token
from engram.model.commands.command import Outcome
from engram.model.commands.field_errors import wrong_field
from engram.rest.call import Call
from engram.rest.door import Door
from engram.rest.long_answer import answered
from engram.rest.openapi import description
from engram.rest.operations import OPERATIONS
from engram.rest.operations import Operation
from engram.warm.warm_store import WarmStore

DESCRIPTION: Final = "/openapi.json"
_MOST_BYTES: Final = 4 << 20  # of a body that is read
_FIRST: Final = 5  # wrong fields that an error names
_PROBLEM: Final = "application/problem+json"
_BUSY_S: Final = "5"  # after which to ask again
_STATUSES: Final = (
    (UsageError, HTTPStatus.BAD_REQUEST),
    (NotFoundError, HTTPStatus.NOT_FOUND),
    (RefusedError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (StoreBusyError, HTTPStatus.SERVICE_UNAVAILABLE),
    (DegradedIndexError, HTTPStatus.SERVICE_UNAVAILABLE),
)


class _Path(NamedTuple):
    """A path, and what can be done there."""

    pattern: re.Pattern[str]
    operations: Mapping[str, Operation]  # by method


class _HttpError(EngramError):
    """The request is none that this server answers."""

    default_hint = f"{DESCRIPTION} lists what there is"

    def __init__(self, status: HTTPStatus, message: str, *, hint: str = "", **headers: str) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class RestApp:
    """Answers requests from one store, as to whom the server was started for (ASGI)."""

    def __init__(self, store: WarmStore, door: Door, *, token: str, hosts: Collection[str]) -> None:
        """Take the store, as whom it is asked, the token to be shown, and the names that clients may call it by."""
        self._store = store
        self._door = door
        self._token = token
        self._hosts = frozenset(hosts)
        self._paths = _paths()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request (ASGI)."""
        answer = await self._answered(Request(scope, receive))
        answer.headers["Cache-Control"] = "no-store"
        answer.headers["X-Content-Type-Options"] = "nosniff"
        await answer(scope, receive, send)

    async def _answered(self, request: Request) -> Response:
        """Answer with a value or an error. A process boundary."""
        try:
            self._admit(request)
            path = request.scope["path"]  # decoded; an address that is made of it would lose "#" and "?"
            if path == DESCRIPTION:
                return await run_in_threadpool(lambda: JSONResponse(description()))
            operation, about = self._find(request.method, path)
            given = await _given(request, operation)
            key = _key(request, operation)
            return await run_in_threadpool(self._run, operation, about, given, key)
        except EngramError as problem:
            return _refusal(problem)
        except Exception as problem:  # noqa: BLE001 - the web handler: one bad request must not end the server
            warn(f"a request failed: {type(problem).__name__}: {problem}")
            said = f"it failed with {type(problem).__name__}"  # no more: what it says may be of what others keep
            return _refusal(EngramError(said, hint="the server's own output says more; engram doctor"))

    def _admit(self, request: Request) -> None:
        headers = request.scope["headers"]
        if not names_server(headers, self._hosts):
            said = "the request names another host than this server, or comes from a page of another site"
            raise _HttpError(HTTPStatus.FORBIDDEN, said, hint="engram serve --host NAME lets clients call it NAME")
        if not shows_token(headers, self._token):
            hint = "Authorization: Bearer TOKEN; engram serve --show-token prints it"
            is_shown = any(name == b"authorization" for name, _ in headers)
            said = "the token is not that of this workspace" if is_shown else "the token is missing"
            raise _HttpError(HTTPStatus.UNAUTHORIZED, said, hint=hint, WWW_Authenticate="Bearer")

    def _find(self, method: str, path: str) -> tuple[Operation, str]:
        """Return what a request asks for, and the id in its path."""
        for known in self._paths:
            if (match := known.pattern.fullmatch(path)) is not None:
                found = known.operations.get("GET" if method == "HEAD" else method)
                if found is None:
                    allowed = ", ".join(known.operations)
                    message = f"{path} does not take {method}"
                    raise _HttpError(HTTPStatus.METHOD_NOT_ALLOWED, message, hint=f"it takes {allowed}", Allow=allowed)
                return found, match.groupdict().get("id", "")
        raise _HttpError(HTTPStatus.NOT_FOUND, f"nothing is at {path}")

    def _run(self, operation: Operation, about: str, given: Any, key: str | None) -> Response:
        said = _read(operation, given)
        require_plain({"id": about})
        held = self._store.writing() if operation.writes else self._store.reading()
        with observed(f"{operation.method} {operation.path}", door="rest"), held as workspace:
            call = Call(workspace, self._door, about, key)
            call.require_own_id()
            value = operation.run(call, said)
            is_waiting = operation.writes and value.get("status") == Outcome.ACCEPTED
            return answered(value, HTTPStatus.ACCEPTED if is_waiting else HTTPStatus.OK)


def _paths() -> list[_Path]:
    by_path: dict[str, dict[str, Operation]] = {}
    for operation in OPERATIONS:
        by_path.setdefault(operation.path, {})[operation.method] = operation
    return [
        _Path(re.compile(path.replace("{id}", "(?P<id>[^/].*)"), re.DOTALL), operations)
        for path, operations in by_path.items()
    ]


async def _given(request: Request, operation: Operation) -> Any:
    """Return what a request says, as plain JSON: its query, or its body."""
    query = request.query_params
    if operation.method == "GET":
        lists = {name for name, field in operation.takes.model_fields.items() if "list" in str(field.annotation)}
        return {name: query.getlist(name) if name in lists else _single(name, query.getlist(name)) for name in query}
    for name in query:
        raise BadValueError(f"{name} is not a parameter of {operation.path}", hint="say it in the body, as JSON")
    body = await _body(request)
    if not body:
        return {}  # nothing said, such as to `confirm`; who says nothing need not say in which form
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        said = "the request does not say that it is JSON"
        raise _HttpError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, said, hint="Content-Type: application/json")
    try:
        return load_json(body)
    except ValueError as problem:
        raise MalformedInputError(
            f"the request is not JSON: {problem}", hint=f"{DESCRIPTION} describes it"
        ) from problem


def _key(request: Request, operation: Operation) -> str | None:
    """Return the id that the client chose for a change; raise BadValueError where twice would be done twice."""
    key = request.headers.get("Idempotency-Key") if operation.writes else None
    if key is not None and not operation.is_command:
        raise BadValueError(
            f"{operation.path} takes no Idempotency-Key", hint="without the header; twice is done twice"
        )
    return key


def _single(name: str, said: list[str]) -> str:
    if len(said) > 1:
        raise BadValueError(f"{name} is said {len(said)} times", hint="say it once")
    return said[0]


async def _body(request: Request) -> bytes:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST_BYTES:
            said = f"the request is longer than {_MOST_BYTES >> 20} MiB"
            raise _HttpError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, said, hint="send it in parts")
    return body


def _read(operation: Operation, given: Any) -> Any:
    """Return what an operation takes; raise BadValueError, which names what is wrong with it and what there is."""
    try:
        if operation.method == "GET":
            return operation.takes.model_validate(given)
        return operation.takes.model_validate_json(
            json.dumps(given), strict=True
        )  # a number is no text, and 1 not true
    except ValidationError as problem:
        found = problem.errors(include_url=False, include_input=False)[:_FIRST]
    known = ", ".join(operation.takes.model_fields) or "nothing"
    raise BadValueError("; ".join(map(_wrong, found)), hint=f"it takes: {known}; {DESCRIPTION} describes each")


def _wrong(one: Mapping[str, Any]) -> str:
    where = ".".join(str(part) for part in one["loc"]) or "the request"
    return wrong_field(where, one)


def _refusal(problem: EngramError) -> Response:
    """Return an error as problem details, with the code, sentence and hint of the command line."""
    status = next((known for kind, known in _STATUSES if isinstance(problem, kind)), HTTPStatus.INTERNAL_SERVER_ERROR)
    headers = {"Retry-After": _BUSY_S} if status == HTTPStatus.SERVICE_UNAVAILABLE else {}
    code = problem.code
    if isinstance(problem, _HttpError):
        status, headers, code = problem.status, problem.headers, problem.status.phrase.replace(" ", "")
    said = {"type": "about:blank", "title": status.phrase, "status": int(status), "detail": problem.message}
    said |= {"error": code, "hint": problem.hint}
    return _Problem({**said, "details": problem.details}, int(status), headers)


class _Problem(JSONResponse):
    """Problem details as JSON; what has no JSON form becomes its text."""

    media_type = _PROBLEM

    def render(self, content: Any) -> bytes:
        return json.dumps(content, ensure_ascii=False, default=str).encode("utf-8", "backslashreplace")
