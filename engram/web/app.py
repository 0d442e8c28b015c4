"""The application behind the guard: views as JSON, plans and changes, what goes on, and the files of the front end."""

import contextlib
import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any
from typing import Final

from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse
from starlette.responses import JSONResponse
from starlette.responses import PlainTextResponse
from starlette.responses import Response
from starlette.responses import StreamingResponse
from starlette.routing import Route

from engram.base.json_values import load_json
from engram.base.log import warn
from engram.errors import BadValueError
from engram.errors import EngramError
from engram.errors import MalformedInputError
from engram.errors import NotFoundError
from engram.errors import RefusedError
from engram.errors import StoreBusyError
from engram.errors import UsageError
from engram.warm.warm_store import WarmStore
from engram.web.asked import Asked
from engram.web.asked import Page
from engram.web.changes import ChangedError
from engram.web.changes import Writing
from engram.web.idle import Requests
from engram.web.live import events
from engram.web.prepared import PreparedGraph
from engram.web.prepared import as_json
from engram.web.reader import Reader

STATIC: Final = Path(__file__).parent / "static"  # made by front/build
VIEWS: Final = (
    "meta",
    "names",
    "today",
    "start",
    "entity",
    "fact",
    "promotion",
    "ask",
    "graph",
    "decay",
    "review",
    "heartbeat",
    "domains",
    "sessions",
    "health",
)
"""Names of views: a function of its name in a module of its name, answered at /api/NAME and /api/NAME/REST."""
READY: Final = "ready"  # behind `ask`: opens the index before there is a question
_MOST_BYTES: Final = 1 << 20  # of a body that is read
_STATUSES: Final = (
    (ChangedError, 409),
    (UsageError, 400),
    (NotFoundError, 404),
    (RefusedError, 422),
    (StoreBusyError, 503),
)

View = Callable[[Page, Asked], dict[str, Any]]


class Answers:
    """Answers requests from one store, to one reader."""

    def __init__(self, store: WarmStore, reader: Reader, is_over: Callable[[], bool]) -> None:
        """Take the store, who looks at it, and what tells that the server ends."""
        self._store = store
        self._is_over = is_over
        self._reader = reader
        self._requests = Requests()
        self._graph = PreparedGraph(store)

    def prepare(self) -> None:
        """Make the graph as soon as nobody waits for a view; what goes wrong is left to the view.

        The index is not opened here: that keeps every other thread from running, and only who asks something needs it.
        """
        self._requests.wait_until_quiet()
        with contextlib.suppress(EngramError, OSError):
            self._whole_graph()

    async def show(self, request: Request) -> Response:
        """Answer with one view."""
        name, rest = request.path_params["view"], request.path_params.get("rest", "")
        given = dict(request.query_params)
        with self._requests.answering():
            return await _answered(lambda: self._shown(name, rest, given))

    async def plan(self, request: Request) -> Response:
        """Answer with what a change would do."""
        body = await _body(request)
        return await _answered(lambda: self._written(body, is_plan=True))

    async def apply(self, request: Request) -> Response:
        """Make a change."""
        body = await _body(request)
        return await _answered(lambda: self._written(body, is_plan=False))

    async def live(self, _request: Request) -> Response:
        """Answer with events for as long as the page listens."""
        return StreamingResponse(events(self._store, self._is_over), media_type="text/event-stream")

    async def front(self, request: Request) -> Response:
        """Answer with the page, which reads its view from its address; beside that of Ask the index is opened."""
        asks = request.path_params["place"] == "ask"
        beside = BackgroundTask(self._store.warm_up) if asks else None
        return FileResponse(STATIC / "index.html", headers={"Cache-Control": "no-store"}, background=beside)

    def _shown(self, name: str, rest: str, given: dict[str, str]) -> dict[str, Any] | bytes:
        if name not in VIEWS:
            raise NotFoundError(f"no view is called {name!r}", hint="engram ui")
        if (name, rest) == ("ask", READY):
            self._store.warm_up()
            return {"ready": self._store.is_warm()}
        if name == "graph" and not rest and not any(given.values()):
            return self._whole_graph()
        view: View = getattr(import_module(f"engram.web.views.{name}"), name)
        with self._store.reading() as workspace:
            asked = Asked(given, rest, zone=workspace.settings.zone, now=workspace.now())
            return view(Page(workspace, self._reader.caller(workspace)), asked)

    def _whole_graph(self) -> bytes:
        with self._store.reading() as workspace:
            caller = self._reader.caller(workspace)
        return self._graph.answer(caller)

    def _written(self, body: bytes | EngramError, *, is_plan: bool) -> dict[str, Any]:
        if isinstance(body, EngramError):
            raise body
        try:
            said = load_json(body)
            json.dumps(said, ensure_ascii=False).encode()  # half a surrogate pair can be neither kept nor answered
        except ValueError as problem:
            raise MalformedInputError("the request is not JSON in UTF-8") from problem
        if not isinstance(said, dict):
            raise BadValueError("the request is no JSON object")
        with self._store.writing() as workspace:
            writing = Writing(workspace, self._reader.caller(workspace))
            return writing.plan(said) if is_plan else writing.apply(said)


def make_app(
    store: WarmStore,
    reader: Reader = Reader(),  # noqa: B008 - a value that never changes
    is_over: Callable[[], bool] = lambda: False,
) -> Starlette:
    """Return the application; who may ask it at all is the guard's to say. `is_over` tells that the server ends."""
    answers = Answers(store, reader, is_over)
    routes = [
        Route("/api/live", answers.live),
        Route("/api/plan", answers.plan, methods=["POST"]),
        Route("/api/apply", answers.apply, methods=["POST"]),
        Route("/api/{view}", answers.show),
        Route("/api/{view}/{rest:path}", answers.show),
        Route("/assets/{name}", _asset),
        Route("/{place:path}", answers.front),
    ]
    app = Starlette(routes=routes)
    app.state.prepare = answers.prepare  # for a thread that whoever serves it starts
    return app


async def _answered(work: Callable[[], dict[str, Any] | bytes]) -> Response:
    """Do work that blocks beside the loop, and answer with its value or its error. A process boundary."""
    try:
        return Response(await run_in_threadpool(lambda: _as_sent(work())), media_type="application/json")
    except EngramError as problem:
        status = next((status for kind, status in _STATUSES if isinstance(problem, kind)), 500)
        return JSONResponse({"error": _words(problem)}, status_code=status)
    except Exception as problem:  # noqa: BLE001 - the web handler: one bad request must not end the server
        warn(f"a request to the page failed: {type(problem).__name__}: {problem}")
        unknown = EngramError(f"{type(problem).__name__}: {problem}", hint="engram doctor; the log has the same words")
        return JSONResponse({"error": _words(unknown)}, status_code=500)


def _as_sent(value: dict[str, Any] | bytes) -> bytes:
    return value if isinstance(value, bytes) else as_json(value)


def _words(problem: EngramError) -> dict[str, Any]:
    details = {"details": problem.details} if problem.details else {}
    return {"code": problem.code, "message": problem.message, "hint": problem.hint, **details}


async def _body(request: Request) -> bytes | EngramError:
    """Return what was sent as JSON, or why it is not read."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        return BadValueError("the request says not that it is JSON")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST_BYTES:
            return BadValueError(f"the request is longer than {_MOST_BYTES >> 20} MiB")
    return body


async def _asset(request: Request) -> Response:
    """Answer with a file of the front end, whose name tells its version."""
    name = request.path_params["name"]
    file = STATIC / "assets" / name
    if name.startswith(".") or not file.is_file():
        return PlainTextResponse("there is no such file\n", status_code=404)
    return FileResponse(file, headers={"Cache-Control": "private, max-age=31536000, immutable"})
