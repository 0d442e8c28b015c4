"""A folder with an ONNX graph and a tokenizer, run directly: the vectors that fastembed gives, without its half second.

Importing fastembed takes 0.5 s, most of it to be able to download. What runs the graph (`onnx_run`) is loaded when
something is embedded.
"""

import functools
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from engram.base.machine.install_hints import install_command
from engram.errors import EmbeddingError
from engram.store.embedding.json_file import read_object
from engram.store.embedding.model import Role
from engram.store.embedding.model import Scheme

if TYPE_CHECKING:
    from engram.store.embedding.onnx_run import OnnxRun

_BATCH = 8  # texts embedded at a time: sorted by length, 32 take 14 % more of the processor, and cannot be stopped
_HINT = "engram config embeddings status tells which model is used; engram config embeddings.provider NAME changes it"


class OnnxModel:
    """store.embedding.model.TextModel over a folder. Loads nothing until something is embedded."""

    batch_size = _BATCH

    def __init__(self, folder: Path, *, file: str, name: str, digest: str, scheme: Scheme) -> None:
        """Take the folder, the graph's file in it, the model's name and scheme, and what names its content."""
        self.folder = folder
        self._file = folder / file
        self._digest = digest
        self.threads = 1  # of the processor; read when the graph is loaded
        self.name = name
        self.scheme = scheme

    @functools.cached_property
    def dimensions(self) -> int | None:
        """What config.json says; the graph itself is not loaded for it."""
        size = read_object(self.folder / "config.json").get("hidden_size")
        return size if isinstance(size, int) and size > 0 else None

    def embed(self, texts: Sequence[str], role: Role) -> list[list[float]]:
        """See the port."""
        put = [self.scheme.prefixed(text, role) for text in texts]
        with translated(self.folder):
            return self._run.vectors(put)

    def prepare(self) -> None:
        """Load everything and make what the first question would have to wait for. Raises EmbeddingError."""
        with translated(self.folder):
            self._run.load()

    @functools.cached_property
    def _run(self) -> "OnnxRun":
        from engram.store.embedding.onnx_run import OnnxRun  # noqa: PLC0415 - numpy and tokenizers: a tenth of a second

        return OnnxRun(self.folder, self._file, self._digest, self.threads)


@contextmanager
def translated(folder: Path) -> Iterator[None]:
    """Turn what goes wrong inside a model into an EmbeddingError that names its folder."""
    # onnxruntime and tokenizers raise classes of their own that derive from nothing but Exception, or Exception itself.
    try:
        yield
    except ImportError as problem:
        message = f"the model in {folder} needs {problem.name}, which is not installed"
        raise EmbeddingError(message, hint=install_command()) from problem
    except Exception as problem:
        known = isinstance(problem, ValueError | OSError | KeyError) or type(problem) is Exception
        if not known and not type(problem).__module__.startswith("onnxruntime"):
            raise
        raise EmbeddingError(f"the model in {folder} cannot be used: {problem}", hint=_HINT) from problem
