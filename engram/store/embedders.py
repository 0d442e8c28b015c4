"""Which model turns text into dense vectors, and how it is loaded without ever waiting for a network.

A model is either a folder with `model.onnx`, `tokenizer.json` and `tokenizer_config.json`, or one that fastembed has in
its cache. Nothing here downloads: a model that is not on this machine is "not present", and the words say so.
"""

import hashlib
import json
import os
import tempfile
import unicodedata
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from engram.config.settings import EmbeddingSettings
from engram.errors import SettingsError
from engram.ports.index import Embedder

if TYPE_CHECKING:
    from fastembed import TextEmbedding

_BATCH = 32  # texts embedded at a time
_THREADS = 1  # more of them spin on a busy machine
_PREFIXES = ("query: ", "passage: ")  # what models of the e5 family are trained with
_FOLDER_FILES = ("model.onnx", "tokenizer.json", "tokenizer_config.json")
_SAMPLE_BYTES = 1 << 20  # of each end of a model's file, by which it is known
_CUSTOM_MODELS = {"Xenova/multilingual-e5-small": "onnx/model_quantized.onnx"}  # unlisted models and their file
_UNMEASURED = 1  # fastembed only repeats this number; the length of the vectors is measured when a model is loaded

_registered: set[str] = set()  # names given to fastembed in this process: a second time is an error there


class FastEmbedEmbedder:
    """ports.index.Embedder over a loaded fastembed model."""

    def __init__(self, model: "TextEmbedding", name: str, *, prefixed: bool) -> None:
        """Wrap a model; `prefixed` says that it wants "query: " and "passage: " before its texts."""
        self._model = model
        self._prefixes = _PREFIXES if prefixed else ("", "")
        self.name = f"{name} ({'e5 prefixes' if prefixed else 'no prefixes'}, NFKC)"
        self.dimensions = len(self.embed_query("dimensions"))

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector per text, in order."""
        # fastembed pads each batch to its longest text and does not sort: sorted, it has half the work.
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        prepared = [self._prefixes[1] + _normal(texts[place]) for place in order]
        vectors: list[list[float]] = [[] for _ in texts]
        for place, vector in zip(order, self._model.embed(prepared, batch_size=_BATCH), strict=True):
            vectors[place] = vector.tolist()
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a question."""
        (vector,) = self._model.embed([self._prefixes[0] + _normal(text)])
        found: list[float] = vector.tolist()
        return found


def choose_embedder(settings: EmbeddingSettings) -> tuple[Embedder | None, str]:
    """Return the embedder that the settings mean, and in words which it is or why there is none.

    `auto` takes the folder when one is set, else what fastembed has in its cache. Never touches a network.

    Raises:
        SettingsError: when a folder is named that is not a model, or a model that fastembed does not know.
    """
    if settings.provider == "none":
        return None, "embeddings are switched off (embeddings.provider = none)"
    if settings.provider == "folder" and not settings.folder:
        raise SettingsError(
            "embeddings.provider is folder, but no folder is set", hint="engram config embeddings.folder DIR"
        )
    if not _has_fastembed():
        return None, "fastembed is not installed (pip install 'engram[embeddings]')"
    if settings.folder and settings.provider in {"folder", "auto"}:
        return _from_folder(Path(settings.folder).expanduser())
    return _from_cache(settings.model)


def _has_fastembed() -> bool:
    from importlib.util import find_spec  # noqa: PLC0415 - only needed here

    return find_spec("fastembed") is not None


def _from_folder(folder: Path) -> tuple[Embedder, str]:
    from fastembed import TextEmbedding  # noqa: PLC0415 - half a second to import

    if missing := [name for name in _FOLDER_FILES if not (folder / name).is_file()]:
        raise SettingsError(
            f"the model folder {folder} has no {missing[0]}", hint="engram config embeddings.folder DIR names another"
        )
    digest = _digest(folder)
    key = f"folder/{digest}"
    _register(key, file="model.onnx")
    with _translated(folder):
        model = TextEmbedding(key, specific_model_path=str(folder), threads=_THREADS)
        embedder = FastEmbedEmbedder(model, f"{folder.name}@{digest}", prefixed=_wants_prefixes(folder))
    return embedder, f"{embedder.name} from the folder {folder}"


@contextmanager
def _translated(folder: Path) -> Iterator[None]:
    # onnxruntime and tokenizers raise classes of their own that derive from nothing but Exception, or Exception itself.
    try:
        yield
    except Exception as problem:
        module = type(problem).__module__
        if not isinstance(problem, ValueError) and type(problem) is not Exception and "onnxruntime" not in module:
            raise
        raise SettingsError(
            f"the model in {folder} cannot be loaded: {problem}",
            hint="engram config embeddings.folder DIR names another",
        ) from problem


def _from_cache(name: str) -> tuple[Embedder | None, str]:
    if not _cache_holds_anything():
        return None, f"the model {name} is not on this machine, and nothing is downloaded unasked"
    _silence()
    from fastembed import TextEmbedding  # noqa: PLC0415 - as above

    if name in _CUSTOM_MODELS:
        _register(name, file=_CUSTOM_MODELS[name])
    elif not any(name.casefold() == known["model"].casefold() for known in TextEmbedding.list_supported_models()):
        raise SettingsError(f"fastembed has no model {name!r}", hint="engram config embeddings.model NAME")
    try:
        model = TextEmbedding(name, local_files_only=True, threads=_THREADS)
    except (ValueError, OSError) as problem:
        return None, f"the model {name} is not on this machine, and nothing is downloaded unasked ({problem})"
    embedder = FastEmbedEmbedder(model, name, prefixed="e5" in name.casefold())
    return embedder, f"{embedder.name} through fastembed"


def _cache_holds_anything() -> bool:
    """Look where fastembed would, without the half second that importing it takes."""
    place = os.environ.get("FASTEMBED_CACHE_PATH", "")
    folder = Path(place) if place else Path(tempfile.gettempdir()) / "fastembed_cache"
    return folder.is_dir() and any(folder.iterdir())


def _silence() -> None:
    # fastembed reports a model that is not there as an error on stderr; here that is an expected answer.
    from loguru import logger  # noqa: PLC0415 - comes with fastembed

    logger.disable("fastembed")


def _register(name: str, *, file: str) -> None:
    if name in _registered:
        return
    from fastembed import TextEmbedding  # noqa: PLC0415 - as above
    from fastembed.common.model_description import ModelSource  # noqa: PLC0415 - as above
    from fastembed.common.model_description import PoolingType  # noqa: PLC0415 - as above

    TextEmbedding.add_custom_model(
        model=name,
        pooling=PoolingType.MEAN,
        normalization=True,
        sources=ModelSource(hf=name),
        dim=_UNMEASURED,
        model_file=file,
    )
    _registered.add(name)


def _wants_prefixes(folder: Path) -> bool:
    """Tell whether the model is of the e5 family: its folder's name or its own name says so."""
    config = folder / "config.json"
    named = json.loads(config.read_text(encoding="utf-8")).get("_name_or_path", "") if config.is_file() else ""
    return "e5" in f"{folder.name} {named}".casefold()


def _digest(folder: Path) -> str:
    """Name a model by its content, so that a changed folder is another model."""
    digest = hashlib.sha256()
    for name in _FOLDER_FILES:
        path = folder / name
        size = path.stat().st_size
        with path.open("rb") as file:
            digest.update(f"{name} {size}\n".encode() + file.read(_SAMPLE_BYTES))
            file.seek(max(0, size - _SAMPLE_BYTES))
            digest.update(file.read())
    return digest.hexdigest()[:12]


def _normal(text: str) -> str:
    return unicodedata.normalize("NFKC", text)
