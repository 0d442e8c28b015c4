"""The learned judge: its weights hold no texts, and any line gets a chance."""

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from engram.model.vocabulary import Category
from engram.services.extract import judge
from engram.services.extract.extract import category_of
from engram.services.extract.judge import Verdict
from engram.services.extract.judge import choose_category
from engram.services.extract.judge import load_judge
from engram.services.extract.lines.line import Line
from engram.services.extract.lines.vectors import line_vector
from engram.services.extract.lines.vectors import pack_vectors
from engram.services.extract.lines.vectors import texts_to_embed
from engram.services.extract.lines.vectors import unpack_vectors
from engram.services.extract.subject import attribution
from tests.cases import for_each

DIMENSIONS = 384  # of the model that the weights were learned with


def test_the_weights_hold_numbers_and_the_names_of_outputs_only() -> None:
    kinds = [f" {category.value}{place}" for category in Category for place in ("", " in notes")]
    outputs = {f"{variant}{kind}" for variant in ("worth", "meaning") for kind in ("", *kinds)}
    for file, names in ((judge.FILE, outputs), (attribution.FILE, {"subject", "subject of a note"})):
        raw = json.loads(file.read_text(encoding="utf-8"))
        words = re.findall(r"[^\W\d_]{3,}", json.dumps([list(raw), raw.get("facts", {})]))

        assert set(raw) <= {"format", "keys", "outputs", "facts"}
        assert len(words) < 40
        assert set(raw["outputs"]) <= names
        for output in raw["outputs"].values():
            assert set(output) <= {"bias", "scale", "weights", "dense", "dense_scale"}


def test_the_weights_are_a_few_hundred_kilobytes_at_most() -> None:
    assert judge.FILE.stat().st_size + attribution.FILE.stat().st_size < 400_000


def test_a_decision_is_surer_than_a_work_log() -> None:
    decided = load_judge().judge(
        Line(
            "We decided to use PostgreSQL 16 for billing", headings=("Decisions",), grade="high", signals=("decision",)
        )
    )
    logged = load_judge().judge(Line("Read three files and ran the tests", headings=("Log",)))

    assert decided.is_sure
    assert decided.chance > logged.chance
    assert not logged.is_sure


@for_each(
    ("signal", "speaker", "scores", "category"),
    [
        ("identity", "user", {Category.IDENTITY: -0.4, Category.MILESTONE: 2.0}, Category.IDENTITY),
        ("identity", "user", {Category.IDENTITY: -0.6, Category.MILESTONE: -1.0}, Category.IDENTITY),
        ("preference", "user", {Category.PREFERENCE: -0.6, Category.IDENTITY: 0.2}, Category.IDENTITY),
        (
            "preference",
            "Ines",
            {Category.PREFERENCE: -2.0, Category.MILESTONE: -1.0, Category.STATUS: 3.0},
            Category.MILESTONE,
        ),
        ("instruction", "user", {Category.INSTRUCTION: -2.0, Category.DECISION: 1.0}, Category.INSTRUCTION),
        ("decision", "Ines", {Category.DECISION: -2.0, Category.PREFERENCE: 1.0}, Category.DECISION),
        ("preference", "", {Category.PREFERENCE: -2.0, Category.IDENTITY: 1.0}, Category.PREFERENCE),  # of a note
    ],
)
def test_the_judge_corrects_what_a_loose_rule_says_of_talk(
    signal: str, speaker: str, scores: dict[Category, float], category: Category
) -> None:
    line = Line("So it is", speaker=speaker, is_user=speaker == "user", grade="high", signals=(signal,))

    assert category_of(line, Verdict(0.9, True, Category.STATUS, scores)) == category


@for_each(
    "said",
    [
        "I'm vegan.",
        "I'm allergic to shellfish.",
        "Ich bin Vegetarier.",
        "Soy alérgica a las nueces.",
        "У меня аллергия на орехи.",
        "我对花生过敏。",
    ],
)
def test_what_somebody_cannot_eat_is_never_only_how_things_stand(said: str) -> None:
    line = Line(said, speaker="user", is_user=True, grade="high", signals=("preference",))

    assert category_of(line, load_judge().judge(line)) in {Category.PREFERENCE, Category.IDENTITY}


def test_where_the_judge_has_not_looked_a_rule_stands() -> None:
    line = Line("So it is", speaker="Ines", grade="high", signals=("identity",))
    verdict = load_judge().judge(line)

    assert not verdict.is_sure
    assert category_of(line, verdict) == Category.IDENTITY


@for_each(
    ("promise", "status", "category"),
    [
        (1.0, 0.5, Category.COMMITMENT),
        (1.0, 1.4, Category.COMMITMENT),  # every promise is a status, too: a little behind it is enough
        (1.0, 1.6, Category.STATUS),
        (-0.6, -0.7, Category.STATUS),
    ],
)
def test_a_finer_category_may_fall_a_little_behind(promise: float, status: float, category: Category) -> None:
    assert choose_category({Category.COMMITMENT: promise, Category.STATUS: status}) == category


@given(st.text(max_size=300), st.sampled_from(["", "user", "assistant", "Ines"]), st.booleans())
def test_any_line_gets_a_chance(text: str, speaker: str, has_vector: bool) -> None:
    line = Line(text, speaker=speaker, is_user=speaker == "user", is_agent=speaker == "assistant")
    verdict = load_judge().judge(line, [0.05] * (2 * DIMENSIONS) if has_vector else ())

    assert 0 <= verdict.chance <= 1


def test_vectors_come_back_as_they_went_to_the_child() -> None:
    line = Line("The gate polls every 60 seconds", headings=("Gate",))
    vectors = {text: [0.5, -0.25] for text in texts_to_embed(line)}

    assert line_vector(line, unpack_vectors(pack_vectors(vectors))) == [0.5, -0.25, 0.5, -0.25]
    assert line_vector(line, {}) == []
