"""Vectors for as long as there is time: known ones always, new ones in order, each made once."""

from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path

import pytest

from engram.base.clock import utc_now
from engram.config.sections.recall import EmbeddingSettings
from engram.model.conversation import NoteEntry
from engram.operations.setup import make_workspace
from engram.services.index.documents import note_document
from engram.services.index.documents import note_text
from engram.store.embedding.cache import EmbeddingCache
from engram.store.embedding.choice import choose_embedder
from engram.store.embedding.embedder import ModelEmbedder
from engram.workspace import open_workspace
from tests.store.embedding.making import make_model
from tests.store.embedding.test_cache import CountingModel


def ticking(step: float = 1.0) -> Callable[[], float]:
    """Return a clock that goes on by `step` seconds whenever it is read."""
    times: Iterator[float] = (step * place for place in range(1_000_000))
    return lambda: next(times)


def embedder(model: CountingModel, folder: Path) -> ModelEmbedder:
    return ModelEmbedder(model, EmbeddingCache(folder / "cache", most_bytes=1 << 30))


def test_no_batch_is_begun_when_the_time_is_over(tmp_path: Path) -> None:
    model = CountingModel()
    texts = [f"text {place}" for place in range(12)]

    found = embedder(model, tmp_path).embed_within(texts, 2.5, ticking())

    assert [len(batch) for batch in model.batches] == [4, 4]
    assert [one is not None for one in found] == [True] * 8 + [False] * 4


def test_without_time_there_is_what_is_known(tmp_path: Path) -> None:
    model = CountingModel()
    wanted = embedder(model, tmp_path)
    (known,) = wanted.embed_passages(["tea"])

    assert wanted.embed_within(["milk", "tea"], 0.0, ticking()) == [None, known]
    assert model.batches == [["tea"]]


def test_without_a_bound_all_are_made_and_none_twice(tmp_path: Path) -> None:
    model = CountingModel()
    wanted = embedder(model, tmp_path)
    texts = [f"{'long ' * (place % 7)}text {place}" for place in range(1100)]

    found = wanted.embed_within([*texts, *texts], None)

    assert found == wanted.embed_passages([*texts, *texts])
    assert sorted(text for batch in model.batches for text in batch) == sorted(texts)


def test_the_first_lot_comes_first_and_in_it_the_shortest(tmp_path: Path) -> None:
    model = CountingModel()
    texts = [f"{'x' * (600 - place)}" for place in range(600)]

    embedder(model, tmp_path).embed_within(texts, None)

    order = [text for batch in model.batches for text in batch]
    assert set(order[:512]) == set(texts[:512])
    assert order[:512] == sorted(order[:512], key=len)


def test_without_a_cache_vectors_are_made_all_the_same() -> None:
    assert ModelEmbedder(CountingModel()).embed_within(["tea"], None) == [[1.0, pytest.approx(-0.03, abs=1e-4)]]


def test_what_a_workspace_makes_of_a_note_is_what_its_index_asks_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAM_EMBEDDINGS", "folder")
    make_workspace(tmp_path / "w", {}, now=utc_now, force=False, dry_run=False)
    with (tmp_path / "w" / "engram.toml").open("a") as file:
        file.write(f'\n[embeddings]\nfolder = "{make_model(tmp_path / "tiny-e5")}"\n')
    workspace = open_workspace(str(tmp_path / "w"))
    entry = NoteEntry(
        id="n1",
        path="memory/2026-01-05.md",
        heading=("Tea",),
        text="yesterday we had tea in berlin",
        sha256="0" * 64,
        start=0,
        end=30,
        line=1,
        on="2026-01-05",
    )
    document = note_document(entry, workspace.settings.zone)
    assert workspace.index.passage_vectors is not None

    (vector,) = workspace.index.passage_vectors.embed_within([note_text(entry, workspace.settings.zone)], None)

    asked = workspace.index.passage_vectors.embed_within([document.indexed_text], 0.0)
    assert asked == [vector]
    assert vector is not None


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_change_no_vector(tmp_path: Path, threads: int) -> None:
    settings = EmbeddingSettings(provider="folder", folder=str(make_model(tmp_path / "tiny-e5")))
    alone, _ = choose_embedder(settings)
    many, _ = choose_embedder(settings, threads=threads)
    assert alone is not None
    assert many is not None

    texts = ["tea with milk", "чай", "flights to berlin in the spring"]
    assert many.embed_passages(texts) == alone.embed_passages(texts)
    assert many.name == alone.name
