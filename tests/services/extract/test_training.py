"""The scripts that learn the judge and score it: they learn from marked lines, and no author is scored by own lines."""

import json
import sys
import zlib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from engram.model.vocabulary import Category
from engram.services.extract import judge
from engram.services.extract.judge import CANDIDATE_FROM
from engram.services.extract.judge import Judge
from engram.services.extract.judge import load_judge
from engram.services.extract.lines.line import Line
from engram.services.extract.weights import FORMAT
from engram.services.extract.weights import Weights
from engram.services.extract.weights import unpacked

SCRIPTS = Path(__file__).resolve().parents[3] / "scripts"
THINGS = ("press", "kiln", "ferry", "loom", "orchard", "archive")


def _script(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    pytest.importorskip("sklearn", reason="needs scikit-learn, of the group 'bench'")
    pytest.importorskip("scipy", reason="needs scipy, of the group 'bench'")
    monkeypatch.syspath_prepend(str(SCRIPTS))
    __import__(name)
    return sys.modules[name]


def _mark(quote: str, category: str, about: str, turn: str = "") -> dict[str, Any]:
    return {"quote": quote, "level": "must", "about": [about], "category": [category], "turn": turn}


def _note(thing: str) -> dict[str, Any]:
    decided, preferred = f"Decided to lease the {thing} until autumn", f"We prefer oil for the {thing}"
    lines = [decided, f"Ran the checks of the {thing} again", preferred, f"Looked at the logs of the {thing}"]
    text = f"# {thing.title()}\n\n" + "".join(f"- {line}\n" for line in lines)
    marks = [_mark(decided, "decision", f"projects/{thing}"), _mark(preferred, "preference", f"projects/{thing}")]
    row = {"agent": f"made+{thing}", "file": f"{thing}.md", "date": "2026-03-02", "lang": "en", "text": text}
    return {**row, "facts": marks}


def _talk(thing: str) -> dict[str, Any]:
    turns, marks = [], []
    for number, speaker in enumerate(("user", "Vera", "assistant")):
        said = f"Decided to paint the {thing} with Ilya" if number else f"We prefer to paint the {thing} in May"
        turns += [
            {"id": f"{number}a", "speaker": speaker, "text": said},
            {"id": f"{number}b", "speaker": speaker, "text": f"Ran the checks of the {thing} again"},
        ]
        marks += [_mark(said, "decision" if number else "preference", f"projects/{thing}", f"{number}a")]
    row = {"set": "made", "id": thing, "lang": "en", "date": "2026-03-02", "cwd": f"/src/{thing}", "turns": turns}
    return {**row, "facts": marks}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, rows in (("notes", map(_note, THINGS)), ("conversations", map(_talk, THINGS))):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return tmp_path


def test_the_judge_that_is_learnt_keeps_what_was_marked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train = _script("train_judge", monkeypatch)
    examples = train.read_examples(folder, own=False)

    raw = train.learn(examples, None, report=False).raw
    learnt = Judge(Weights(json.loads(json.dumps(raw))))

    assert len(examples) >= 30
    decided = learnt.judge(Line("Decided to lease the barge until spring", headings=("Barge",)))
    assert decided.chance > learnt.judge(Line("Ran the checks of the barge again", headings=("Barge",))).chance
    assert decided.category == "decision"
    assert learnt.judge(Line("We prefer oil for the barge", headings=("Barge",))).category == "preference"


def test_where_words_say_nothing_the_vectors_do(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train = _script("train_judge", monkeypatch)
    import numpy as np

    examples = train.read_examples(folder, own=False)
    vectors = np.array([[1.0, 0.0] if example.is_worth else [0.0, 1.0] for example in examples], dtype=np.float32)

    learnt = Judge(Weights(train.learn(examples, vectors, report=False).raw))

    line = Line("Quietly, sideways")
    assert learnt.judge(line, [1.0, 0.0]).chance > learnt.judge(line, [0.0, 1.0]).chance


def test_whom_lines_are_about_is_learnt(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train = _script("train_judge", monkeypatch)
    examples = train.read_examples(folder, own=False)

    weights = Weights(train.learn_subjects(examples, report=False))

    right: list[float] = []
    wrong: list[float] = []
    for example in examples:
        for one in example.candidates if example.marks else ():
            score = weights.score("subject", weights.rows(one.features))
            is_right = one.key in {mark["about"][0].partition("/")[2] for mark in example.marks}
            (right if is_right else wrong).append(score)
    assert len(right) >= len(THINGS)
    assert not wrong or sum(right) / len(right) > sum(wrong) / len(wrong)


def test_of_the_candidates_of_a_notes_line_the_learnt_one_goes_first(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = _script("train_judge", monkeypatch)
    rows = [json.loads(line) for line in (folder / "notes.jsonl").read_text(encoding="utf-8").splitlines()]
    for row, thing in zip(rows, THINGS, strict=True):  # the agent is called otherwise, and the heading names the thing
        row["agent"] = f"made+{thing}-keeper"
        row["text"] = row["text"].replace(f"# {thing.title()}", f"# The {thing}-tide-house")
        row["facts"] = [mark | {"about": [f"projects/{thing}-tide-house"]} for mark in row["facts"]]
    (folder / "notes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    examples = train.read_examples(folder, own=False)

    weights = Weights(train.learn_subjects(examples, report=False))

    of_notes = [one for one in examples if one.line.source == "note" and one.marks]
    assert len(of_notes) == 2 * len(THINGS)
    for example in of_notes:
        first = max(example.candidates, key=lambda one: weights.score("subject of a note", weights.rows(one.features)))
        assert first.origin == "heading"
        assert {one.origin for one in example.candidates} >= {"heading", "home"}


def test_notes_teach_the_kinds_of_notes_and_talk_is_not_told_by_invented_ones(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = _script("train_judge", monkeypatch)
    before = train.read_examples(folder, own=False)
    with (folder / "notes.jsonl").open("a", encoding="utf-8") as notes:
        for thing in ("barge", "quarry", "mill"):
            row = _note(thing) | {"set": train.ONLY_CATEGORIES, "agent": f"own-{thing}"}
            facts = [mark | {"category": ["lesson"]} for mark in row["facts"]]
            notes.writelines(json.dumps(row | {"facts": facts, "file": f"{n}-{thing}.md"}) + "\n" for n in range(9))
    after = train.read_examples(folder, own=False)

    one, other = (Judge(Weights(train.learn(examples, None, report=False).raw)) for examples in (before, after))

    note = Line("Decided to lease the ferry until autumn", headings=("Ferry",))
    said = Line("Decided to paint the ferry with Ilya", speaker="Vera")
    assert (one.judge(note).category, other.judge(note).category) == ("decision", "lesson")
    assert one.judge(said).scores == other.judge(said).scores
    assert other.judge(said).category == "decision"


def test_words_of_a_kind_tell_the_category_and_what_is_worth_keeping(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = _script("train_judge", monkeypatch)
    learnt = Weights(train.learn(train.read_examples(folder, own=False), None, report=False).raw)

    said = learnt.rows({"@says decide": 1.0, "@says prefer": 1.0})

    assert len(said) == 2
    assert learnt.score("worth", said) > learnt.score("worth", [])
    assert learnt.score("worth decision", said) != learnt.score("worth decision", [])


def _worth(raw: dict[str, Any]) -> dict[int, int]:
    """Return the weights of what is worth keeping by their features; their order is that of the kinds."""
    return dict(zip(unpacked("I", raw["keys"]), unpacked("b", raw["outputs"]["worth"]["weights"]), strict=True))


def test_notes_that_teach_only_categories_do_not_teach_what_is_worth_keeping_nor_whom_it_is_about(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = _script("train_judge", monkeypatch)
    before = train.read_examples(folder, own=False)
    note = _note("barge") | {"set": train.ONLY_CATEGORIES}  # a word of one author counts nowhere
    note["facts"] = [mark | {"category": ["lesson"]} for mark in note["facts"]]
    rows = [note | {"file": f"{number}.md"} for number in range(train.FOLDS)]
    with (folder / "notes.jsonl").open("a", encoding="utf-8") as notes:
        notes.writelines(json.dumps(row) + "\n" for row in rows)

    after = train.read_examples(folder, own=False)

    one, other = (train.learn(examples, None, report=False).raw for examples in (before, after))
    assert len(after) > len(before)
    assert _worth(one) == _worth(other)
    assert "worth lesson" in other["outputs"].keys() - one["outputs"].keys()
    assert train.learn_subjects(before, report=False) == train.learn_subjects(after, report=False)


def test_the_file_has_weights_of_kinds_for_the_first_features_and_of_worth_for_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    train = _script("train_judge", monkeypatch)
    names = ["decided", "later", "oil", "we", "agreed", "settled"]
    outputs = {
        "worth": [90, 30, 20, 0, 5, 0],
        "meaning": [0, 0, 40, 0, 0, 0],
        "worth decision": [0, 0, 0, 70, 60, 2],
        "worth decision in notes": [0, 0, 1, 0, 50, 40],
    }
    packed = {}
    for name, row in outputs.items():
        weights, scale = train.packed(row, "b")
        packed[name] = {"bias": 0.0, "scale": scale, "weights": weights}
    keys = train.packed_keys([zlib.crc32(name.encode()) for name in names])
    left = train.lean({"format": FORMAT, "keys": keys, "outputs": packed}, 2, 2)
    weights = Weights(left)

    def scores(output: str) -> list[int]:
        return [round(weights.score(output, weights.rows({name: 1.0}))) for name in names]

    assert {name: len(unpacked("b", one["weights"])) for name, one in left["outputs"].items()} == {
        "worth": 5,
        "meaning": 5,
        "worth decision": 3,
        "worth decision in notes": 3,
    }
    assert scores("worth") == [90, 0, 20, 0, 5, 0]  # "later" has no place left
    assert scores("meaning") == [0, 0, 40, 0, 0, 0]
    assert scores("worth decision") == [0, 0, 0, 70, 60, 0]  # "settled" has one for notes
    assert scores("worth decision in notes") == [0, 0, 0, 0, 50, 40]


def test_a_chance_is_the_share_that_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    train = _script("train_judge", monkeypatch)
    import numpy as np

    random = np.random.default_rng(7)
    scores = random.normal(size=20_000)
    truth = (random.random(20_000) < 1 / (1 + np.exp(-(0.6 * scores - 0.4)))).astype(float)

    chance = train.chance_of(scores, train.calibrated(scores, truth))

    for low in (0.2, 0.3, 0.4, 0.5, 0.6):
        rows = (chance >= low) & (chance < low + 0.1)
        assert abs(chance[rows].mean() - truth[rows].mean()) < 0.03


def test_what_is_sure_has_the_asked_precision_and_no_more_is_left_out_than_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    train = _script("train_judge", monkeypatch)
    import numpy as np

    chance, truth = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4]), np.array([1.0, 0.0, 1.0, 1.0, 0.0, 0.0])

    assert train.sure_from(chance, truth, 0.75) == 0.6
    assert train.sure_from(chance, truth, 1.0) == 0.9
    assert train.sure_from(chance, np.zeros(6), 0.75) == 1.0


def test_an_author_is_in_one_fold(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = _script("extraction_runs", monkeypatch)
    examples = _script("train_judge", monkeypatch).read_examples(folder)

    folds = runs.parted(examples, 5)

    assert len(folds) == 5
    assert sorted(author for fold in folds for author in fold) == sorted(
        {one.author for one in examples if not one.is_invented}
    )


def test_what_is_below_its_bar_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = _script("extraction_runs", monkeypatch)
    table = """            texts  must  facts   kept  right categ. useful  precise  dated
        notes en         5    50     90  0.700  0.600  0.900  0.420    0.710  0.100
        notes ru         1    10     12  0.700  0.500  0.900  0.350    0.690  0.100
        notes all        6    60    102  0.700  0.600  0.900  0.550    0.740  0.700
        ALL all          6    60    102  0.100  0.100  0.100  0.100    0.100  0.100"""

    assert list(runs.below_bars(table)) == [
        "below its bar: notes ru (1 texts): useful 0.350 (0.40), precise 0.690 (0.70)",
        "below its bar: notes all (6 texts): precise 0.740 (0.75)",
    ]


def test_the_packaged_weights_know_every_category_with_and_without_vectors() -> None:
    outputs = Weights.load(judge.FILE).outputs

    for variant in ("worth", "meaning"):
        kinds = {f"{variant} {category.value}{place}" for category in Category for place in ("", " in notes")}
        assert {variant, *kinds} <= set(outputs)
    decided = load_judge().judge(Line("We decided to use PostgreSQL 16 for billing", headings=("Decisions",)))
    assert decided.chance >= CANDIDATE_FROM


def test_each_mark_of_an_invented_chat_stands_once_in_its_turn() -> None:
    fields, mark_fields = {"set", "id", "lang", "date", "cwd", "turns", "facts"}, {"text", "when", *_mark("", "", "")}
    files = sorted((SCRIPTS / "judge_chats").glob("*.jsonl"))
    rows = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]

    assert len(files) >= 6
    assert len({row["id"] for row in rows}) == len(rows)
    for row in rows:
        said = {turn["id"]: turn["text"] for turn in row["turns"]}
        assert (fields, len(row["turns"])) == (set(row), len(said)), row["id"]
        for mark in row["facts"]:
            assert mark_fields == set(mark), row["id"]
            assert said[mark["turn"]].count(mark["quote"]) == 1, mark
            assert mark["level"] in {"must", "may"}, mark
            assert mark["category"], mark
            assert set(mark["category"]) <= {category.value for category in Category}, mark
            assert all(about.startswith(("people/", "projects/")) for about in mark["about"]), mark


def test_each_mark_of_an_invented_note_stands_once_in_it() -> None:
    fields, mark_fields = (
        {"set", "agent", "file", "date", "lang", "text", "facts"},
        {"text", "when", *_mark("", "", "")},
    )
    files = sorted([*SCRIPTS.glob("**/judge_notes/*.jsonl"), *SCRIPTS.glob("judge_categories/*.jsonl")])
    of_files = [(file, json.loads(line)) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    rows = [row for _, row in of_files]

    assert len({row["file"] for row in rows}) == len(rows)
    for file, row in of_files:
        assert row["set"] == ("own-categories" if file.parent.name == "judge_categories" else "own"), row["file"]
    for row in rows:
        assert fields == set(row), row["file"]
        for mark in row["facts"]:
            assert mark_fields - {"turn"} == set(mark), mark
            assert row["text"].count(mark["quote"]) == 1, mark
            assert mark["level"] in {"must", "may"}, mark
            assert mark["category"], mark
            assert set(mark["category"]) <= {category.value for category in Category}, mark
            assert all(about.startswith(("people/", "projects/")) for about in mark["about"]), mark


def test_no_hand_of_the_texts_aside_is_learned_from() -> None:
    def hands(folder: Path) -> set[str]:
        files = [file for name in ("notes", "categories", "chats") for file in folder.glob(f"judge_{name}/*.jsonl")]
        rows = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
        return {row.get("agent") or row["id"].rpartition("-")[0] for row in rows}

    learned, aside = hands(SCRIPTS), hands(SCRIPTS / "weeks_aside")

    assert learned
    assert aside
    assert learned & aside == set()
