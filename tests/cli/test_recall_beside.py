"""Two processes with many questions each to one workspace: both are answered, whoever holds the index."""

import json
import subprocess
import sys
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from engram.workspace import Workspace
from tests.conftest import Engram
from tests.conftest import WorkspaceWith

QUESTIONS = 80  # of which the answers are several times what a pipe holds
TALKS = {"garden": "the hose and the seed", "harbour": "the ferry and the tide", "kitchen": "the oven and the bread"}
LONG = " and so on" * 300


def talk(workspace: Workspace) -> None:
    """Three sessions of long turns, and one fact, in an index of words."""
    for name, subject in TALKS.items():
        turns = [{"id": f"turn/{name}-{place}", "text": f"we spoke of {subject}, {place}{LONG}"} for place in range(4)]
        workspace.submit("capture", {"session": name, "turns": turns})
    workspace.submit("write", {"entity": "people/anna", "text": "Anna owns a ferry", "create": True})
    workspace.index.catch_up()


@pytest.fixture
def talked(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(talk)


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    subjects = list(TALKS.values())
    lines = [json.dumps({"id": place, "query": subjects[place % 3]}) for place in range(QUESTIONS)]
    path.write_text("\n".join(lines))
    return path


Asking = Callable[[Path], "subprocess.Popen[str]"]


@pytest.fixture
def begin(talked: Workspace) -> Iterator[Asking]:
    """Begin to ask in a process of its own; what it says is not read yet, so it stops when the pipe is full."""
    begun: list[subprocess.Popen[str]] = []

    def ask(path: Path) -> "subprocess.Popen[str]":
        command = [sys.executable, "-m", "engram", "--workspace", str(talked.paths.root), "recall"]
        options = ["--jsonl", str(path), "--by", "session", "--json"]
        begun.append(subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True, encoding="utf-8"))
        return begun[-1]

    yield ask
    for process in begun:
        process.kill()
        process.communicate()


def first_line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def rest(process: "subprocess.Popen[str]") -> list[str]:
    assert process.stdout is not None
    lines = list(process.stdout)
    assert process.wait() == 0
    return lines


def best(lines: list[str]) -> list[str]:
    """Return the session that each answer puts first; every answer was given from the index."""
    answers = [json.loads(line) for line in lines]
    assert not any("busy" in words for answer in answers for words in answer["degraded"])
    return [answer["hits"][0]["id"] for answer in answers]


EXPECTED = [list(TALKS)[place % 3] for place in range(QUESTIONS)]


def test_who_asks_much_leaves_the_index_to_others_between_two_turns(begin: Asking, asked: Path) -> None:
    long = begin(asked)
    begun = first_line(long)  # and it stands, since nobody reads on

    assert best(rest(begin(asked))) == EXPECTED
    assert best([begun, *rest(long)]) == EXPECTED


def test_who_stands_at_its_output_keeps_nobody_from_writing(begin: Asking, asked: Path, engram_process: Engram) -> None:
    long = begin(asked)
    begun = first_line(long)

    written = engram_process("write", "--entity", "people/anna", "--fact", "Anna plays chess", "--json")

    assert written.json["status"] == "created"
    assert best([begun, *rest(long)]) == EXPECTED


def impatient(workspace: Workspace) -> None:
    with workspace.paths.settings.open("a") as settings:
        settings.write("\n[store]\nwait_s = 0.1\n")


def answers_of(printed: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in printed.splitlines()]


@contextmanager
def held(workspace: Workspace) -> Iterator[None]:
    """Hold the index, as a process that does not let go of it in time."""
    with workspace.index.lock("somebody").hold(wait_s=0):
        yield


def test_an_index_that_stays_busy_is_said_and_facts_are_found_without_it(
    talked: Workspace, asked: Path, engram_process: Engram
) -> None:
    impatient(talked)
    with held(talked):
        done = engram_process("recall", "--jsonl", str(asked), "--by", "session", "--json")
        one = engram_process("recall", "Anna's ferry", "--json").json

    answers = answers_of(done.out)
    assert done.code == 0
    assert {answer["answer"] for answer in answers} == {"degraded"}
    assert {answer["index_lag"] for answer in answers} == {0}
    assert all("the index is busy: index is held by somebody" in answer["degraded"][0] for answer in answers)
    assert "people/anna-001" in {hit["id"] for hit in one["hits"]}


def test_nothing_found_beside_a_busy_index_is_not_called_unknown(talked: Workspace, engram_process: Engram) -> None:
    impatient(talked)
    with held(talked):
        answer = engram_process("recall", "submarine", "--by", "session", "--json").json

    assert (answer["answer"], answer["hits"]) == ("degraded", [])


def test_strict_refuses_what_a_busy_index_could_not_answer(
    talked: Workspace, asked: Path, engram_process: Engram
) -> None:
    impatient(talked)
    with held(talked):
        done = engram_process("recall", "--jsonl", str(asked), "--by", "session", "--strict", "--json")

    assert done.code == 7
    assert done.error["error"] == "DegradedIndex"
    assert "the index is busy" in done.error["message"]


def test_an_index_that_comes_free_answers_the_questions_that_are_left(
    talked: Workspace, asked: Path, begin: Asking
) -> None:
    impatient(talked)
    with held(talked):
        process = begin(asked)
        begun = first_line(process)
    answers = answers_of("".join([begun, *rest(process)]))

    assert "the index is busy" in answers[0]["degraded"][0]
    assert best([json.dumps(answers[-1])]) == EXPECTED[-1:]
