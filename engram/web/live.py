"""Server-sent events: the page hears when the store changed, and whether a heartbeat runs. Nothing is locked for it."""

import asyncio
import json
from collections.abc import AsyncIterator
from collections.abc import Callable
from typing import Any
from typing import Final

from starlette.concurrency import run_in_threadpool

from engram.base.log import warn
from engram.errors import EngramError
from engram.heartbeat.run.runner import heartbeat_lease
from engram.warm.warm_store import WarmStore

LOOK_S: Final = 0.5  # between two looks
_QUIET: Final = 30  # looks without news after which a line shows that the server is there


async def events(store: WarmStore, is_over: Callable[[], bool]) -> AsyncIterator[str]:
    """Yield the state when the page begins to listen, and whenever it changes; ends with the page or the server."""
    before: dict[str, Any] | None = None
    quiet = 0
    while not is_over():
        now = await run_in_threadpool(_state, store)
        quiet = 0 if now != before else quiet + 1
        if now != before and now is not None:
            yield f"event: state\ndata: {json.dumps(now)}\n\n"
        elif quiet >= _QUIET:
            quiet = 0
            yield ": still here\n\n"
        before = now
        await asyncio.sleep(LOOK_S)


def _state(store: WarmStore) -> dict[str, Any] | None:
    """Return how far the journal has come and since when a heartbeat runs; None while that cannot be told."""
    try:
        with store.reading() as workspace:
            holder = heartbeat_lease(workspace).holder()
            return {"position": workspace.journal.head()[0], "running": holder and holder.get("since")}
    except (EngramError, OSError) as problem:
        warn(f"the page cannot be told what changed: {problem}")
        return None
