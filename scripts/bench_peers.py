"""The same documents in Engram and in other engines of one process: scripts/bench peers [--documents N].

Peers are those of the group `bench` that are installed; what is missing is said. Each gets the same texts and, where it
can search by meaning, the same vectors of random directions; each answers with its ten best in its usual way: bm25s by
words, LanceDB by its hybrid query, sqlite by FTS5 and sqlite-vec fused by rank. Engram gives its whole answer, with
what is current, its dates and sources. `--data` adds how often the ten best hold what real questions are after.
"""

import argparse
import contextlib
import importlib
import statistics
import tempfile
import time
from collections import Counter
from collections import defaultdict
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any
from typing import NamedTuple
from typing import Protocol

from bench_scale import capture
from bench_scale import folder_size
from bench_scale import make_bench
from bench_scale import timed
from engram_with import use_random_vectors
from evaluation import Row
from evaluation import read_rows
from evaluation import share
from generated_text import Conversations
from generated_text import RandomEmbedder

from engram.config.sections.recall import EmbeddingSettings
from engram.operations.answers.ask import make_query
from engram.operations.answers.ask import recalling
from engram.services.recall.answer import Recall
from engram.store.embedding.choice import choose_embedder
from engram.workspace import Workspace

K = 10  # documents of an answer
LEG = 200  # candidates that sqlite's two searches are fused from
RANK_CONSTANT = 60  # of reciprocal rank fusion; Cormack, Clarke and Buettcher, SIGIR 2009
BATCH = 5000  # rows given at a time
GROUP = "scripts/venv bench installs it"
Vectors = Sequence[Sequence[float]]


class Peer(Protocol):
    """An engine with documents in it, numbered in their order."""

    def search(self, text: str, vector: Sequence[float]) -> list[int]:
        """Return the numbers of the ten best documents, best first."""
        ...


class Bm25s:
    """bm25s, words only, with its own English stop words and the Snowball stemmer."""

    name = "bm25s (words only)"

    def __init__(self, texts: Sequence[str], vectors: Vectors, folder: Path) -> None:
        """Index the texts; the vectors are not used."""
        import bm25s  # noqa: PLC0415 - may be missing
        import Stemmer  # noqa: PLC0415 - beside it

        del vectors
        self._tokenize, self._stemmer = bm25s.tokenize, Stemmer.Stemmer("english")
        self._index = bm25s.BM25(k1=0.9, b=0.4)
        self._index.index(self._tokens(list(texts)), show_progress=False)
        self._index.save(str(folder))
        self._count = min(K, len(texts))

    def search(self, text: str, vector: Sequence[float]) -> list[int]:
        """See Peer."""
        del vector
        found, _ = self._index.retrieve(self._tokens([text]), k=self._count, show_progress=False)
        return [int(number) for number in found[0]]

    def _tokens(self, texts: list[str]) -> Any:
        return self._tokenize(texts, stopwords="en", stemmer=self._stemmer, show_progress=False)


class Lance:
    """LanceDB: its full-text index and its vectors, fused by its hybrid query."""

    name = "LanceDB hybrid"

    def __init__(self, texts: Sequence[str], vectors: Vectors, folder: Path) -> None:
        """Fill a table and build its full-text index; below some 100,000 rows vectors are compared one by one."""
        import lancedb  # noqa: PLC0415 - may be missing
        import pyarrow as pa  # noqa: PLC0415 - beside it
        from lancedb.index import FTS  # noqa: PLC0415 - beside it

        kind = pa.list_(pa.float32(), len(vectors[0]))
        schema = pa.schema([("number", pa.int64()), ("text", pa.string()), ("vector", kind)])
        self._table = lancedb.connect(str(folder)).create_table("documents", schema=schema)
        for first in range(0, len(texts), BATCH):
            said, directions = texts[first : first + BATCH], pa.array(vectors[first : first + BATCH], kind)
            numbers = list(range(first, first + len(said)))
            self._table.add(pa.table([numbers, list(said), directions], schema=schema))
        self._table.create_index("text", config=FTS())

    def search(self, text: str, vector: Sequence[float]) -> list[int]:
        """See Peer."""
        asked = self._table.search(query_type="hybrid").vector(list(vector)).text(text).limit(K)
        return [int(row["number"]) for row in asked.to_list()]


class Sqlite:
    """sqlite: FTS5 (porter stemmer) and sqlite-vec, fused by reciprocal rank."""

    name = "sqlite FTS5 + sqlite-vec"

    def __init__(self, texts: Sequence[str], vectors: Vectors, folder: Path) -> None:
        """Fill both tables; sqlite-vec compares all vectors."""
        import sqlite_vec  # noqa: PLC0415 - may be missing

        self._pack = sqlite_vec.serialize_float32
        self._rows = extendable_sqlite().connect(str(folder / "documents.db"))
        self._rows.enable_load_extension(True)  # noqa: FBT003 - its signature is not ours
        sqlite_vec.load(self._rows)
        self._rows.execute("CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize='porter unicode61')")
        self._rows.execute(f"CREATE VIRTUAL TABLE meaning USING vec0(vector float[{len(vectors[0])}])")
        with self._rows:
            self._rows.executemany("INSERT INTO words(rowid, text) VALUES (?, ?)", enumerate(texts, 1))
            packed = ((number, self._pack(list(vector))) for number, vector in enumerate(vectors, 1))
            self._rows.executemany("INSERT INTO meaning(rowid, vector) VALUES (?, ?)", packed)

    def search(self, text: str, vector: Sequence[float]) -> list[int]:
        """See Peer."""
        words = " OR ".join('"' + word.replace('"', "") + '"' for word in text.split())
        by_words = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?"
        by_meaning = "SELECT rowid FROM meaning WHERE vector MATCH ? AND k = ? ORDER BY distance"
        scores: dict[int, float] = defaultdict(float)
        for query, asked in ((by_words, words), (by_meaning, self._pack(list(vector)))):
            for rank, (number,) in enumerate(self._rows.execute(query, (asked, LEG)), 1):
                scores[number - 1] += 1 / (RANK_CONSTANT + rank)
        return sorted(scores, key=lambda number: (-scores[number], number))[:K]


PEERS: dict[type[Any], tuple[str, ...]] = {
    Bm25s: ("bm25s",),
    Lance: ("lancedb", "pyarrow"),
    Sqlite: ("sqlite_vec",),
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="scripts/bench peers", description=__doc__)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--data", type=Path, help="folder with the evaluation sets")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting, for --data")
    options = parser.parse_args()
    present = [peer for peer in PEERS if not why_missing(peer)]
    for peer in PEERS:
        if why := why_missing(peer):
            print(f"{peer.name}: not measured, {why}")
    speed(present, options.documents, options.questions)
    if options.data is not None:
        quality(present, options.data, dict(pair.split("=", 1) for pair in options.set))


def why_missing(peer: type[Any]) -> str:
    """Return why a peer cannot be measured here; empty when it can."""
    for module in PEERS[peer]:
        try:
            importlib.import_module(module)
        except ImportError:
            return f"{module} is not installed ({GROUP})"
    if peer is Sqlite and extendable_sqlite() is None:
        return f"this Python's sqlite loads no extensions, and pysqlite3 is not installed ({GROUP})"
    return ""


def extendable_sqlite() -> Any:
    """Return a sqlite module that can load extensions, or None."""
    for name in ("pysqlite3", "sqlite3"):
        with contextlib.suppress(ImportError):
            module = importlib.import_module(name)
            if hasattr(module.Connection, "enable_load_extension"):
                return module
    return None


# --- speed -----------------------------------------------------------------------------------------------------------


def speed(present: Sequence[type[Any]], documents: int, questions: int) -> None:
    """Print what building, asking and keeping take, and how many times Engram's figure each is."""
    conversations, embedder = Conversations(), RandomEmbedder()
    texts = [conversations.text(number) for number in range(documents)]
    vectors = embedder.embed_passages(texts)
    asked = [conversations.question(number) for number in range(questions)]
    own = engram_speed(conversations, documents, asked)
    print(f"{'':28}{'built, documents/s':>20}{'p50 ms':>10}{'p95 ms':>10}{'times':>8}{'on disk MB':>12}")
    print_speed("Engram, the whole answer", own, own)
    for peer in present:
        with tempfile.TemporaryDirectory(prefix="engram-peer-") as scratch:
            folder = Path(scratch)
            begin = time.perf_counter()
            engine = peer(texts, vectors, folder)
            built = documents / (time.perf_counter() - begin)
            taken = ask(partial(search_by_both, engine, embedder), asked)
            print_speed(peer.name, Speed(built, taken, folder_size(folder)), own)


def search_by_both(engine: Peer, embedder: RandomEmbedder, text: str) -> list[int]:
    """Return what an engine finds by the words of a question and by its vector."""
    return engine.search(text, embedder.embed_query(text))


class Speed(NamedTuple):
    """What was measured of one engine."""

    built: float  # documents a second
    taken: list[float]  # seconds of each question
    size: int  # bytes on the disk


def ask(answer: Callable[[str], Any], questions: Sequence[str]) -> list[float]:
    """Return the seconds of each question, after a few that only warm up."""
    for text in questions[:5]:
        answer(text)
    return [timed(partial(answer, text)) for text in questions]


def engram_speed(conversations: Conversations, documents: int, questions: Sequence[str]) -> Speed:
    """Capture and index the documents in a workspace, and ask."""
    use_random_vectors()
    with tempfile.TemporaryDirectory(prefix="engram-peer-") as scratch:
        bench = make_bench(Path(scratch), documents, list(questions))
        built = timed(lambda: capture(bench, conversations)) + timed(bench.workspace.index.rebuild)
        with recalling(bench.workspace) as memory:
            taken = ask(lambda text: answer_of(bench.workspace, memory, text), questions)
        return Speed(documents / built, taken, folder_size(bench.workspace.paths.state))


def answer_of(workspace: Workspace, memory: Recall, text: str) -> list[str | None]:
    """Return the ids, as they were captured, of Engram's ten best."""
    return [hit.ref for hit in memory.answer(make_query(workspace, {"query": text, "limit": K})).hits]


def print_speed(name: str, one: Speed, own: Speed) -> None:
    """Print one line."""
    median, times = statistics.median(one.taken), statistics.median(one.taken) / statistics.median(own.taken)
    p95 = sorted(one.taken)[int(len(one.taken) * 0.95)]
    print(f"{name:28}{one.built:20.0f}{median * 1000:10.1f}{p95 * 1000:10.1f}{times:8.2f}{one.size / 1e6:12.0f}")


# --- quality ---------------------------------------------------------------------------------------------------------


def quality(present: Sequence[type[Any]], data: Path, settings: Mapping[str, str]) -> None:
    """Print how often the ten best of each peer hold a turn that answers, on the turns of real conversations."""
    groups = read_groups(data)
    if not groups:
        print(f"no locomo in {data}: quality is not measured")
        return
    embeddings = {key.removeprefix("embeddings."): value for key, value in settings.items()}
    embedder, why = choose_embedder(EmbeddingSettings.model_validate(embeddings))
    able = [peer for peer in present if embedder is not None or peer is Bm25s]
    print(f"locomo by turn, any@{K}, {why}; Engram's own figure is in scripts/bench recall --data")
    found: Counter[str] = Counter()
    for rows, questions in groups:
        texts = [f"{row['date']} {row['speaker']}: {row['text']}" for row in rows]
        asked = [(one["query"], embedder.embed_query(one["query"]) if embedder else []) for one in questions]
        vectors = embedder.embed_passages(texts) if embedder else [[] for _ in texts]
        for peer in able:
            for question, numbers in zip(questions, answers_of(peer, texts, vectors, asked), strict=True):
                gold = set(question.get("gold_audited") or question["gold"])
                found[peer.name] += not gold.isdisjoint(rows[number]["id"] for number in numbers)
                found["questions"] += bool(gold) and peer is able[0]
    for peer in able:
        print(f"{peer.name:28}{share(found[peer.name], found['questions'])} of {found['questions']}")


def read_groups(data: Path) -> list[tuple[list[Row], list[Row]]]:
    """Return documents and questions of each conversation."""
    groups: dict[str, tuple[list[Row], list[Row]]] = defaultdict(lambda: ([], []))
    for place, kind in enumerate(("docs", "queries")):
        for row in read_rows(data, f"locomo.{kind}"):
            groups[row["group"]][place].append(row)
    return list(groups.values())


def answers_of(
    peer: type[Any], texts: Sequence[str], vectors: Vectors, asked: Sequence[tuple[str, Sequence[float]]]
) -> list[list[int]]:
    """Return the numbers of the ten best texts for each question, given as its text and its vector."""
    with tempfile.TemporaryDirectory(prefix="engram-peer-") as scratch:
        engine: Peer = peer(texts, vectors, Path(scratch))
        return [engine.search(text, vector) for text, vector in asked]


if __name__ == "__main__":
    main()
