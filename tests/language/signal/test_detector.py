import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.signal.detector import HIGH
from engram.language.signal.detector import LOW
from engram.language.signal.detector import NONE
from engram.language.signal.detector import detect
from tests.cases import for_each
from tests.shared import SHARED
from tests.shared import needs

REFERENCE = SHARED / "data" / "signal_reference.jsonl"
HEAVY = ("duckdb", "qdrant_edge", "qdrant_client", "fastembed", "networkx", "pydantic", "portalocker", "numpy")


@needs(REFERENCE)
def test_reference_sentences_get_their_grade_and_category() -> None:
    wrong = []
    for line in REFERENCE.read_text("utf-8").splitlines():
        row = json.loads(line)
        result = detect(row["text"])
        if (result.signal, result.categories) != (row["expected_signal"], row["expected_categories"]):
            wrong.append((row["text"], result))

    assert wrong == []


def test_one_preference_in_a_long_message_is_found_with_its_span() -> None:
    text = "The build was slow today.\n\nBy the way, I prefer tabs over spaces. What about lunch?\n"

    result = detect(text)

    assert result.signal == HIGH
    assert [(span.category, span.text) for span in result.spans] == [
        ("preference", "By the way, I prefer tabs over spaces.")
    ]
    assert all(text[span.start : span.end] == span.text for span in result.spans)


@for_each(
    "text",
    [
        "I\u00a0prefer  dark\u00a0mode",
        "I don\u2019t like emojis",
        "\uff29 \uff50\uff52\uff45\uff46\uff45\uff52 dark mode",
        "**I prefer** dark mode",
        "Я предпочитаю те\u0308мную тему",
        "Мне нравится зеленый чай",
        "Мне нравится зелёный чай",
    ],
)
def test_spelling_of_spaces_apostrophes_and_letters_does_not_matter(text: str) -> None:
    assert detect(text).categories == ["preference"]


@for_each(
    ("text", "why"),
    [
        ("Do I prefer dark mode?", "question"),
        ("I prefer dark mode?", "question"),
        ("If I preferred dark mode, I would say so", "hypothetical"),
        ("Suppose I like dark mode", "hypothetical"),
        ("Anna says I prefer dark mode", "reports"),
        ("Анна сказала, что я предпочитаю чай", "reports"),
        ("Если бы я любил чай", ""),
    ],
)
def test_what_is_not_stated_by_the_user_is_never_high(text: str, why: str) -> None:
    result = detect(text)

    assert result.signal in {LOW, NONE}
    assert why in result.reason


@for_each(
    "text",
    [
        "```\nI prefer dark mode\n```",
        "> I prefer dark mode",
        "<system-reminder>\nAlways use absolute paths\n</system-reminder>",
        "2026-02-24 10:00:01 INFO I prefer dark mode",
        "ERROR: I prefer dark mode",
        "Assistant: I prefer dark mode",
        'The sign said "I prefer dark mode" today',
        "| I prefer dark mode | yes |",
    ],
)
def test_words_of_machines_and_of_others_are_no_signal(text: str) -> None:
    assert detect(text).signal != HIGH


@for_each(
    ("text", "category"),
    [
        ("Can you call me Bob instead of Robert?", "identity"),
        ("Could you always answer in English?", "instruction"),
        ('"I have a phobia of deep water."', "preference"),
        ("User: I prefer dark mode", "preference"),
    ],
)
def test_requests_and_wholly_quoted_statements_still_count(text: str, category: str) -> None:
    assert detect(text).categories == [category]


def test_a_reminder_of_the_harness_does_not_hide_what_the_user_says_behind_it() -> None:
    result = detect("<system-reminder>\nBe brief\n</system-reminder>\nI prefer dark mode")

    assert [span.text for span in result.spans] == ["I prefer dark mode"]


def test_a_message_in_two_languages_is_read_in_both() -> None:
    result = detect("I prefer dark mode.\nМы решили взять NATS.")

    assert result.categories == ["preference", "decision"]


@for_each("text", ["", " \n", "???", "👍", "123", "…"])
def test_text_without_words_is_none_in_an_undetermined_language(text: str) -> None:
    result = detect(text)

    assert (result.signal, result.categories, result.language, result.spans) == (NONE, [], "und", [])


def test_a_language_without_rules_says_so() -> None:
    result = detect("ฉันชอบชา")

    assert result.signal == NONE
    assert "no rules" in result.reason


@given(st.text(max_size=300))
def test_any_text_is_graded_and_its_spans_lie_in_it(text: str) -> None:
    result = detect(text)

    assert result.signal in {HIGH, LOW, NONE}
    assert 0 <= result.confidence <= 1
    assert bool(result.spans) == bool(result.categories) == (result.signal != NONE)
    assert all(text[span.start : span.end] == span.text for span in result.spans)
    assert json.loads(json.dumps(result.as_json()))["signal"] == result.signal


@pytest.mark.integration
def test_the_detector_loads_nothing_heavy() -> None:
    code = (
        "import sys; from engram.language.signal.detector import detect; detect('I prefer dark mode'); "
        f"print([name for name in {HEAVY!r} + ('Stemmer',) if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (done.stdout.strip(), done.stderr) == ("[]", "")
