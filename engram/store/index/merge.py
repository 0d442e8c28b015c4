"""Making a shard compact: its points merged into segments that are read from the disk, vectors also kept in 8 bits.

A shard that is only written to keeps its words in memory and reads them all when it is opened (measured at 100,000
documents: 0.5 s to open and 108 MB; merged: 0.06 s and 27 MB; at a million 0.5 s and 69 MB).

Merging takes some 5 kB a document in memory, so a large shard keeps segments of a bounded number of documents.
"""

import json
import math
import os
import threading
import uuid
from contextlib import suppress
from pathlib import Path

import qdrant_edge

from engram.base.disk.own_files import read_own
from engram.store.index.edge_engine import EdgeEngine
from engram.store.index.edge_engine import translated
from engram.store.index.engine import LEXICAL
from engram.store.index.engine import Payload
from engram.store.index.engine import Span
from engram.store.index.engine import Where
from engram.store.index.engine import pages
from engram.store.index.engine import point_id
from engram.store.index.payload import OF_FILES
from engram.store.index.payload import id_of

_NICENESS = 10
_GRAPH_FROM = 2_000_000  # documents from which the graph of neighbours (HNSW) is built
# Exact search over 8-bit vectors takes 4 ms at 100,000 and 34 ms at a million; the graph takes a quarter of an hour to
# build at a million on one core, for which every answer would wait or be made with a stale one.
_EDGES = 16  # of a node of the graph
_BUILDING_WIDTH = 100  # candidates looked at when a node is added
_QUANTILE = 0.99  # of a vector's numbers that 8 bits span
_SMALLEST_KB = 1000  # a segment of less is left as it is
_LARGEST_KB = 100_000_000  # no segment is too large to be merged
_SEGMENTS = 2  # read in parallel
SEGMENT_DOCUMENTS = 50_000  # for which a large shard has a segment: merging that many takes 250 MB, more of long texts


def merge(place: Path, count: int) -> None:
    """Merge the shard in a folder that nobody else uses, at low priority; `count` is how many documents it holds."""
    failed: list[BaseException] = []

    def work() -> None:
        with suppress(OSError, AttributeError):  # where priorities are those of whole processes
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
        try:
            _merge(place, count)
        except BaseException as problem:  # noqa: BLE001 - raised again by the caller's thread
            failed.append(problem)

    thread = threading.Thread(target=work, name="merge")
    thread.start()
    thread.join()
    if failed:
        raise failed[0]


def bring_up(fresh: EdgeEngine, current: EdgeEngine, since: int, *, notes: bool = True) -> None:
    """Give a copy what its original has taken in since it stood at a journal position: points, liveness, vectors.

    What comes from files has no place in the journal; `notes` says whether any of it may have changed.
    """
    changed = _ids(current, Where(within={"position": Span(since + 1, None)}))
    dead = Where({"live": (0,)})
    changed |= _ids(current, dead) ^ _ids(fresh, dead)
    for name in current.vector_names() & fresh.vector_names():
        changed |= _ids(fresh, Where(lacks=name)) - _ids(current, Where(lacks=name))
    if notes:
        then, now = _of_files(fresh), _of_files(current)
        changed |= {key for key, payload in now.items() if then.get(key) != payload}
        for page in pages(then.keys() - now.keys()):
            fresh.delete(page)
    for page in pages(changed):
        fresh.take_over(current, page)
    fresh.flush()


def segments_for(count: int) -> int:
    """Return how many segments so many documents may have; only beyond that the smallest are merged into one."""
    return max(_SEGMENTS, math.ceil(count / SEGMENT_DOCUMENTS) + 1)  # one of them takes what comes


def _of_files(engine: EdgeEngine) -> dict[uuid.UUID, Payload]:
    return {point_id(id_of(payload)): payload for payload in engine.scan(Where({"kind": OF_FILES}))}


def _ids(engine: EdgeEngine, where: Where) -> set[uuid.UUID]:
    return {point_id(id_of(payload)) for payload in engine.scan(where)}


def _merge(place: Path, count: int) -> None:
    cold = qdrant_edge.Memory.Cold
    graph = qdrant_edge.HnswIndexConfig(
        m=_EDGES if count >= _GRAPH_FROM else 0,
        ef_construct=_BUILDING_WIDTH,
        full_scan_threshold=_SMALLEST_KB,
        max_indexing_threads=1,
        memory=cold,
    )
    bytes_ = qdrant_edge.ScalarQuantizationConfig(qdrant_edge.ScalarType.Int8, quantile=_QUANTILE, memory=cold)
    known = json.loads(read_own(place / "edge_config.json")).get("vectors") or {}
    config = qdrant_edge.EdgeConfig(
        vectors={
            name: qdrant_edge.EdgeVectorParams(
                size=found["size"],
                distance=qdrant_edge.Distance.Cosine,
                memory=cold,
                quantization_config=bytes_,
                hnsw_config=graph,
            )
            for name, found in known.items()
        },
        sparse_vectors={LEXICAL: qdrant_edge.EdgeSparseVectorParams(modifier=qdrant_edge.Modifier.Idf, memory=cold)},
        hnsw_config=graph,
        optimizers=qdrant_edge.EdgeOptimizersConfig(
            indexing_threshold=_SMALLEST_KB, default_segment_number=segments_for(count), max_segment_size=_LARGEST_KB
        ),
    )
    with translated(place.parent):
        shard = qdrant_edge.EdgeShard.load(str(place), config)
        try:
            shard.optimize()
            shard.flush()
        finally:
            shard.close()
