"""Vectors that are kept: found again, shared by processes, bounded, and never a reason to fail."""

import contextlib
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.store.embedding.cache import EmbeddingCache
from engram.store.embedding.cache import packed
from engram.store.embedding.cache import text_key
from engram.store.embedding.cache import unpacked
from engram.store.embedding.embedder import ModelEmbedder
from engram.store.embedding.model import Role
from engram.store.embedding.model import Scheme

LARGE = 1 << 30


class CountingModel:
    """One number for the length of a text and one for its role; remembers what it was asked."""

    batch_size = 4
    dimensions: int | None = 2

    def __init__(self, name: str = "counting", *, centred: bool = False) -> None:
        self.name = name
        self.scheme = Scheme(centred=centred)
        self.batches: list[list[str]] = []

    def embed(self, texts: Sequence[str], role: Role) -> list[list[float]]:
        self.batches.append(list(texts))
        return [[1.0, len(text) / 100 if role == "query" else -len(text) / 100] for text in texts]


def cache(folder: Path, most_bytes: int = LARGE) -> EmbeddingCache:
    return EmbeddingCache(folder / "cache", most_bytes=most_bytes)


def test_a_text_is_embedded_once(tmp_path: Path) -> None:
    model = CountingModel()

    first = ModelEmbedder(model, cache(tmp_path)).embed_passages(["tea", "coffee", "tea"])
    again = ModelEmbedder(model, cache(tmp_path)).embed_passages(["coffee", "tea", "milk"])

    assert model.batches == [["tea", "coffee"], ["milk"]]
    assert again[:2] == [first[1], first[0]]
    assert first[0] == first[2]


def test_without_a_cache_the_vectors_are_the_same(tmp_path: Path) -> None:
    texts = ["one third", "tea", "a longer text about nothing"]

    kept = ModelEmbedder(CountingModel(), cache(tmp_path))
    assert ModelEmbedder(CountingModel()).embed_passages(texts) == kept.embed_passages(texts)
    assert kept.embed_passages(texts) == kept.embed_passages(texts)


def test_models_and_roles_do_not_share(tmp_path: Path) -> None:
    one, other = CountingModel("one"), CountingModel("other")
    embedder = ModelEmbedder(one, cache(tmp_path))

    assert embedder.embed_query("tea") != embedder.embed_passages(["tea"])[0]
    ModelEmbedder(other, cache(tmp_path)).embed_query("tea")

    assert one.batches == [["tea"], ["tea"]]
    assert other.batches == [["tea"]]


def test_batches_are_sorted_by_length() -> None:
    model = CountingModel()

    ModelEmbedder(model).embed_passages([length * "x" for length in (9, 1, 30, 2, 17, 5)])

    assert [[len(text) for text in batch] for batch in model.batches] == [[1, 2, 5, 9], [17, 30]]


def test_the_background_of_a_script_is_embedded_once_for_all_processes(tmp_path: Path) -> None:
    model = CountingModel(centred=True)

    first = ModelEmbedder(model, cache(tmp_path)).embed_query("Where are the keys?")
    asked = len(model.batches)
    again = ModelEmbedder(model, cache(tmp_path)).embed_query("Where are the keys?")

    assert asked > 1
    assert len(model.batches) == asked
    assert first == again


def test_the_length_of_vectors_is_known_without_the_model(tmp_path: Path) -> None:
    class Shy(CountingModel):
        dimensions: int | None = None

    model = Shy()
    assert ModelEmbedder(model, cache(tmp_path)).dimensions == 2
    assert ModelEmbedder(model, cache(tmp_path)).dimensions == 2
    assert len(model.batches) == 1


def test_the_oldest_go_when_there_are_too_many(tmp_path: Path) -> None:
    kept = cache(tmp_path, 400_000)
    keys = [text_key("passage", str(number)) for number in range(1000)]

    for first in range(0, 1000, 50):
        kept.keep("model", {key: packed([0.5] * 384) for key in keys[first : first + 50]})

    found = kept.find("model", keys)
    assert 100 < len(found) < 500
    assert set(found) == set(keys[-len(found) :])
    assert kept.size()["bytes"] < 600_000


def test_what_no_cache_can_hold_is_not_an_endless_loop(tmp_path: Path) -> None:
    kept = cache(tmp_path, 1)

    kept.keep("model", {b"a" * 32: packed([1.0]), b"b" * 32: packed([1.0])})

    assert kept.find("model", [b"a" * 32, b"b" * 32]) == {}


@pytest.mark.parametrize("content", [b"no database at all, but longer than a header" * 100, b"SQLite format 3\0" * 300])
def test_a_damaged_file_is_set_aside(tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes) -> None:
    file = tmp_path / "cache" / "embeddings.sqlite"
    file.parent.mkdir()
    file.write_bytes(content)
    embedder = ModelEmbedder(CountingModel(), cache(tmp_path))

    vectors = embedder.embed_passages(["tea"])

    assert vectors == embedder.embed_passages(["tea"])
    assert [path.read_bytes() for path in file.parent.glob("damaged-*")] == [content]
    assert "damaged" in capsys.readouterr().err


def test_a_page_that_is_damaged_later_is_set_aside_too(tmp_path: Path) -> None:
    kept = cache(tmp_path)
    keys = [text_key("passage", str(number)) for number in range(500)]
    kept.keep("model", {key: packed([0.5] * 384) for key in keys})
    file = tmp_path / "cache" / "embeddings.sqlite"
    content = file.read_bytes()
    file.write_bytes(content[:8192] + b"\xff" * (len(content) - 8192))

    assert len(kept.find("model", keys)) < 500
    kept.keep("model", {keys[0]: packed([0.5] * 384)})
    assert keys[0] in kept.find("model", keys)


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    model = CountingModel()
    embedder = ModelEmbedder(model, cache(tmp_path))

    assert embedder.embed_passages(["tea"]) == embedder.embed_passages(["tea"])
    assert model.batches == [["tea"], ["tea"]]


@pytest.mark.parametrize("lock", ["IMMEDIATE", "EXCLUSIVE"])
def test_a_file_that_another_process_is_making_is_waited_for(tmp_path: Path, lock: str) -> None:
    kept = cache(tmp_path)
    file = tmp_path / "cache" / "embeddings.sqlite"
    file.parent.mkdir()
    with contextlib.closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
        other.execute("CREATE TABLE anything (number INTEGER)")
        other.execute(f"BEGIN {lock}")
        freed = threading.Timer(0.2, other.rollback)
        freed.start()

        kept.keep("model", {b"a" * 32: packed([1.0])})
        freed.join()

    assert kept.find("model", [b"a" * 32]) == {b"a" * 32: packed([1.0])}


def test_many_processes_write_at_once(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from engram.store.embedding.cache import EmbeddingCache, packed, text_key
kept = EmbeddingCache(Path(sys.argv[1]), most_bytes=1 << 30)
for number in range(30):
    kept.keep("model", {text_key(sys.argv[2], str(number)): packed([1.0, 2.0])})
"""
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "cache"), str(name)], stderr=subprocess.PIPE)
        for name in range(4)
    ]

    assert [(process.communicate()[1], process.returncode) for process in running] == [(b"", 0)] * 4
    keys = [text_key(str(name), str(number)) for name in range(4) for number in range(30)]
    assert len(cache(tmp_path).find("model", keys)) == 120


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=8))
def test_what_is_packed_comes_back_nearly_the_same(vector: list[float]) -> None:
    assert unpacked(packed(vector)) == pytest.approx(vector, abs=5e-4)


@given(st.text(), st.text())
def test_different_texts_have_different_keys(one: str, other: str) -> None:
    try:
        keys = text_key("query", one), text_key("query", other)
    except UnicodeEncodeError:
        return
    assert (keys[0] == keys[1]) is (one == other)
