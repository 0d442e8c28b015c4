"""Facts near a statement: by a model's closeness where there is one, by words elsewhere."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any
from typing import cast

from engram.model.document import Document
from engram.ports.index import VectorIndex
from engram.services.recall.nearest_facts import similar_facts

TEXTS = {"a": "Anna likes tea better than coffee", "b": "Anna lives in Lisbon", "c": "Anna prefers tea"}


class Scored:
    """An index that has given these cosines, with a model that calls half a cosine as close as the text itself."""

    def __init__(self, cosines: Mapping[str, float], *, has_model: bool = True) -> None:
        self._cosines = cosines
        self._has_model = has_model

    def search(self, *_: Any, **__: Any) -> dict[str, list[Any]]:
        return {"dense": [_hit(key, score) for key, score in self._cosines.items()], "words": [_hit("c", 3.0)]}

    def closeness(self, _: str, cosine: float) -> float | None:
        return 2 * cosine if self._has_model else None


def _hit(key: str, score: float) -> Any:
    return SimpleNamespace(document=_document(key), score=score)


def _document(key: str) -> Document:
    return cast("Document", SimpleNamespace(id=key, text=TEXTS[key]))


def found(index: Scored, text: str = "Anna prefers tea to coffee") -> list[tuple[str, float, str]]:
    return [
        (one["id"], one["similarity"], one["by"])
        for one in similar_facts(cast("VectorIndex", index), "people/anna", text)
    ]


def test_a_paraphrase_is_found_by_closeness_although_its_cosine_is_small() -> None:
    assert found(Scored({"a": 0.39, "b": 0.12})) == [("a", 0.78, "meaning"), ("c", 0.75, "words")]


def test_what_is_closer_than_the_text_itself_counts_as_the_same() -> None:
    assert found(Scored({"a": 0.6}))[0] == ("a", 1.0, "meaning")


def test_without_a_model_words_alone_tell() -> None:
    assert found(Scored({"a": 0.9}, has_model=False)) == [("c", 0.75, "words")]
