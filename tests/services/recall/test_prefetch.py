"""A question that is embedded before the index is held."""

from collections.abc import Sequence

import pytest

from engram.errors import EmbeddingError
from engram.services.recall.prefetch import PrefetchingEmbedder


class CountingEmbedder:
    """Tells how often it was asked, and fails for one question."""

    name = "counting"
    dimensions = 1

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        return [[float(len(text))] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        self.asked.append(text)
        if text == "bad":
            raise EmbeddingError("the service does not answer")
        return [float(len(text))]

    def closeness(self, question: str, cosine: float) -> float:
        if question == "scaleless":
            raise EmbeddingError("no scale")
        return cosine


@pytest.fixture
def inner() -> CountingEmbedder:
    return CountingEmbedder()


def test_a_foreseen_question_is_embedded_once(inner: CountingEmbedder) -> None:
    embedder = PrefetchingEmbedder(inner)
    embedder.prefetch("tea")

    assert [embedder.embed_query("tea"), embedder.embed_query("tea")] == [[3.0], [3.0]]
    assert inner.asked == ["tea"]


def test_another_question_is_embedded_as_ever(inner: CountingEmbedder) -> None:
    embedder = PrefetchingEmbedder(inner)
    embedder.prefetch("tea")

    assert embedder.embed_query("coffee") == [6.0]
    assert inner.asked == ["tea", "coffee"]


def test_what_goes_wrong_is_told_when_it_is_asked_and_not_tried_again(inner: CountingEmbedder) -> None:
    embedder = PrefetchingEmbedder(inner)
    embedder.prefetch("bad")

    for question in ("bad", "bad\nanna"):
        with pytest.raises(EmbeddingError, match="does not answer"):
            embedder.embed_query(question)
    assert inner.asked == ["bad"]


def test_a_question_after_a_bad_one_is_not_held_for_bad(inner: CountingEmbedder) -> None:
    embedder = PrefetchingEmbedder(inner)
    embedder.prefetch("bad")
    embedder.prefetch("tea")

    assert embedder.embed_query("tea") == [3.0]


def test_a_model_without_a_scale_still_has_its_vector(inner: CountingEmbedder) -> None:
    embedder = PrefetchingEmbedder(inner)
    embedder.prefetch("scaleless")

    assert embedder.embed_query("scaleless") == [9.0]


def test_everything_else_is_the_embedders_own(inner: CountingEmbedder) -> None:
    embedder = PrefetchingEmbedder(inner)

    assert (embedder.name, embedder.dimensions) == ("counting", 1)
    assert embedder.embed_passages(["a", "bb"]) == [[1.0], [2.0]]
    assert embedder.closeness("tea", 0.5) == 0.5
