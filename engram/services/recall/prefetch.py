"""A model that is loaded, and has embedded the question, before the index is held: others wait for that lock."""

from collections.abc import Sequence
from contextlib import suppress

from engram.errors import EngramError
from engram.ports.index import Embedder


class PrefetchingEmbedder:
    """ports.index.Embedder that remembers the last question that it was told of, and what became of it."""

    def __init__(self, embedder: Embedder) -> None:
        """Wrap an embedder; loads nothing."""
        self._embedder = embedder
        self._question: str | None = None
        self._outcome: list[float] | EngramError = []
        self.name = embedder.name

    @property
    def dimensions(self) -> int:
        """See the port."""
        return self._embedder.dimensions

    def prefetch(self, question: str) -> None:
        """Embed a question that will be asked next; what goes wrong is told when it is asked."""
        self._question = question
        try:
            self._outcome = self._embedder.embed_query(question)
        except EngramError as problem:
            self._outcome = problem
            return
        with suppress(EngramError):
            self._embedder.closeness(question, 0.0)  # measures its scale once, and keeps it

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """See the port."""
        return self._embedder.embed_passages(texts)

    def embed_query(self, text: str) -> list[float]:
        """See the port."""
        if isinstance(self._outcome, EngramError):  # whatever is asked with it: names may have been added to it
            raise self._outcome
        return self._outcome if text == self._question else self._embedder.embed_query(text)

    def closeness(self, question: str, cosine: float) -> float:
        """See the port."""
        return self._embedder.closeness(question, cosine)
