"""A folder with an ONNX graph and a tokenizer, run directly: the vectors that fastembed gives, without its half second.

What fastembed does with such a folder is done here too: the first output, averaged over the tokens that are not
padding, at length 1. Importing fastembed takes 0.5 s (most of it to be able to download), and reading a vocabulary of
250,000 pieces 1.3 s; a few texts need neither (see quick_tokens).
"""

import functools
import json
import sqlite3
import sys
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any

from engram.base.machine.install_hints import install_command
from engram.errors import EmbeddingError
from engram.store.embedding.model import Role
from engram.store.embedding.model import Scheme
from engram.store.embedding.places import tables_folder
from engram.store.embedding.quick_tokens import QuickTokenizer
from engram.store.embedding.quick_tokens import make_table
from engram.store.embedding.quick_tokens import table_name
from engram.store.onnx_runtime import open_session

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

_BATCH = 8  # texts embedded at a time: sorted by length, 32 take 14 % more of the processor, and cannot be stopped
_QUICK_TEXTS = 64  # that a process puts to the quick tokenizer (3 to 9 ms each) before it loads the whole one (1.3 s)
_LARGE_BYTES = 4 << 20  # of a tokenizer.json, from which a table of its pieces is worth making
_HINT = "engram config embeddings status tells which model is used; engram config embeddings.provider NAME changes it"


class OnnxModel:
    """store.embedding.model.TextModel over a folder. Loads nothing until something is embedded."""

    batch_size = _BATCH

    def __init__(self, folder: Path, *, file: str, name: str, digest: str, scheme: Scheme) -> None:
        """Take the folder, the graph's file in it, the model's name and scheme, and what names its content."""
        self.folder = folder
        self._file = folder / file
        self._digest = digest
        self._quick_left = _QUICK_TEXTS
        self.threads = 1  # of the processor; read when the graph is loaded
        self.name = name
        self.scheme = scheme

    @functools.cached_property
    def dimensions(self) -> int | None:
        """What config.json says; the graph itself is not loaded for it."""
        size = _read_json(self.folder / "config.json").get("hidden_size")
        return size if isinstance(size, int) and size > 0 else None

    def embed(self, texts: Sequence[str], role: Role) -> list[list[float]]:
        """See the port."""
        import numpy as np  # noqa: PLC0415 - comes with onnxruntime, a tenth of a second

        put = [self.scheme.prefixed(text, role) for text in texts]
        with translated(self.folder):
            ids, mask = self._tokens(put)
            given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            wanted = [one.name for one in self._session.get_inputs()]
            hidden = self._session.run(None, {name: given[name] for name in wanted if name in given})[0]
        total = np.sum(hidden, axis=1, where=mask[:, :, np.newaxis].astype(bool), dtype=np.float64)
        pooled = total / np.maximum(mask.sum(axis=1, keepdims=True), 1)
        lengths = np.maximum(np.linalg.norm(pooled, axis=1, keepdims=True), 1e-12)
        vectors: list[list[float]] = (pooled / lengths).tolist()
        return vectors

    def prepare(self) -> None:
        """Load everything and make what the first question would have to wait for. Raises EmbeddingError."""
        with translated(self.folder):
            _ = self._quick, self._session, self._tokenizer

    def _tokens(self, texts: Sequence[str]) -> tuple[Any, Any]:
        """Return the numbers of the texts' tokens and which of them are no padding, both (texts, longest)."""
        import numpy as np  # noqa: PLC0415 - as above

        if len(texts) > self._quick_left or self._quick is None:
            self._quick_left = 0  # from here on the whole tokenizer is loaded, and faster
            encoded = self._tokenizer.encode_batch(list(texts))
            masks = [one.attention_mask for one in encoded]
            return np.array([one.ids for one in encoded], dtype=np.int64), np.array(masks, dtype=np.int64)
        self._quick_left -= len(texts)
        rows = [self._quick.encode(text, self._longest) for text in texts]
        ids = np.zeros((len(rows), max(map(len, rows))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for place, row in enumerate(rows):
            ids[place, : len(row)] = row
            mask[place, : len(row)] = 1
        return ids, mask

    @functools.cached_property
    def _session(self) -> "InferenceSession":
        return open_session(self._file, self.threads)

    @functools.cached_property
    def _quick(self) -> QuickTokenizer | None:
        """The tokenizer for single texts; None where loading the whole one costs little, or nothing can be written."""
        source = self.folder / "tokenizer.json"
        if source.stat().st_size < _LARGE_BYTES or self._config.get("truncation_side", "right") != "right":
            return None
        table = tables_folder() / table_name(self._digest)
        try:
            return QuickTokenizer(table) if table.is_file() or make_table(source, table) else None
        except (OSError, sqlite3.Error):
            return None

    @functools.cached_property
    def _tokenizer(self) -> "Tokenizer":
        from tokenizers import AddedToken  # noqa: PLC0415 - as above
        from tokenizers import Tokenizer  # noqa: PLC0415 - as above

        tokenizer = Tokenizer.from_file(str(self.folder / "tokenizer.json"))
        tokenizer.enable_truncation(self._longest, direction=self._config.get("truncation_side", "right"))
        for token in _read_json(self.folder / "special_tokens_map.json").values():
            for one in token if isinstance(token, list) else [token]:
                tokenizer.add_special_tokens([AddedToken(**one) if isinstance(one, dict) else one])
        padding = tokenizer.padding or {}
        pad = padding.get("pad_token") or self._config.get("pad_token")
        number = padding.get("pad_id", tokenizer.token_to_id(pad) if isinstance(pad, str) else None)
        if number is None:
            raise ValueError("it names no token for padding")
        side = self._config.get("padding_side") or padding.get("direction", "right")
        tokenizer.enable_padding(direction=side, pad_id=number, pad_token=pad, length=None)
        return tokenizer

    @functools.cached_property
    def _config(self) -> dict[str, Any]:
        return _read_json(self.folder / "tokenizer_config.json")

    @property
    def _longest(self) -> int:
        """Tokens of a text that the model reads."""
        named = [self._config.get(name) for name in ("model_max_length", "max_length")]
        # Tools write 1e30 where they know no limit, and some write 0.
        usable = [one for one in named if isinstance(one, int) and 0 < one <= sys.maxsize]
        if not usable:
            raise ValueError("its tokenizer_config.json has no model_max_length")
        return min(usable)


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


def _read_json(path: Path) -> dict[str, Any]:
    found = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found if isinstance(found, dict) else {}
