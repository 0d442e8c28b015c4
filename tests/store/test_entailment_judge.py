"""A local entailment model as a judge: a real, tiny model through the real library, and no network."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engram.config.memory_settings import ContradictionSettings
from engram.config.settings import Settings
from engram.errors import SettingsError
from engram.ports.judge import Judge
from engram.services.commands.writes.comparison import LexicalJudge
from engram.services.commands.writes.comparison import compare_all
from engram.store.entailment_judge import EntailmentJudge
from engram.store.entailment_judge import choose_judge

WORDS = {  # logits that a word of the second text adds: contradiction, entailment, neutral
    "[UNK]": (0.0, 0.0, 0.2),
    "harbour": (4.0, 0.0, 0.0),
    "mountain": (4.0, 0.0, 0.0),
    "same": (0.0, 4.0, 0.0),
}
LABELS = {"0": "CONTRADICTION", "1": "ENTAILMENT", "2": "NEUTRAL"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model that takes a harbour and a mountain for contradictions of what does not name them."""
    pytest.importorskip("tokenizers", reason="needs the model's runtime")
    pytest.importorskip("onnxruntime", reason="needs the model's runtime")
    write_model(tmp_path / "model.onnx")
    write_tokenizer(tmp_path / "tokenizer.json")
    (tmp_path / "config.json").write_text(json.dumps({"id2label": LABELS}))
    return tmp_path


def write_model(path: Path) -> None:
    import onnx
    from onnx import TensorProto
    from onnx import helper

    flat = [number for row in WORDS.values() for number in row]
    table = helper.make_tensor("table", TensorProto.FLOAT, [len(WORDS), 3], flat)
    last = helper.make_tensor("last", TensorProto.INT64, [1], [-1])
    length = helper.make_tensor("length", TensorProto.INT64, [1], [1])
    names = ("input_ids", "token_type_ids")
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"]) for name in names]
    output = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 3])
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["rows"]),
        helper.make_node("Cast", ["token_type_ids"], ["second"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["second", "last"], ["mask"]),
        helper.make_node("Mul", ["rows", "mask"], ["counted"]),
        helper.make_node("ReduceSum", ["counted", "length"], ["logits"], keepdims=0),
    ]
    graph = helper.make_graph(nodes, "tiny", inputs, [output], [table, last, length])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), str(path))


def write_tokenizer(path: Path) -> None:
    from tokenizers import Tokenizer
    from tokenizers import models
    from tokenizers import pre_tokenizers
    from tokenizers import processors

    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(single="$A", pair="$A:0 $B:1", special_tokens=[])
    tokenizer.save(str(path))


@pytest.fixture(params=["words", "entailment"])
def judge(request: pytest.FixtureRequest) -> Judge:
    """Each of the judges that there are."""
    if request.param == "words":
        return LexicalJudge()
    return EntailmentJudge(request.getfixturevalue("folder"), threshold=0.9)


class TestContract:
    """What every judge keeps to; see the port."""

    def test_equal_statements_are_not_in_each_others_way(self, judge: Judge) -> None:
        assert judge.judge("the house stands on a harbour", "the house stands on a harbour").kind == "same"

    def test_the_same_question_gets_the_same_answer(self, judge: Judge) -> None:
        statements = ("the cabin is by the mountain", "the cabin is by the harbour")

        assert judge.judge(*statements) == judge.judge(*statements)

    def test_what_speaks_of_something_else_is_left_alone(self, judge: Judge) -> None:
        assert judge.judge("tea is in the cupboard", "trains leave every hour").kind == "none"

    def test_an_answer_has_a_confidence_and_a_reason_in_words(self, judge: Judge) -> None:
        found = judge.judge("the cabin is by the mountain", "the cabin is by the harbour")

        assert 0 <= found.confidence <= 1
        assert " " in found.why

    def test_long_and_empty_statements_are_judged(self, judge: Judge) -> None:
        assert judge.judge("tea " * 500, "coffee").kind in {"none", "value"}
        assert judge.judge("", "coffee").kind == "none"


def test_what_the_model_takes_for_a_contradiction_in_both_directions_is_one(folder: Path) -> None:
    found = EntailmentJudge(folder, 0.9).judge("the cabin is by the mountain", "the cabin is by the harbour")

    assert found.kind == "contradiction"
    assert found.confidence >= 0.9
    assert folder.name in found.why


def test_a_contradiction_in_one_direction_only_is_none(folder: Path) -> None:
    assert EntailmentJudge(folder, 0.9).judge("the cabin is by the mountain", "the cabin is same").kind == "none"


def test_the_model_is_asked_about_what_the_words_leave_open_and_takes_nothing_back(folder: Path) -> None:
    known = ["the cabin stands by the harbour wall", "the timeout is 600 seconds", "tea is served at noon"]
    judge = EntailmentJudge(folder, 0.9)

    assert compare_all("our cabin overlooks a mountain lake", known, judge)[0].kind == "contradiction"
    assert compare_all("the timeout is 900 seconds", known, judge)[1].kind == "number"
    assert [one.kind for one in compare_all("our cabin overlooks a mountain lake", known)] == ["none"] * 3


def test_a_model_that_cannot_be_read_costs_no_answer(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "model.onnx").write_bytes(b"no model")

    found = compare_all("our cabin overlooks a mountain", ["the cabin is by the harbour"], EntailmentJudge(folder, 0.9))

    assert [one.kind for one in found] == ["none"]
    assert "compared by words alone" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "config.json"])
def test_a_folder_that_is_no_model_is_one_clear_error(folder: Path, name: str) -> None:
    (folder / name).unlink()

    with pytest.raises(SettingsError, match=f"has no {name}") as raised:
        choose_judge(ContradictionSettings(judge="entailment", folder=str(folder)))
    assert "contradiction.folder" in raised.value.hint


def test_no_folder_and_no_label_are_errors_with_a_hint(folder: Path) -> None:
    with pytest.raises(SettingsError, match="no folder is set"):
        choose_judge(ContradictionSettings(judge="entailment"))

    (folder / "config.json").write_text(json.dumps({"id2label": {"0": "yes", "1": "no"}}))
    with pytest.raises(SettingsError, match="no label for a contradiction"):
        EntailmentJudge(folder, 0.9).judge("tea", "coffee")


def test_the_settings_choose_the_judge(folder: Path) -> None:
    chosen = choose_judge(ContradictionSettings(judge="entailment", folder=str(folder)))

    assert choose_judge(Settings().contradiction) is None
    assert isinstance(chosen, EntailmentJudge)


def test_without_the_setting_nothing_is_imported() -> None:
    code = (
        "import sys; import engram.store.entailment_judge;"
        "print([name for name in ('onnxruntime', 'tokenizers', 'numpy') if name in sys.modules])"
    )

    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert said.stdout.strip() == "[]"
