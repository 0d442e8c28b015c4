"""A folder with an ONNX graph and a tokenizer, loaded: texts in, vectors out.

What fastembed does with such a folder is done here too: the first output, averaged over the tokens that are not
padding, at length 1. Reading a vocabulary of 250,000 pieces takes 1.3 s; a few texts do not need it (see quick_tokens).
"""

import functools
import sqlite3
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any

import numpy as np
from tokenizers import AddedToken
from tokenizers import Tokenizer

from engram.store.embedding.json_file import read_object
from engram.store.embedding.places import tables_folder
from engram.store.embedding.quick_tokens import QuickTokenizer
from engram.store.embedding.quick_tokens import make_table
from engram.store.embedding.quick_tokens import table_name
from engram.store.onnx_runtime import open_session

if TYPE_CHECKING:
    from onnxruntime import InferenceSession  # imported by `open_session`, which first sees to it that it is silent

_QUICK_TEXTS = 64  # that a process puts to the quick tokenizer (3 to 9 ms each) before it loads the whole one (1.3 s)
_LARGE_BYTES = 4 << 20  # of a tokenizer.json, from which a table of its pieces is worth making


class OnnxRun:
    """The parts of a model, each loaded when it is first needed. Raises what `onnx_model.translated` knows."""

    def __init__(self, folder: Path, file: Path, digest: str, threads: int) -> None:
        """Take the folder, the graph in it, what names its content, and how many threads it may use."""
        self._folder = folder
        self._file = file
        self._digest = digest
        self._threads = threads
        self._quick_left = _QUICK_TEXTS

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector for each text, which has its prefix already."""
        ids, mask = self._tokens(texts)
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        wanted = [one.name for one in self._session.get_inputs()]
        hidden = self._session.run(None, {name: given[name] for name in wanted if name in given})[0]
        total = np.sum(hidden, axis=1, where=mask[:, :, np.newaxis].astype(bool), dtype=np.float64)
        pooled = total / np.maximum(mask.sum(axis=1, keepdims=True), 1)
        lengths = np.maximum(np.linalg.norm(pooled, axis=1, keepdims=True), 1e-12)
        vectors: list[list[float]] = (pooled / lengths).tolist()
        return vectors

    def load(self) -> None:
        """Load everything and make what the first question would have to wait for."""
        _ = self._quick, self._session, self._tokenizer

    def _tokens(self, texts: Sequence[str]) -> tuple[Any, Any]:
        """Return the numbers of the texts' tokens and which of them are no padding, both (texts, longest)."""
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
        return open_session(self._file, self._threads)

    @functools.cached_property
    def _quick(self) -> QuickTokenizer | None:
        """The tokenizer for single texts; None where loading the whole one costs little, or nothing can be written."""
        source = self._folder / "tokenizer.json"
        if source.stat().st_size < _LARGE_BYTES or self._config.get("truncation_side", "right") != "right":
            return None
        table = tables_folder() / table_name(self._digest)
        try:
            return QuickTokenizer(table) if table.is_file() or make_table(source, table) else None
        except (OSError, sqlite3.Error):
            return None

    @functools.cached_property
    def _tokenizer(self) -> Tokenizer:
        tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        tokenizer.enable_truncation(self._longest, direction=self._config.get("truncation_side", "right"))
        for token in read_object(self._folder / "special_tokens_map.json").values():
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
        return read_object(self._folder / "tokenizer_config.json")

    @property
    def _longest(self) -> int:
        """Tokens of a text that the model reads."""
        named = [self._config.get(name) for name in ("model_max_length", "max_length")]
        # Tools write 1e30 where they know no limit, and some write 0.
        usable = [one for one in named if isinstance(one, int) and 0 < one <= sys.maxsize]
        if not usable:
            raise ValueError("its tokenizer_config.json has no model_max_length")
        return min(usable)
