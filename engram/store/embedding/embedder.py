"""ports.index.Embedder over any model: prepares texts, sorts batches, remembers vectors, centres questions."""

import functools
import math
import operator
import time
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence

from engram.errors import EmbeddingError
from engram.store.embedding.cache import EmbeddingCache
from engram.store.embedding.cache import packed
from engram.store.embedding.cache import text_key
from engram.store.embedding.cache import unpacked
from engram.store.embedding.centre import CENTRING_VERSION
from engram.store.embedding.centre import background
from engram.store.embedding.centre import centred
from engram.store.embedding.centre import mean
from engram.store.embedding.centre import script_of
from engram.store.embedding.model import PASSAGE_CHARACTERS
from engram.store.embedding.model import Role
from engram.store.embedding.model import TextModel
from engram.store.embedding.model import prepared

_OTHER_SCRIPTS = "latin"  # the background for questions in a script that has none
_SORTED_TOGETHER = 512  # texts that are brought into the order of their lengths; they come one such lot after another
_LEAST_SCALE = 0.01  # cosine between unrelated and equal texts, for a model that cannot tell them apart


class ModelEmbedder:
    """What recall and the index see of a model.

    `name` stamps the index: everything that the vectors of texts depend on. How questions are centred is not in it,
    because it changes no vector that is stored; `words` tells that too.
    """

    def __init__(self, model: TextModel, cache: EmbeddingCache | None = None) -> None:
        """Wrap a model; loads nothing."""
        self._model = model
        self._cache = cache
        self._length: int | None = None  # of the vectors, once it is known
        self.name = f"{model.name} ({model.scheme.words}, NFKC, {PASSAGE_CHARACTERS} characters)"

    @property
    def words(self) -> str:
        """The name, and how questions are treated."""
        centred = f"questions centred, version {CENTRING_VERSION}"
        return f"{self.name}, {centred if self._model.scheme.centred else 'questions as they are'}"

    @property
    def dimensions(self) -> int:
        """Numbers in a vector; embeds something only when nobody knows."""
        return self._known_length() or len(self._vectors(["dimensions"], "query")[0])

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one unit vector per text, in order. Raises EmbeddingError."""
        return self._vectors([prepared(text, "passage") for text in texts], "passage")

    def embed_within(
        self, texts: Sequence[str], budget_s: float | None, clock: Callable[[], float] = time.monotonic
    ) -> list[list[float] | None]:
        """Return for each text its unit vector if it is known, or could be made in time, else None; see the port."""
        asked = [prepared(text, "passage") for text in texts]
        known = self._known(asked, "passage", None if budget_s is None else clock() + budget_s, clock)
        found = [known.get(text_key("passage", text)) for text in asked]
        return [None if one is None else unpacked(one) for one in found]

    def embed_query(self, text: str) -> list[float]:
        """Return the unit vector of a question, centred where the model gains from it. Raises EmbeddingError."""
        asked = prepared(text, "query")
        (vector,) = self._vectors([asked], "query")
        script = script_of(asked) if self._model.scheme.centred else ""
        return centred(vector, self._centre(script)) if script else vector

    def _known_length(self) -> int | None:
        return self._length or self._model.dimensions or (self._cache.dimensions(self.name) if self._cache else None)

    def _check(self, vectors: list[list[float]]) -> None:
        """Refuse vectors of another length than was promised: a service may change its model unasked."""
        self._length = self._known_length() or len(vectors[0])
        if others := {len(vector) for vector in vectors} - {self._length}:
            message = f"{self._model.name} gives vectors of {min(others)} numbers instead of {self._length}"
            raise EmbeddingError(message, hint="engram config embeddings.model NAME tells one model from another")

    def closeness(self, question: str, cosine: float) -> float:
        """Return how close a text lies to a question: 0 like unrelated ones, 1 like the question itself as a text.

        Cosines of different models and scripts cannot be compared, these numbers can. Raises EmbeddingError.
        """
        unrelated, itself = self._scale(script_of(prepared(question, "query")) or _OTHER_SCRIPTS)
        return (cosine - unrelated) / max(itself - unrelated, _LEAST_SCALE)

    def _vectors(self, texts: Sequence[str], role: Role) -> list[list[float]]:
        known = self._known(texts, role)
        return [unpacked(known[text_key(role, text)]) for text in texts]

    def _known(
        self,
        texts: Sequence[str],
        role: Role,
        until: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> dict[bytes, bytes]:
        """Return the packed vectors of texts by their keys, making no further batch of new ones after `until`."""
        by_key = {text_key(role, text): text for text in texts}
        known = self._cache.find(self.name, list(by_key)) if self._cache else {}
        for batch in self._batches({key: text for key, text in by_key.items() if key not in known}):
            if until is not None and clock() >= until:
                break
            vectors = self._model.embed([by_key[key] for key in batch], role)
            self._check(vectors)
            # Fresh vectors are rounded like those that come from the cache, so that an answer does not depend on it.
            fresh = {key: packed(vector) for key, vector in zip(batch, vectors, strict=True)}
            if self._cache:
                self._cache.keep(self.name, fresh)
            known |= fresh
        return known

    def _batches(self, texts: dict[bytes, str]) -> Iterator[list[bytes]]:
        """Yield the keys of texts in batches: the first lot first, and in it the shortest."""
        keys = list(texts)
        size = self._model.batch_size
        for begin in range(0, len(keys), _SORTED_TOGETHER):
            # A batch costs what its longest text costs times its number: sorted by length, it is half the work.
            lot = sorted(keys[begin : begin + _SORTED_TOGETHER], key=lambda key: len(texts[key]))
            yield from (lot[first : first + size] for first in range(0, len(lot), size))

    @functools.cached_property
    def _scales(self) -> dict[str, list[float]]:
        return {}

    def _scale(self, script: str) -> list[float]:
        """Return the mean cosine of a script's background questions to one another as texts, and to themselves."""
        if script not in self._scales:
            key = text_key("scale", f"{CENTRING_VERSION} {script}")
            found = self._cache.find(self.name, [key]) if self._cache else {}
            if key not in found:
                # As long as every vector, because the cache tells the length of all from any of them.
                found = {key: packed([*self._measure_scale(script), *[0.0] * (self.dimensions - 2)])}
                if self._cache:
                    self._cache.keep(self.name, found)
            self._scales[script] = unpacked(found[key])[:2]
        return self._scales[script]

    def _measure_scale(self, script: str) -> list[float]:
        texts = background(script)
        questions = [self.embed_query(text) for text in texts]
        passages = self.embed_passages(texts)
        cosines = [[sum(map(operator.mul, one, other)) for other in passages] for one in questions]
        itself = [row[place] for place, row in enumerate(cosines)]
        others = [cosine for place, row in enumerate(cosines) for at, cosine in enumerate(row) if at != place]
        return [math.fsum(others) / len(others), math.fsum(itself) / len(itself)]

    def _centre(self, script: str) -> list[float]:
        if script not in self._centres:
            self._centres[script] = self._kept_centre(script)
        return self._centres[script]

    @functools.cached_property
    def _centres(self) -> dict[str, list[float]]:
        return {}

    def _kept_centre(self, script: str) -> list[float]:
        """Return the mean of the script's background questions: two dozen short texts, once for a model."""
        key = text_key("centre", f"{CENTRING_VERSION} {script}")
        if self._cache and (found := self._cache.find(self.name, [key])):
            return unpacked(found[key])
        questions = [prepared(text, "query") for text in background(script)]
        centre = packed(mean(self._vectors(questions, "query")))
        if self._cache:
            self._cache.keep(self.name, {key: centre})
        return unpacked(centre)
