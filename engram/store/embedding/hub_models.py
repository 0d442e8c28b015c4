"""Models that fastembed knows: found on this machine without a network, and downloaded when that is asked for.

The models of fastembed's own list are run by fastembed. The one that it does not list, multilingual-e5-small, is found
in the same kind of cache by its layout and run directly, because importing fastembed takes half a second.
"""

import functools
import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING
from typing import NamedTuple

from engram.base.ids import new_id
from engram.base.machine.install_hints import install_command
from engram.base.machine.user import user_id
from engram.config.sections.recall import EmbeddingSettings
from engram.errors import EmbeddingError
from engram.errors import SettingsError
from engram.store.embedding.folder_model import folder_digest
from engram.store.embedding.model import Role
from engram.store.embedding.model import TextModel
from engram.store.embedding.model import scheme_of
from engram.store.embedding.onnx_model import OnnxModel
from engram.store.embedding.onnx_model import translated
from engram.store.embedding.places import models_folder
from engram.store.onnx_runtime import forbid_telemetry

if TYPE_CHECKING:
    from fastembed import TextEmbedding

_DIRECT_DIMENSIONS = 384
DIRECT_MODELS = {"Xenova/multilingual-e5-small": "onnx/model_quantized.onnx"}  # run without fastembed, and their file
_DIRECT_MEGABYTES = 135  # that are fetched of such a model, its tokenizer included
_TOKENIZER = ("tokenizer.json", "tokenizer_config.json")
_BATCH = 32  # texts embedded at a time
_THREADS = 1  # more of them spin on a busy machine


class _Description(NamedTuple):
    name: str
    repository: str  # on the hub; "" when it is elsewhere
    files: tuple[str, ...]  # in the repository, besides the tokenizer: the graph first
    dimensions: int


def cache_folders() -> list[Path]:
    """Return the folders in which fastembed's models may lie, the one to download into first."""
    named = os.environ.get("FASTEMBED_CACHE_PATH", "")
    if named:
        return [Path(named)]
    shared = Path(tempfile.gettempdir()) / "fastembed_cache"  # where fastembed puts them when nobody says otherwise
    return [models_folder() / "fastembed", *([shared] if _is_ours(shared) else [])]


def find_model(name: str, settings: EmbeddingSettings) -> TextModel | None:
    """Return the model when it is whole on this machine. Touches no network.

    Raises SettingsError when fastembed has no model of that name.
    """
    caches = [folder for folder in cache_folders() if folder.is_dir() and any(folder.iterdir())]
    if not caches:
        return None
    if name in DIRECT_MODELS:
        found = (_direct_model(cache, name, settings) for cache in caches)
    else:
        description = _describe(name)
        found = (_listed_model(cache, description, settings) for cache in caches)
    return next((model for model in found if model is not None), None)


def download_megabytes(name: str) -> int | None:
    """Return how much `download` fetches for a model, about; None when it cannot be downloaded, or nobody knows."""
    if find_spec("fastembed") is None:
        return None
    if name in DIRECT_MODELS:
        return _DIRECT_MEGABYTES
    size: float | None = _fastembed().gigabytes_of(name)
    return round(size * 1000) if size else None


def download(name: str, settings: EmbeddingSettings) -> tuple[TextModel, Path]:
    """Fetch a model from its hub into the cache, whole or not at all, and return it with the folder of the cache.

    The only thing in Engram that loads a model from a network. Raises SettingsError for an unknown name, EmbeddingError
    when it cannot be had.
    """
    description = _describe(name)
    if find_spec("fastembed") is None:
        raise SettingsError("downloading needs fastembed", hint=install_command())
    cache = cache_folders()[0]
    if not description.repository:
        raise EmbeddingError(f"{name} is not on a model hub", hint="engram config embeddings.model NAME")
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    staging = cache / f".tmp-{new_id()}"
    try:
        _fastembed().fetch(name, description.repository, description.files, staging)
        folder = _repository_folder(staging, description.repository)
        if _snapshot(folder, [*description.files, *_TOKENIZER]) is None:
            raise EmbeddingError(f"what the hub sent for {name} is not the whole model", hint="try again later")
        present = cache / folder.name
        if present.exists():
            present.rename(staging / "former")
        folder.rename(present)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    model = find_model(name, settings)
    if model is None:
        raise EmbeddingError(f"{name} was downloaded into {cache}, but is not found there", hint="try again later")
    return model, cache


class ListedModel:
    """store.embedding.model.TextModel over a model of fastembed's list, run by fastembed."""

    batch_size = _BATCH

    def __init__(self, cache: Path, description: _Description, settings: EmbeddingSettings) -> None:
        """Take the cache's folder and what fastembed knows of the model."""
        self._cache = cache
        self._name = description.name
        self.dimensions: int | None = description.dimensions
        self.scheme = scheme_of(description.name, settings)
        self.name = f"{description.name} through fastembed"

    def embed(self, texts: Sequence[str], role: Role) -> list[list[float]]:
        """See the port."""
        put = [self.scheme.prefixed(text, role) for text in texts]
        with translated(self._cache):
            return [vector.tolist() for vector in self._model.embed(put, batch_size=_BATCH)]

    @functools.cached_property
    def _model(self) -> "TextEmbedding":
        model: TextEmbedding = _fastembed().open_listed(self._name, self._cache, _THREADS)
        return model


def _direct_model(cache: Path, name: str, settings: EmbeddingSettings) -> TextModel | None:
    file = DIRECT_MODELS[name]
    folder = _snapshot(_repository_folder(cache, name), [file, *_TOKENIZER])
    if folder is None:
        return None
    digest = folder_digest(folder, file)
    scheme = scheme_of(name, settings)
    return OnnxModel(folder, file=file, name=f"{name}@{digest} through onnxruntime", digest=digest, scheme=scheme)


def _listed_model(cache: Path, description: _Description, settings: EmbeddingSettings) -> TextModel | None:
    folder = _snapshot(_repository_folder(cache, description.repository), description.files)
    return ListedModel(cache, description, settings) if folder else None


def _repository_folder(cache: Path, repository: str) -> Path:
    return cache / f"models--{repository.replace('/', '--')}"


def _snapshot(folder: Path, files: Sequence[str]) -> Path | None:
    """Return the snapshot of a repository in a hub's cache that holds all the files, at the size they should have."""
    revision = folder / "refs" / "main"
    names = [revision.read_text(encoding="utf-8").strip()] if revision.is_file() else []
    snapshots = folder / "snapshots"
    names += sorted(path.name for path in snapshots.iterdir()) if snapshots.is_dir() else []
    sizes = _known_sizes(folder)
    for name in dict.fromkeys(names):
        paths = {file: snapshots / name / file for file in files}
        wanted = {file: sizes.get(f"snapshots/{name}/{file}") for file in files}
        if all(path.is_file() and wanted[file] in {None, path.stat().st_size} for file, path in paths.items()):
            return snapshots / name
    return None


def _known_sizes(folder: Path) -> dict[str, int]:
    """Return what fastembed wrote down about the files' sizes when it fetched them; a broken note says nothing."""
    note = folder / "files_metadata.json"
    try:
        found = json.loads(note.read_text(encoding="utf-8")) if note.is_file() else {}
        return {str(name): int(entry["size"]) for name, entry in found.items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def _describe(name: str) -> _Description:
    """Return what fastembed knows of a model; raise SettingsError when that is nothing, or there is no fastembed."""
    if name in DIRECT_MODELS:
        return _Description(name, name, (DIRECT_MODELS[name],), _DIRECT_DIMENSIONS)
    try:
        listed = _fastembed().find_listed(name)
    except ImportError as problem:
        raise SettingsError("fastembed is not installed", hint=install_command()) from problem
    if listed is None:
        raise SettingsError(f"fastembed has no model {name!r}", hint="engram config embeddings.model NAME")
    return _Description(*listed)


def _fastembed() -> ModuleType:
    forbid_telemetry()
    from engram.store.embedding import fastembed_library  # noqa: PLC0415 - half a second, and few models need it

    return fastembed_library


def _is_ours(folder: Path) -> bool:
    """Tell whether a folder in a place that everybody may write to belongs to us: a model is a program of a kind."""
    return folder.is_dir() and folder.stat().st_uid == user_id()
