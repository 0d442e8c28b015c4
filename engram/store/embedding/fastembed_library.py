"""fastembed and the hub that it downloads from. Import it after `onnx_runtime.forbid_telemetry`."""

import logging
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path

from fastembed import TextEmbedding
from huggingface_hub import HfApi
from huggingface_hub.errors import HfHubHTTPError
from loguru import logger

from engram.base.machine.install_hints import install_command
from engram.errors import EmbeddingError

_SPEAKERS = frozenset({"httpx", "httpx2", "requests", "httpcore", "huggingface_hub"})  # what the hub is spoken to by
_ANSWER_S = 10.0  # for the hub to say what the model consists of; downloading then takes what it takes

# fastembed reports a model that is not there as an error on stderr; here that is an expected answer.
logger.disable("fastembed")
logging.getLogger("huggingface_hub").setLevel(logging.ERROR)


def find_listed(name: str) -> tuple[str, str, tuple[str, ...], int] | None:
    """Return name, repository ("" for none), files and dimensions of a model on fastembed's list; None for others."""
    for known in TextEmbedding.list_supported_models():
        if known["model"].casefold() == name.casefold():
            files = (known["model_file"], *known["additional_files"])
            return known["model"], known["sources"]["hf"] or "", files, known["dim"]
    return None


def gigabytes_of(name: str) -> float | None:
    """Return the size of a model on fastembed's list; None for others."""
    sizes = {str(known["model"]).casefold(): known["size_in_GB"] for known in TextEmbedding.list_supported_models()}
    return sizes.get(name.casefold())


def open_listed(name: str, cache: Path, threads: int) -> TextEmbedding:
    """Return the model, from this machine alone."""
    return TextEmbedding(name, cache_dir=str(cache), local_files_only=True, threads=threads)


def fetch(name: str, repository: str, files: Sequence[str], cache: Path) -> None:
    """Download the files of a model from its repository into a cache; raise EmbeddingError when they cannot be had."""
    with _hub(name):
        HfApi().model_info(repository, timeout=_ANSWER_S)  # so that a hub that is not reached is known soon
        TextEmbedding.download_files_from_huggingface(repository, cache_dir=str(cache), extra_patterns=list(files))


@contextmanager
def _hub(name: str) -> Iterator[None]:
    """Turn what goes wrong between us and the hub into one sentence."""
    hint = f"with the package index alone: {install_command('offline')}"
    try:
        yield
    except HfHubHTTPError as problem:
        raise EmbeddingError(f"the hub does not give out {name}: {_first_line(problem)}", hint=hint) from problem
    except Exception as problem:
        # huggingface_hub speaks through requests or httpx, depending on its version; both have errors of their own.
        if (
            not isinstance(problem, OSError | ValueError)
            and type(problem).__module__.partition(".")[0] not in _SPEAKERS
        ):
            raise
        message = f"{name} cannot be downloaded: the hub is not reached ({_first_line(problem)})"
        raise EmbeddingError(message, hint=hint) from problem


def _first_line(problem: Exception) -> str:
    return (str(problem).strip() or type(problem).__name__).splitlines()[0]
