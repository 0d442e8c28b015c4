"""Statements that exclude each other though they share no word: what somebody never does, and that they did it."""

import tomllib
from pathlib import Path

from engram.language.compare.contradiction.compare import compare
from engram.language.compare.reading.stems import fold
from engram.language.matching.language_files import read_languages
from engram.language.matching.patterns import Pattern
from engram.model.comparison import DISPUTED
from engram.model.comparison import EXCLUDING
from tests.cases import for_each
from tests.language.examples import PATTERNS
from tests.language.examples import Example
from tests.language.examples import read_examples

ROOT = Path(__file__).resolve().parents[4]
CODES = ("en", "ko", "ru", "zh")
PAIRS = [
    line.rpartition("=>")
    for code in CODES
    for line in tomllib.loads((ROOT / "scripts" / "language_cases" / f"{code}.toml").read_text("utf-8"))["seen"][
        "opposite"
    ].splitlines()
    if line.strip()
]
EXAMPLES = [example for path in sorted((PATTERNS / "stances").glob("*.toml")) for example in read_examples(path)]


@for_each("line", PAIRS)
def test_a_pair_excludes_each_other_or_does_not(line: tuple[str, str, str]) -> None:
    older, _, newer = line[0].strip().partition(" | ")

    assert (compare(newer, older).kind in EXCLUDING | DISPUTED) == (line[2].strip() == "yes")


@for_each(
    ("older", "newer", "is_clash"),
    [
        ("Annika ist Vegetarierin", "Annika hat gestern ein Schnitzel gegessen", True),
        ("Bodo trinkt abends ein Bier", "Bodo trinkt keinen Alkohol", True),
        ("Bodo hat keinen Führerschein", "Bodo fährt jeden Tag mit dem Auto zur Arbeit", True),
        ("Ich trinke keinen Kaffee", "Ich habe heute einen Espresso getrunken", True),
        ("Annika ist Vegetarierin", "Bodo hat gestern ein Schnitzel gegessen", False),
        ("Annika ist Vegetarierin", "Annika hat als Kind ein Schnitzel gegessen", False),
        ("Annika hat ein Schnitzel gegessen", "Annika ist jetzt Vegetarierin", False),
        ("Maëlle est végétarienne", "Maëlle a mangé un steak vendredi", True),
        ("Loïc ne boit pas d'alcool", "Loïc a bu deux verres de vin", True),
        ("Maëlle ne fume pas", "Maëlle fume un paquet par jour", True),
        ("Maëlle est végétarienne", "Maëlle a mangé un steak de soja", False),
        ("Maëlle est végétarienne", "Loïc a mangé un steak", False),
        ("Loïc ne boit pas d'alcool", "Loïc a presque bu un verre de vin", False),
    ],
)
def test_a_pair_in_german_or_french_does(older: str, newer: str, is_clash: bool) -> None:
    assert (compare(newer, older).kind in EXCLUDING | DISPUTED) == is_clash


@for_each("example", EXAMPLES)
def test_a_pattern_finds_its_examples_and_no_other(example: Example) -> None:
    code = Path(example.place.partition(":")[0]).stem
    pattern = Pattern(example.entry, read_languages("stances")[code]["parts"])

    assert (pattern.search(fold(example.text)) is not None) == example.found


def test_a_stance_that_began_later_excludes_nothing_of_before() -> None:
    assert compare("Anna became a vegetarian", "Anna ate a steak").kind not in DISPUTED
    assert compare("Anna ate a steak", "Anna became a vegetarian").kind in DISPUTED


def test_what_every_stance_excludes_is_a_conduct() -> None:
    for data in read_languages("stances").values():
        excluded = {name for one in data["stance"] for name in one["excludes"].split()}
        known = {name for one in data["conduct"] for name in one["name"].split()}
        assert known - excluded == set()
        assert excluded - known == set()


def test_a_speaker_is_nobody_whom_a_name_can_mean() -> None:
    assert compare("Anna ate a burger", "I am vegetarian").kind not in DISPUTED
    assert compare("I ate a burger", "I am vegetarian").kind in DISPUTED
    assert compare("She ate a burger", "Anna is vegetarian").kind in DISPUTED


def test_the_reason_says_what_does_not_go_with_what() -> None:
    assert compare("Anna ate a steak on Friday", "Anna is vegetarian").why == "vegetarian, and yet meat"
