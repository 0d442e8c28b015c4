"""The built-in children as processes."""

import json
import subprocess
from typing import Any

import pytest

from engram.heartbeat.child.phases import EXTRACTION
from engram.heartbeat.child.phases import MAINTENANCE
from engram.heartbeat.child.phases import Phase
from engram.heartbeat.child.phases import built_in_command
from engram.heartbeat.child.phases import child_environment
from engram.model.handoff import Handoff
from engram.rules.handoff.handoff import parse_handoff

pytestmark = pytest.mark.integration


def ask(phase: Phase, given: Any, memory_mb: int = 2048) -> tuple[Handoff, int]:
    text = given if isinstance(given, str) else json.dumps(given)
    done = subprocess.run(
        built_in_command(phase, memory_mb),
        input=text.encode(),
        capture_output=True,
        check=False,
        env=child_environment(),
    )
    return parse_handoff(done.stdout.decode(), phase.template), done.returncode


def question(*texts: str) -> dict[str, Any]:
    passages = [{"id": f"note/{number}", "text": text} for number, text in enumerate(texts)]
    entities = [{"path": "projects/billing", "names": ["Billing"]}]
    return {"passages": passages, "entities": entities, "owner": "", "min_mentions": 3, "background": []}


def test_extraction_answers_with_facts() -> None:
    handoff, code = ask(EXTRACTION, question("- We decided to use PostgreSQL 16 for Billing.", "- Привет"))

    assert code == 0
    assert [fact.quote for fact in handoff.facts] == ["We decided to use PostgreSQL 16 for Billing."]
    assert handoff.stats["entries"] == 2


def test_input_that_cannot_be_read_is_a_failed_hand_off() -> None:
    for given in ("", "{", "[]", "{}"):
        handoff, code = ask(EXTRACTION, given)
        assert (handoff.status.value, code) == ("failed", 1)


def test_a_child_without_enough_memory_does_not_answer_well() -> None:
    command = [*built_in_command(EXTRACTION, 2048)[:-1], "1"]
    done = subprocess.run(command, input=b"{}", capture_output=True, check=False, env=child_environment())

    assert done.returncode != 0


def test_a_stranger_in_the_folder_is_not_imported(tmp_path: Any) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('hijacked')")
    done = subprocess.run(
        built_in_command(EXTRACTION, 2048), input=json.dumps(question()).encode(), capture_output=True, check=False,
        env=child_environment(), cwd=tmp_path,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr


def test_maintenance_names_what_is_large_or_waits() -> None:
    quiet = {
        "waiting": 0, "rejected": 0, "runs": 3, "notes": 1, "large_notes": [], "limit_kb": 256, "findings": []
    }  # fmt: skip
    busy = {**quiet, "waiting": 1000, "rejected": 2, "large_notes": [{"path": "memory/a.md", "bytes": 300_000}]}

    assert ask(MAINTENANCE, quiet)[0].alerts == ()
    assert len(ask(MAINTENANCE, busy)[0].alerts) == 3
