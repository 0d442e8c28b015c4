"""The files in patterns/corrections: each expression has examples, and finds what it should and nothing else."""

import re
import tomllib
from pathlib import Path

import pytest

from engram.language.compare.corrections.corrections import MAX_CHARS
from engram.language.compare.corrections.corrections import read_correction
from engram.language.matching.patterns import phrases
from tests.language.examples import PATTERNS

FILES = sorted((PATTERNS / "corrections").glob("*.toml"))
APOSTROPHES = str.maketrans({"’": "'"})


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("kind", ["lead", "contrast", "tail", "heard"])
def test_every_expression_finds_its_examples_and_only_those(path: Path, kind: str) -> None:
    text = path.read_text("utf-8")
    entries = tomllib.loads(text)[kind]
    blocks = re.split(rf"(?m)^\[\[{kind}\]\]$", text)[1:]
    assert len(blocks) == len(entries)
    for entry, block in zip(entries, blocks, strict=True):
        examples = re.findall(r"(?m)^# ([+-]) (.*)$", re.split(r"(?m)^\[\[", block)[0])
        assert {"+", "-"} == {mark for mark, _ in examples}
        pattern = re.compile(entry["pattern"], re.IGNORECASE)
        for mark, example in examples:
            said, _, sides = example.partition(" => ")
            found = pattern.match(said) if kind in {"lead", "heard"} else pattern.search(said)
            assert (found is not None) == (mark == "+"), example
            if found is not None:
                assert any(near in said.casefold() for near in phrases(entry["near"])), example
            if sides:
                assert found is not None
                assert f"{found['wrong']} | {found['right']}" == sides, example


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_bare_statement_is_what_is_right(path: Path) -> None:
    text = path.read_text("utf-8")
    [entry], [block] = tomllib.loads(text)["bare"], text.split("[[bare]]")[1:]
    examples = re.findall(r"(?m)^# [+] (.*) => (.*)$", block)
    assert examples
    for said, right in examples:
        found = re.fullmatch(entry["pattern"], said, re.IGNORECASE)
        assert found is not None
        assert right == found["right"], said


@pytest.mark.parametrize(
    ("said", "before", "earlier"),
    [
        (
            "Had a call with Marta: the demo is on dec 11 instead of the 4th",
            "the demo is on ",
            "Had a call with Marta:",
        ),
        ("hey. Marta wrote: the demo is on dec 11 instead of the 4th", "the demo is on ", "hey. Marta wrote:"),
        ("the demo with Marta: dec 11 instead of the 4th", "the demo with Marta: ", ""),
    ],
)
def test_from_whom_somebody_has_it_is_no_part_of_what_is_put_right(said: str, before: str, earlier: str) -> None:
    found = read_correction(said)

    assert found is not None
    assert (found.before, found.earlier, found.wrong, found.right) == (before, earlier, "4th", "dec 11")


def test_a_long_text_tells_a_story_and_takes_nothing_back() -> None:
    assert read_correction("No, " + "the limit is 64 " * (MAX_CHARS // 16)) is None


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_answer_is_no_bare_statement(path: Path) -> None:
    text = path.read_text("utf-8")
    [entry], [block] = tomllib.loads(text)["bare"], text.split("[[bare]]")[1:]

    answers = re.findall(r"(?m)^# [-] (.*)$", block)

    assert answers
    assert all(re.match(entry["reply"], said, re.IGNORECASE) for said in answers)
