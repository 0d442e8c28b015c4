"""Tiny models that are real ones: an ONNX graph and a tokenizer, small enough to read."""

import json
from collections.abc import Sequence
from pathlib import Path

AXES = {"drink": ["tea", "чай", "coffee"], "store": ["postgresql", "база", "database"], "place": ["berlin", "берлин"]}
PREFIXES = ["query", "passage", ":"]


def make_model(folder: Path, *, scale: float = 1.0, width: int = 4, graph: str = "model.onnx") -> Path:
    """Write a model whose vectors point along what a text is about: each known word has one axis."""
    words = ["[PAD]", "[UNK]", *PREFIXES, *(word for axis in AXES.values() for word in axis)]
    rows = [[0.0] * width for _ in words]
    for place, axis in enumerate(AXES.values()):
        for word in axis:
            rows[words.index(word)][place] = scale
    rows[words.index("query")][3] = 0.5  # so that a question and a text differ, as they do in models with prefixes
    rows[words.index("[UNK]")][3] = 0.1
    (folder / graph).parent.mkdir(parents=True)
    write_graph(folder / graph, rows)
    write_tokenizer(folder, words)
    return folder


def write_graph(path: Path, rows: Sequence[Sequence[float]]) -> None:
    """Write a graph that looks vectors up."""
    import onnx
    from onnx import TensorProto
    from onnx import helper

    flat = [number for row in rows for number in row]
    table = helper.make_tensor("table", TensorProto.FLOAT, [len(rows), len(rows[0])], flat)
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
        for name in ("input_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "length", len(rows[0])])
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["vectors"]),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last"], ["wide_mask"]),
        helper.make_node("Mul", ["vectors", "wide_mask"], ["last_hidden_state"]),
    ]
    last = helper.make_tensor("last", TensorProto.INT64, [1], [-1])
    graph = helper.make_graph(nodes, "tiny", inputs, [output], [table, last])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def write_tokenizer(folder: Path, words: Sequence[str]) -> None:
    """Write a tokenizer of whole words."""
    from tokenizers import Tokenizer
    from tokenizers import models
    from tokenizers import normalizers
    from tokenizers import pre_tokenizers

    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 64, "pad_token": "[PAD]"}))


def make_cached_model(cache: Path, repository: str, graph: str, *, width: int = 4) -> Path:
    """Write a model as a hub's cache holds it, and return its snapshot."""
    folder = cache / f"models--{repository.replace('/', '--')}"
    snapshot = make_model(folder / "snapshots" / "abc", width=width, graph=graph)
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text("abc")
    return snapshot
