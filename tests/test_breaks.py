"""What `scripts/mutate` breaks: one place at a time, in ways that run, and the tests of a module notice."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.breaks import Break
from tests.breaks import list_breaks

ROOT = Path(__file__).resolve().parent.parent
DECAY = "engram/rules/life/decay.py"


@pytest.mark.parametrize("path", [DECAY, "engram/store/journal/file_journal.py", "engram/rules/writes/write_plan.py"])
def test_every_break_is_code_and_differs_from_what_stands_there_in_one_place(path: str) -> None:
    whole = ast.dump(ast.parse((ROOT / path).read_text()))

    breaks = list_breaks(path)

    assert len(breaks) > 20
    assert [one.shown() for one in breaks if ast.dump(ast.parse(one.source())) == whole] == []


def test_all_kinds_are_tried_and_types_and_docstrings_are_left_alone() -> None:
    found = list_breaks("engram/store/journal/file_journal.py")

    kinds = {"comparison", "condition", "and/or", "not", "constant", "left out", "return"}
    assert {one.kind for one in found} == kinds
    assert [one for one in found if one.new == "pass" and '"""' in one.shown()] == []


def test_a_broken_module_is_noticed_and_the_file_stays_as_it_is(tmp_path: Path) -> None:
    before = (ROOT / DECAY).read_bytes()
    first = next(one for one in list_breaks(DECAY) if one.function == "tier_of" and one.kind == "condition")
    mutant = tmp_path / "mutant.json"

    assert run(mutant, first._replace(new=before[first.start : first.end].decode())) == 0
    assert run(mutant, first) == 1
    assert (ROOT / DECAY).read_bytes() == before


def run(mutant: Path, broken: Break) -> int:
    mutant.write_text(json.dumps({"path": broken.path, "source": broken.source()}))
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "tests.altered", "--mutant", str(mutant)]
    done = subprocess.run([*command, "tests/rules/life/test_decay.py"], cwd=ROOT, capture_output=True, check=False)
    return done.returncode
