"""A folder that holds a model, named by its content."""

import hashlib
import json
from pathlib import Path

from engram.config.sections.recall import EmbeddingSettings
from engram.errors import SettingsError
from engram.store.embedding.model import scheme_of
from engram.store.embedding.onnx_model import OnnxModel

_GRAPH = "model.onnx"
_TOKENIZER = ("tokenizer.json", "tokenizer_config.json")
_SAMPLE_BYTES = 1 << 20  # of each end of a file, by which it is known


def folder_model(folder: Path, settings: EmbeddingSettings) -> OnnxModel:
    """Return the model in a folder; raise SettingsError when the folder lacks a file."""
    if missing := [name for name in (_GRAPH, *_TOKENIZER) if not (folder / name).is_file()]:
        raise SettingsError(
            f"the model folder {folder} has no {missing[0]}", hint="engram config embeddings.folder DIR names another"
        )
    digest = folder_digest(folder, _GRAPH)
    scheme = scheme_of(f"{folder.name} {_own_name(folder)}", settings)
    return OnnxModel(folder, file=_GRAPH, name=f"{folder.name}@{digest}", digest=digest, scheme=scheme)


def folder_digest(folder: Path, graph: str) -> str:
    """Name a model by its content, so that a changed folder is another model."""
    digest = hashlib.sha256()
    for name in (graph, *_TOKENIZER):
        path = folder / name
        size = path.stat().st_size
        with path.open("rb") as file:
            digest.update(f"{name} {size}\n".encode() + file.read(_SAMPLE_BYTES))
            file.seek(max(0, size - _SAMPLE_BYTES))
            digest.update(file.read())
    return digest.hexdigest()[:12]


def _own_name(folder: Path) -> str:
    config = folder / "config.json"
    if not config.is_file():
        return ""
    try:
        return str(json.loads(config.read_text(encoding="utf-8")).get("_name_or_path", ""))
    except (ValueError, AttributeError) as problem:
        raise SettingsError(
            f"{config} is not a JSON object: {problem}", hint="engram config embeddings.folder DIR names another"
        ) from problem
