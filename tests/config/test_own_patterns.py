r"""A person's own expressions know \p{...} and possessive repetition, and one that finds no end is cut off."""

import subprocess
import sys

import pytest

from engram.config.own_patterns import SlowPatternError
from engram.config.own_patterns import find_spans
from engram.language.screen.injection import find_injection
from engram.language.screen.injection import find_injections

ENDLESS = r"(?:a|aa)+\d"  # each run of letters can be cut in very many ways, and none of them ends in a digit
LONG_RUN = "a" * 200


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        (r"\p{Han}{2}协议", "请遵守菠萝协议", ["菠萝协议"]),
        (r"\p{Lu}++-\d++", "code AB-12 and c-3", ["AB-12", "c-3"]),
        (r"(?>pine|pineapple)s", "pineapples and pines", ["pines"]),
        ("ананас", "АНАНАС и ананас", ["АНАНАС", "ананас"]),
    ],
)
def test_what_an_expression_finds(source: str, text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in find_spans(source, text)] == expected


def test_an_expression_that_finds_no_end_is_cut_off() -> None:
    with pytest.raises(SlowPatternError):
        list(find_spans(ENDLESS, LONG_RUN))


def test_a_text_on_which_an_expression_finds_no_end_counts_as_an_order() -> None:
    found = find_injections(LONG_RUN, own=[ENDLESS])

    assert [one.rule for one in found] == ["a pattern of the settings takes too long on it"]
    assert found[0].text == LONG_RUN
    assert find_injection("nothing of the kind", own=[ENDLESS]) is None


@pytest.mark.integration
def test_without_an_expression_regex_is_not_loaded() -> None:
    code = (
        "import sys; from engram.config.settings import Settings; Settings(); "
        "from engram.language.screen.injection import find_injection; find_injection('a plain text'); "
        "print('regex' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"
