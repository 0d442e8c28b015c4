"""The graph as it goes to the browser, made once for each state of the store: of a large one it takes a second."""

import json
import threading
from typing import Any
from typing import Final

from engram.base.clock import local_day
from engram.services.graph.entity_graph import GraphQuery
from engram.services.graph.replay import read_replay
from engram.services.graph.replay import replay
from engram.services.visibility import Caller
from engram.warm.warm_store import WarmStore
from engram.web.asked import Page

_SEPARATORS: Final = (",", ":")


def as_json(value: Any) -> bytes:
    """Return a value as it is sent."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=_SEPARATORS).encode()


class PreparedGraph:
    """Answers with the graph of now to one reader; safe for threads, of which one makes it and the others wait."""

    def __init__(self, store: WarmStore) -> None:
        """Take the store; nothing is read yet."""
        self._store = store
        self._one_maker = threading.Lock()
        self._made_of: object = None
        self._made = b""

    def answer(self, caller: Caller | None) -> bytes:
        """Return what `services.graph.replay` tells, as JSON. The store is held only while it is read."""
        with self._one_maker:
            with self._store.reading() as workspace:
                page = Page(workspace, caller)
                moment, ontology = page.moment(), page.ontology()
                query = GraphQuery(moment, ontology=ontology)
                with workspace.reading() as database:
                    today = local_day(moment.now, moment.zone)
                    made_of = (database.position(), today, moment.decay, moment.zone, caller, ontology.types)
                    if made_of == self._made_of:
                        return self._made
                    counted = read_replay(database, query)
            made = as_json(replay(counted, query))
            self._made_of, self._made = made_of, made
            return made
