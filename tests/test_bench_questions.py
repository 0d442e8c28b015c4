"""`scripts/bench questions`: whose notes it asks for."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shared import SHARED
from tests.shared import needs

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"
sys.path.insert(0, str(SCRIPTS))

from bench_questions import QUESTIONS  # noqa: E402 - the line above makes it known
from bench_questions import notes_of  # noqa: E402 - as above
from bench_questions import own_agents_command  # noqa: E402 - as above

DATA = SHARED / "data"
NOTE = "# 2 March\n\n- The tide reader listens on port 7350\n"


def test_an_agents_notes_are_asked_for_as_its_own(tmp_path: Path) -> None:
    """Another agent's notes are kept from who asks without a name: then the bench would measure facts alone."""
    engram, workspace = own_agents_command(tmp_path / "engram"), tmp_path / "some-agent"
    subprocess.run([engram, "init", workspace], check=True, capture_output=True)
    note = workspace / "memory" / "some-agent" / "main" / "2026-03-02.md"
    note.parent.mkdir(parents=True)
    note.write_text(NOTE, encoding="utf-8")

    ask = [str(engram), "--workspace", str(workspace), "recall", "port of the tide reader"]
    found = subprocess.run(ask, check=True, capture_output=True, text=True)

    assert "listens on port 7350" in found.stdout


@needs(DATA / "daily_notes.tar.gz")
@needs(DATA / "extraction")
@pytest.mark.parametrize("half", ["dev", "held"])
def test_every_answer_stands_in_a_note_that_is_there(half: str) -> None:
    questions = [json.loads(line) for line in (QUESTIONS / f"{half}.jsonl").read_text(encoding="utf-8").splitlines()]
    notes = {f"{agent}/{name}" for agent, name, _ in notes_of(DATA, {one["agent"] for one in questions})}

    assert {one["file"] for one in questions if one["answers"]} <= notes
