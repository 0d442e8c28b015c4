"""The models at hand: the one that the settings name, and the former one while its vectors are still searched."""

from collections.abc import Sequence

from engram.base.log import warn
from engram.errors import EmbeddingError
from engram.errors import EngramError
from engram.ports.index import Embedder
from engram.store.index.state import Model
from engram.store.index.state import Recipes
from engram.store.index.state import model_of


class Embedders:
    """Which embedder reads a question, by whose vectors are searched for it."""

    def __init__(self, present: Embedder | None, recipes: Recipes) -> None:
        """Take the embedder that the settings name, and how to have a former one again."""
        self.present = present  # None: there is none, or it cannot be used
        self.unusable = ""  # why it is not used, in a sentence
        self._recipes = recipes
        self._former: tuple[Embedder | None] | None = None  # the serving model made again, once it was tried

    def model(self) -> Model | None:
        """Return how the present embedder is known in an index; None when there is none that can be used."""
        if self.present is None:
            return None
        try:
            return model_of(self.present, self._recipes.present)
        except EmbeddingError as problem:  # such as a service that never told how long its vectors are
            self.present = None
            self.unusable = f"no embedding model: {problem.message} ({problem.hint})"
            return None

    def of(self, serving: Model | None) -> Embedder | None:
        """Return the embedder that made the vectors that are searched, made again when the settings name another."""
        if serving is None or (self.present is not None and self.present.name == serving.name):
            return self.present
        if self.present is None:
            return None
        if self._former is None:
            made = self._recipes.remake(serving.recipe)
            self._former = (made if made is not None and made.name == serving.name else None,)
        return self._former[0]

    def vector_of(self, question: str, serving: Model) -> Sequence[float] | None:
        """Return the vector of a question; None, with a warning where that is news, when none can be had."""
        embedder = self.of(serving)
        try:
            return None if embedder is None else embedder.embed_query(question)
        except EngramError as problem:  # such as an endpoint that does not answer
            warn(f"searched by words only: {problem.message} ({problem.hint})")
            return None

    def closeness(self, question: str, cosine: float, serving: Model | None) -> float | None:
        """Return how close a text lies to a question by the cosine of their vectors; None when no model can tell."""
        embedder = self.of(serving)
        try:
            return None if embedder is None else embedder.closeness(question, cosine)
        except EngramError as problem:  # such as an endpoint that does not answer
            warn(f"judged by words only: {problem.message} ({problem.hint})")
            return None
