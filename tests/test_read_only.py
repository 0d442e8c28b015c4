"""A workspace on a disk that is mounted for reading answers every question, and says what it could not do."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engram.model.fact import Actor
from engram.workspace import Workspace
from tests.conftest import Engram

MOUNTED = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'


def in_read_only(root: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Run `engram ...` where the workspace's folder is mounted for reading, which nobody else sees."""
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", MOUNTED, str(root), *args]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def kept(workspace: Workspace, engram: Engram) -> Workspace:
    """A workspace with a fact that is indexed."""
    if in_read_only(workspace.paths.root, "true").returncode:
        pytest.skip("nothing can be mounted here")
    workspace.submit("write", {"entity": "people/anna", "text": "Anna prefers tea", "create": True}, actor=Actor.USER)
    engram("recall", "tea")
    return workspace


def asked(workspace: Workspace, *args: str) -> Any:
    root = workspace.paths.root
    done = in_read_only(root, sys.executable, "-m", "engram", "--workspace", str(root), *args, "--json")
    assert done.returncode == 0, (args, done.stderr)
    return json.loads(done.stdout)


def test_facts_are_found_by_their_words_and_the_answer_says_that_the_index_cannot_be_used(kept: Workspace) -> None:
    answer = asked(kept, "recall", "tea")

    assert [hit["text"] for hit in answer["hits"]] == ["Anna prefers tea"]
    assert any("nothing can be written" in why for why in answer["degraded"])
    assert not any("damaged" in why for why in answer["degraded"])


def test_without_an_index_facts_are_found_by_their_words(kept: Workspace) -> None:
    for path in sorted(kept.paths.index.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()

    answer = asked(kept, "recall", "tea")

    assert [hit["text"] for hit in answer["hits"]] == ["Anna prefers tea"]
    assert any("nothing can be written" in why for why in answer["degraded"])


def test_doctor_calls_nothing_damaged(kept: Workspace) -> None:
    assert [one["code"] for one in asked(kept, "doctor")["findings"]] == ["index-unwritable"]


@pytest.mark.parametrize(
    "command", [("facts",), ("status",), ("verify",), ("doctor",), ("context",), ("entity", "list"), ("decay",)]
)
def test_what_only_reads_answers(kept: Workspace, command: tuple[str, ...]) -> None:
    assert asked(kept, *command)


def test_what_writes_is_refused_in_a_sentence(kept: Workspace) -> None:
    root = kept.paths.root
    words = ("write", "--entity", "people/anna", "--fact", "Anna lives in Lisbon", "--category", "context")
    done = in_read_only(root, sys.executable, "-m", "engram", "--workspace", str(root), *words)

    assert done.returncode == 1
    assert "Read-only file system" in done.stderr
