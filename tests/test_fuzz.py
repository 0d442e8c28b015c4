"""`scripts/fuzz`: what it found stays mended, each target takes some damaged input, and it would see a fault."""

import random
import re
import sys
import zlib
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"
sys.path.insert(0, str(SCRIPTS))

import fuzz_patterns  # noqa: E402 - the line above makes it known
from fuzz_long import slowness_of  # noqa: E402 - as above
from fuzz_patterns import beginnings  # noqa: E402 - as above
from fuzz_patterns import slowness  # noqa: E402 - as above
from fuzz_readers import READERS  # noqa: E402 - as above
from fuzz_targets import TARGETS  # noqa: E402 - the line above makes it known
from fuzz_targets import Target  # noqa: E402 - as above
from fuzz_targets import finding  # noqa: E402 - as above
from fuzz_targets import mutated  # noqa: E402 - as above

from engram.config.hook_settings import HookChoices  # noqa: E402 - as above
from engram.config.hook_settings import read_hook_choices  # noqa: E402 - as above
from engram.config.settings import load_settings  # noqa: E402 - as above
from engram.errors import NewerFormatError  # noqa: E402 - as above
from engram.errors import SettingsError  # noqa: E402 - as above
from engram.store.journal.line import place_of  # noqa: E402 - as above
from engram.workspace import Workspace  # noqa: E402 - as above
from tests.effort import examples  # noqa: E402 - as above


@pytest.mark.parametrize("name", TARGETS)
def test_sound_18_damaged_input_is_read_or_refused(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    target, chance = TARGETS[name](), random.Random()

    found = [(problem, data) for data in _inputs(target, chance) if (problem := finding(target, data))]

    assert found == []


def _inputs(target: Target, chance: random.Random) -> list[bytes]:
    return [*target.seeds, *(mutated(chance, target.seeds) for _ in range(examples(15)))]


def test_sound_18_a_reader_that_breaks_is_found() -> None:
    assert finding(Target(lambda data: data.decode(), (b"a",)), b"\xff").startswith("UnicodeDecodeError")
    assert finding(Target(lambda data: data.decode(), (b"a",), (ValueError,)), b"\xff") == ""


@pytest.mark.parametrize("body", [b'{"position":1e999,"previous":""}', b'{"position":' + b"[" * 50_000])
def test_sound_18_a_whole_line_of_the_journal_that_nobody_can_read_is_one_of_a_newer_engram(body: bytes) -> None:
    with pytest.raises(NewerFormatError):
        place_of(f"{zlib.crc32(body):08x} ".encode() + body, "000000000001.jsonl")


def test_sound_18_settings_that_are_nested_without_end_are_refused_in_words(workspace: Workspace) -> None:
    workspace.paths.settings.write_text(f"a = {'[' * 50_000}")

    with pytest.raises(SettingsError, match="nested too deeply"):
        load_settings(workspace.paths.settings)
    assert read_hook_choices(workspace.paths) == HookChoices()


@pytest.mark.parametrize(("source", "is_slow"), [(r"\s*!", True), (r"\s!", False)])
def test_sound_18_an_expression_whose_time_grows_faster_than_the_text_is_found(
    source: str, is_slow: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuzz_patterns, "SLOW_S", 0.2)
    monkeypatch.setattr(fuzz_patterns, "MOST_S", 0.3)
    assert bool(slowness(re.compile(source))) == is_slow


def test_sound_18_an_expression_is_tried_behind_the_words_that_it_begins_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz_patterns, "SLOW_S", 0.04)
    monkeypatch.setattr(fuzz_patterns, "MOST_S", 0.05)
    pattern = re.compile(r"\bno (?:longer|more) (?:\w+ ?)+ end")

    assert beginnings(pattern) == ["no longer ", "no more "]
    assert "behind 'no longer '" in slowness(pattern)
    assert slowness(re.compile(r"\bno longer \w{1,20} end")) == ""


@pytest.mark.parametrize("name", READERS)
def test_sound_18_long_text_behind_words_that_mean_something_is_read_quickly(name: str) -> None:
    found = [slowness_of(name, words, "a") for words in ("no longer ", "instead of ", "until ")]

    assert found == ["", "", ""]
