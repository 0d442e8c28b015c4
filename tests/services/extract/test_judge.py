"""The learned judge: its weights hold no texts, and any line gets a chance."""

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from engram.services.extract import judge
from engram.services.extract.judge import load_judge
from engram.services.extract.lines.line import Line
from engram.services.extract.lines.vectors import line_vector
from engram.services.extract.lines.vectors import pack_vectors
from engram.services.extract.lines.vectors import texts_to_embed
from engram.services.extract.lines.vectors import unpack_vectors
from engram.services.extract.subject import attribution

DIMENSIONS = 384  # of the model that the weights were learned with


def test_the_weights_hold_numbers_and_the_names_of_outputs_only() -> None:
    for file in (judge.FILE, attribution.FILE):
        raw = json.loads(file.read_text(encoding="utf-8"))
        words = re.findall(r"[^\W\d_]{3,}", json.dumps([list(raw), list(raw["outputs"]), raw.get("facts", {})]))

        assert set(raw) <= {"format", "keys", "outputs", "facts"}
        assert len(words) < 120
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
