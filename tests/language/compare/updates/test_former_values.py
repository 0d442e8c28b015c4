"""What a statement says that something was before: how long it may take to find it."""

import re
import time
import tomllib
from pathlib import Path

import pytest

from engram.language.compare.updates.former_values import find_former_values
from engram.language.compare.updates.former_values import happened_once
from tests.language.examples import PATTERNS


@pytest.mark.parametrize("before", ["no longer ", "We replaced ", "it does not use ", "We moved from ", "ready, not "])
@pytest.mark.parametrize("length", [200, 20_000])
def test_the_time_grows_with_a_long_word_alone(before: str, length: int) -> None:
    began = time.process_time()

    find_former_values(f"It is now {before}{'a' * length}(")

    assert time.process_time() - began < 2


@pytest.mark.parametrize("before", ["我们不再使用", "我们从"])
def test_the_time_grows_with_blanks_alone(before: str) -> None:
    began = time.process_time()

    find_former_values(f"{before}{' ' * 10_000}(")

    assert time.process_time() - began < 2


@pytest.mark.parametrize("path", sorted((PATTERNS / "former").glob("*.toml")), ids=lambda path: path.stem)
@pytest.mark.parametrize("key", ["withdrawn", "happened"])
def test_every_expression_finds_its_examples_and_only_those(path: Path, key: str) -> None:
    text = path.read_text("utf-8")
    assert key in tomllib.loads(text)
    block = re.split(rf"(?m)^{key} = .*$", text)[1]
    examples = re.match(r"\n((?:# [+-] .*(?:\n|$))+)", block)
    assert examples is not None

    for mark, example in re.findall(r"(?m)^# ([+-]) (.*)$", examples[1]):
        if key == "happened":
            found = happened_once(example)
        else:
            found = any(one.is_withdrawn and len(one.was.split()) == 1 for one in find_former_values(example))
        assert found == (mark == "+"), example
