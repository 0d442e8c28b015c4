"""Which points lack a vector, those first that are asked for most, and giving them theirs.

Facts come first, then what is dated, the latest day first, then the rest: what was said last is asked for most, and a
long past may take many heartbeats.
"""

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence

from engram.ports.index import Embedder
from engram.ports.index import Unembedded
from engram.store.index.engine import PAGE
from engram.store.index.engine import TEXT
from engram.store.index.engine import WORDS_ONLY
from engram.store.index.engine import Engine
from engram.store.index.engine import Payload
from engram.store.index.engine import Where
from engram.store.index.engine import pages
from engram.store.index.engine import point_id
from engram.store.index.payload import id_of

_BATCH = 32  # texts embedded between two looks at the clock
_FACTS = {"kind": ("fact",)}


def without(vector: str) -> Where:
    """Return what tells the points that are to have a vector, and have none."""
    return Where(lacks=vector, without=WORDS_ONLY)


def newest_without(engine: Engine, vector: str, limit: int) -> list[Payload]:
    """Return whole payloads of points that lack a vector, at most so many; fewer only when there are no more."""
    lacking = without(vector)
    rounds = ((lacking._replace(among=_FACTS), "position"), (lacking, "at_s"), (lacking, "position"))
    found: dict[str, Payload] = {}
    for where, field in rounds:
        if len(found) < limit:
            for payload in engine.last(where, order_by=field, limit=limit):
                found.setdefault(id_of(payload), payload)
    return list(found.values())[:limit]


def fill(engine: Engine, vector: str, embedder: Embedder, is_over: Callable[[], bool]) -> bool:
    """Embed what lacks a vector until nothing does, or it is over, and flush; return whether nothing lacks one."""
    while page := newest_without(engine, vector, PAGE):
        page.sort(key=lambda payload: len(payload[TEXT]))  # a batch is as slow as its longest text
        for first in range(0, len(page), _BATCH):
            if is_over():
                engine.flush()
                return False
            batch = page[first : first + _BATCH]
            made = embedder.embed_passages([payload[TEXT] for payload in batch])
            engine.set_vectors(vector, dict(zip((point_id(id_of(payload)) for payload in batch), made, strict=True)))
        engine.flush()
    return True


def give(engine: Engine, vector: str, made: Mapping[Unembedded, Sequence[float]]) -> None:
    """Give points the vectors that were made of them meanwhile; not those that are gone or have another text now."""
    by_id = {point_id(one.id): (one.text, numbers) for one, numbers in made.items()}
    for page in pages(by_id):
        held = {point_id(id_of(payload)): payload[TEXT] for payload in engine.fetch(page)}
        same = {key: by_id[key][1] for key in page if held.get(key) == by_id[key][0]}
        if same:
            engine.set_vectors(vector, same)
