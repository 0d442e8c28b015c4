"""Loading embedding models from this machine: a real, tiny model through the real library, and no network."""

import json
import math
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from engram.config.settings import EmbeddingSettings
from engram.errors import DegradedIndexError
from engram.errors import SettingsError
from engram.model.document import Document
from engram.ports.index import Embedder
from engram.ports.index import SearchFilter
from engram.store.edge_index import EdgeVectorIndex
from engram.store.embedders import choose_embedder

pytest.importorskip("fastembed", reason="needs the extra 'embeddings'")

AXES = {"drink": ["tea", "чай", "coffee"], "store": ["postgresql", "база", "database"], "place": ["berlin", "берлин"]}
PREFIXES = ["query", "passage", ":"]


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("something reached for the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def make_model(folder: Path, *, scale: float = 1.0) -> Path:
    """Write a model whose vectors point along what a text is about: each known word has one axis."""
    words = ["[PAD]", "[UNK]", *PREFIXES, *(word for axis in AXES.values() for word in axis)]
    rows = [[0.0] * 4 for _ in words]
    for place, axis in enumerate(AXES.values()):
        for word in axis:
            rows[words.index(word)][place] = scale
    rows[words.index("query")][3] = 0.5  # so that a question and a text differ, as they do in models with prefixes
    rows[words.index("[UNK]")][3] = 0.1
    folder.mkdir(parents=True)
    write_onnx(folder / "model.onnx", rows)
    write_tokenizer(folder, words)
    return folder


def write_onnx(path: Path, rows: Sequence[Sequence[float]]) -> None:
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
    from tokenizers import Tokenizer
    from tokenizers import models
    from tokenizers import normalizers
    from tokenizers import pre_tokenizers

    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 64, "pad_token": "[PAD]"}))


def chosen(folder: Path) -> Embedder:
    embedder, words = choose_embedder(EmbeddingSettings(provider="folder", folder=str(folder)))
    assert embedder is not None
    assert str(folder) in words
    return embedder


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True)) / (math.hypot(*one) * math.hypot(*other))


def test_a_model_folder_gives_vectors_by_meaning(tmp_path: Path) -> None:
    embedder = chosen(make_model(tmp_path / "tiny"))

    tea, chai, store = embedder.embed_passages(["tea", "чай", "postgresql database"])

    assert embedder.dimensions == 4
    assert cosine(tea, chai) == pytest.approx(1.0)
    assert cosine(tea, store) < 0.1


def test_vectors_come_in_the_order_of_the_texts_whatever_their_lengths(tmp_path: Path) -> None:
    embedder = chosen(make_model(tmp_path / "tiny"))
    texts = ["tea " * length + "database" for length in (9, 1, 30, 2, 17)] * 15

    together = embedder.embed_passages(texts)

    assert len(together) == 75
    for text, vector in zip(texts[:5], together, strict=False):
        assert vector == pytest.approx(embedder.embed_passages([text])[0], abs=1e-5)


def test_a_model_of_the_e5_family_gets_its_prefixes_and_another_does_not(tmp_path: Path) -> None:
    plain, prefixed = chosen(make_model(tmp_path / "tiny")), chosen(make_model(tmp_path / "tiny-e5", scale=2.0))

    assert plain.embed_query("tea") == pytest.approx(plain.embed_passages(["tea"])[0])
    assert prefixed.embed_query("tea") != pytest.approx(prefixed.embed_passages(["tea"])[0])
    assert "e5 prefixes" in prefixed.name
    assert "no prefixes" in plain.name


def test_texts_are_composed_before_they_are_embedded(tmp_path: Path) -> None:
    embedder = chosen(make_model(tmp_path / "tiny"))

    assert embedder.embed_query("чаи\u0306") == embedder.embed_query("чай")


def test_another_model_in_the_same_folder_has_another_name(tmp_path: Path) -> None:
    before = chosen(make_model(tmp_path / "one" / "tiny"))
    same = chosen(make_model(tmp_path / "two" / "tiny"))
    changed = chosen(make_model(tmp_path / "three" / "tiny", scale=3.0))

    assert before.name == same.name
    assert before.name != changed.name


def test_a_question_without_a_common_word_is_answered_through_the_model(tmp_path: Path) -> None:
    documents = [
        Document(id=f"turn/{number}", kind="turn", text=text, indexed_text=text)
        for number, text in enumerate(["Anna: чай", "Billing: postgresql", "Office: Berlin"])
    ]
    with EdgeVectorIndex(tmp_path / "index", chosen(make_model(tmp_path / "tiny"))) as index:
        index.upsert(documents)
        legs = index.search("coffee", SearchFilter(), limit=3)

    assert legs["lexical"] == []
    assert legs["dense"][0].document.text == "Anna: чай"


def test_an_index_made_with_one_model_is_refused_with_another(tmp_path: Path) -> None:
    with EdgeVectorIndex(tmp_path / "index", chosen(make_model(tmp_path / "tiny"))) as index:
        index.advance(1)
    other = chosen(make_model(tmp_path / "other", scale=2.0))

    with pytest.raises(DegradedIndexError, match="tiny@"):
        EdgeVectorIndex(tmp_path / "index", other)


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json", "tokenizer_config.json"])
def test_a_folder_that_is_no_model_is_an_error_that_names_what_it_lacks(tmp_path: Path, missing: str) -> None:
    folder = make_model(tmp_path / "tiny")
    (folder / missing).unlink()

    with pytest.raises(SettingsError, match=missing):
        choose_embedder(EmbeddingSettings(provider="auto", folder=str(folder)))


def test_a_model_that_cannot_be_read_is_an_error_that_names_the_folder(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "tiny")
    (folder / "model.onnx").write_bytes(b"no model")

    with pytest.raises(SettingsError, match="tiny"):
        choose_embedder(EmbeddingSettings(provider="folder", folder=str(folder)))


def test_the_provider_folder_needs_a_folder() -> None:
    with pytest.raises(SettingsError, match="no folder is set"):
        choose_embedder(EmbeddingSettings(provider="folder"))


def test_switched_off_there_is_none_and_the_words_say_so() -> None:
    embedder, words = choose_embedder(EmbeddingSettings(provider="none"))

    assert embedder is None
    assert "switched off" in words


@pytest.mark.parametrize("cached", [False, True], ids=["no cache", "a cache with something else"])
@pytest.mark.parametrize("provider", ["auto", "fastembed"])
def test_a_model_that_is_not_on_this_machine_is_not_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], provider: str, *, cached: bool
) -> None:
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path))
    if cached:
        (tmp_path / "models--other--model").mkdir()

    embedder, words = choose_embedder(EmbeddingSettings.model_validate({"provider": provider}))

    assert embedder is None
    assert "Xenova/multilingual-e5-small is not on this machine" in words
    assert capfd.readouterr().err == ""


def test_a_model_name_that_the_library_does_not_know_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path))
    (tmp_path / "models--other--model").mkdir()

    with pytest.raises(SettingsError, match="acme/none"):
        choose_embedder(EmbeddingSettings(provider="fastembed", model="acme/none"))
