"""Every option that takes a time reads the same words, and calendar days as they are meant."""

import json

import pytest

from engram.workspace import Workspace
from tests.conftest import Engram

NOW = ("--now", "2026-02-05T12:00:00Z")  # a Thursday
BOUNDS = [
    ("facts", "--since"),
    ("timeline", "people/anna", "--since"),
    ("timeline", "people/anna", "--until"),
    ("diff", "--since"),
    ("diff", "--until"),
    ("recall", "tea", "--since"),
    ("recall", "tea", "--until"),
    ("capture", "chat.jsonl", "--dry-run", "--since"),
    ("hooks", "report", "--since"),
]
MOMENTS = [
    ("facts", "--as-of"),
    ("facts", "--as-known"),
    ("recall", "tea", "--as-of"),
    ("recall", "tea", "--as-known"),
]


@pytest.fixture(autouse=True)
def _anna_drinks_tea(engram: Engram, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace.paths.root)
    (workspace.paths.root / "chat.jsonl").write_text(json.dumps({"session": "a", "text": "tea"}) + "\n")
    said = ("--entity", "people/anna", "--create", "--fact", "Anna drinks tea")
    assert engram("write", *said, "--now", "2026-02-03T12:00:00Z").code == 0


@pytest.mark.parametrize("command", [*BOUNDS, *MOMENTS])
def test_a_time_is_read_at_every_door(engram: Engram, command: tuple[str, ...]) -> None:
    texts = ["monday", "last mon", "yesterday", "2026-02-03", "2026-02-03 12:00", "7d"]

    assert [(text, 0) for text in texts] == [(text, engram(*command, text, *NOW).code) for text in texts]


@pytest.mark.parametrize("command", BOUNDS)
def test_a_period_bounds(engram: Engram, command: tuple[str, ...]) -> None:
    assert engram(*command, "last week", *NOW).code == 0


@pytest.mark.parametrize("command", [*BOUNDS, *MOMENTS])
def test_what_is_no_time_is_refused_by_the_name_of_its_option(engram: Engram, command: tuple[str, ...]) -> None:
    answer = engram(*command, "sometime", *NOW)

    assert answer.code == 2
    assert f"{command[-1]} 'sometime' is not a moment" in answer.err
    assert "yesterday, monday" in answer.err


def test_an_end_includes_the_day_that_it_names(engram: Engram) -> None:
    created = {
        until: len(engram("diff", "--until", until, *NOW, "--json").json["created"])
        for until in ("2026-02-02", "2026-02-03", "tuesday", "2026-02-03T11:00:00Z")
    }

    assert created == {"2026-02-02": 0, "2026-02-03": 1, "tuesday": 1, "2026-02-03T11:00:00Z": 0}
