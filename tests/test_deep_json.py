"""At every door that reads JSON from outside, a value that is nested without end is one refused value."""

import json
from pathlib import Path

import pytest

from engram.hooks.background.deferred_requests import requests_folder
from engram.hooks.run import run_hook
from engram.model.fact import Actor
from engram.workspace import Workspace
from tests.conftest import Answer
from tests.conftest import Engram

DEEP = "[" * 50_000 + "]" * 50_000
HALF = "[" * 400 + "]" * 400  # deep enough to harm only who looks at it later
DEPTHS = pytest.mark.parametrize("deep", [DEEP, HALF], ids=["very", "half"])


def has_no_accident(answer: Answer) -> bool:
    return "Traceback" not in answer.err and "Recursion" not in answer.err + answer.out


@DEPTHS
def test_a_hook_passes_over_it(workspace: Workspace, deep: str) -> None:
    done = run_hook("user-prompt", f'{{"prompt": "I prefer tea", "more": {deep}}}'.encode(), str(workspace.paths.root))

    assert done is not None
    assert (done.outcome, done.command_ids) == ("refused", ())
    assert "nested too deeply" in workspace.paths.hooks_log.read_text()


@DEPTHS
def test_one_deep_line_costs_no_other_line(workspace: Workspace, engram: Engram, tmp_path: Path, deep: str) -> None:
    good = {"entity": "people/anna", "fact": "Anna prefers tea", "category": "preference", "create": True}
    lines = tmp_path / "lines.jsonl"
    lines.write_text(f'{{"entity": "people/anna", "fact": {deep}}}\n{json.dumps(good)}\n')

    written = engram("write", "--jsonl", str(lines), "--json")
    assert written.code == 2
    assert [json.loads(line)["status"] for line in written.out.splitlines()][-1] == "created"

    lines.write_text(f'{{"id": 1, "query": {deep}}}\n{{"id": 2, "query": "tea"}}\n')
    asked = engram("recall", "--jsonl", str(lines), "--json")
    assert asked.code == 2
    assert [json.loads(line).get("answer") for line in asked.out.splitlines()] == [None, "found"]

    lines.write_text(f'{{"text": {deep}}}\n{{"text": "I prefer tea"}}\n')
    judged = engram("signal", "--jsonl", str(lines), "--json")
    assert all(has_no_accident(answer) for answer in (written, asked, judged))


@DEPTHS
def test_a_deep_command_in_the_spool_is_set_aside_and_the_next_is_applied(
    workspace: Workspace, engram: Engram, deep: str
) -> None:
    workspace.paths.spool.mkdir(exist_ok=True)
    (workspace.paths.spool / "00000000000000000001-0-x.json").write_text(f'{{"v": 1, "args": {deep}}}')
    workspace.submit("write", {"entity": "people/anna", "text": "Anna prefers tea", "create": True}, actor=Actor.USER)

    assert [fact["text"] for fact in engram("facts", "--json").json["facts"]] == ["Anna prefers tea"]
    assert len(list((workspace.paths.spool / "rejected").glob("*.json"))) == 1


@DEPTHS
def test_a_deep_request_that_a_hook_left_is_done_with(workspace: Workspace, engram: Engram, deep: str) -> None:
    folder = requests_folder(workspace.paths)
    folder.mkdir(parents=True)
    (folder / "deep.json").write_text(f'{{"do": "capture", "path": {deep}}}')

    assert engram("hooks", "flush").code == 0
    assert not (folder / "deep.json").exists()


@DEPTHS
@pytest.mark.parametrize("name", ["memory.json", "conversations.json", "rows.jsonl"])
def test_a_deep_import_is_a_remark(engram: Engram, tmp_path: Path, deep: str, name: str) -> None:
    file = tmp_path / name
    file.write_text(f'{{"type": "entity", "name": "Anna", "observations": {deep}}}\n')

    for form in ("mcp-memory", "chatgpt", "jsonl", "mem0"):
        assert has_no_accident(engram("import", form, str(file), "--json")), form
    assert has_no_accident(engram("capture", str(file), "--json"))


@DEPTHS
def test_a_deep_record_of_a_run_is_a_finding(workspace: Workspace, engram: Engram, deep: str) -> None:
    (workspace.paths.runs / "01deep.json").write_text(f'{{"status": {deep}}}')

    for command in (("doctor", "--json"), ("heartbeat", "log"), ("heartbeat", "status"), ("status",)):
        assert has_no_accident(engram(*command)), command
    assert "run-damaged" in {one["code"] for one in engram("doctor", "--json").json["findings"]}
