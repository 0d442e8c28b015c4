"""A secret is taken out before anything reaches the disk: whatever the command, the field, or what becomes of it."""

import json
from pathlib import Path

import pytest

from engram.workspace import Workspace
from tests.conftest import Engram

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
ANNA = ("--entity", "people/anna", "--create")
FACT = ("--fact", "Anna likes tea")

WRITES = {
    "a fact": (*ANNA, "--fact", f"The key is {KEY}"),
    "a fact that waits in the spool": (*ANNA, "--fact", f"The key is {KEY}", "--wait", "0"),
    "a refused fact": ("--entity", "people/nobody", "--fact", f"The key is {KEY}"),
    "the name of an entity": ("--entity", f"people/{KEY}", *FACT),
    "a title": (*ANNA, "--title", f"Anna {KEY}", *FACT),
    "a tag": (*ANNA, "--tags", f"tea,{KEY}", *FACT),
    "a slot": (*ANNA, "--attribute", "key", "--value", KEY, *FACT),
    "the id of the command": (*ANNA, *FACT, "--command-id", KEY),
    "the id of a command that waits": (*ANNA, *FACT, "--command-id", KEY, "--wait", "0"),
    "a source": (*ANNA, "--source", f"mail with {KEY}", *FACT),
}
OTHERS = {
    "a title of an entity": ("entity", "add", "people/bob", "--title", f"Bob {KEY}"),
    "an alias": ("entity", "add", "people/bob", "--alias", KEY),
    "a reason": ("retract", "anna-001", "--reason", f"it named {KEY}"),
    "a correction": ("correct", "anna-001", "--fact", f"Anna likes {KEY}"),
    "a tension": ("tension", "add", f"which {KEY}", "--fact1", "anna-001", "--fact2", "anna-002"),
    "a session": ("session", "add", "chat", "--platform", KEY),
    "the tag of a decision": ("decision", "log", "We ship on Friday", "--tag", KEY),
    "the name of a domain": ("domain", "add", KEY, "--type", "dev-project", "--description", "x"),
    "the thread of a domain": ("domain", "add", "site", "--type", "dev-project", "--description", "x", "--bind", KEY),
    "the description of a domain": ("domain", "add", "site", "--type", "dev-project", "--description", KEY),
    "a note": ("note", "add", f"The key is {KEY}"),
}


def places(workspace: Workspace) -> list[str]:
    """Return the files of the workspace in which the key stands."""
    root = workspace.paths.root
    files = (path for path in root.rglob("*") if path.is_file())
    return [str(path.relative_to(root)) for path in files if KEY.encode() in path.read_bytes()]


@pytest.mark.parametrize("options", WRITES.values(), ids=WRITES.keys())
def test_no_field_of_a_write_keeps_it(engram: Engram, workspace: Workspace, options: tuple[str, ...]) -> None:
    answer = engram("write", *options)

    assert answer.code in {0, 2, 3, 4}
    assert places(workspace) == []


@pytest.mark.parametrize("command", OTHERS.values(), ids=OTHERS.keys())
def test_no_other_command_keeps_it(engram: Engram, workspace: Workspace, command: tuple[str, ...]) -> None:
    for fact in ("Anna likes tea", "Anna has a cat"):
        engram("write", *ANNA, "--fact", fact)

    answer = engram(*command)

    assert answer.code in {0, 2, 3, 4}
    assert places(workspace) == []


def test_a_command_that_waits_says_what_was_taken_out(engram: Engram) -> None:
    waiting = engram("write", *WRITES["a fact that waits in the spool"], "--json").json["id"]

    (fact,) = engram("facts", "--json").json["facts"]

    assert fact["text"] == "The key is [secret:github]"
    assert waiting is None


def test_a_hook_neither_spools_nor_logs_it(engram: Engram, workspace: Workspace) -> None:
    engram("hooks", "run", "user-prompt", stdin=json.dumps({"prompt": f"Remember that the key is {KEY}."}))
    engram("hooks", "run", "user-prompt", stdin=f'{{"prompt": {KEY}')

    assert len(workspace.spool.waiting()) == 1
    assert places(workspace) == []


def test_a_note_whose_name_is_one_is_neither_read_nor_kept(engram: Engram, workspace: Workspace) -> None:
    folder = workspace.paths.memory / "main" / "main"
    folder.mkdir(parents=True, exist_ok=True)
    note = folder / f"{KEY}.md"
    note.write_text("## Decisions\n\n- We decided to use PostgreSQL 16 for Billing\n", encoding="utf-8")

    run = engram("heartbeat", "run")

    assert (run.code, "its name holds a secret" in run.out) == (0, True)
    assert "PostgreSQL" not in engram("recall", "PostgreSQL for Billing").out
    root = workspace.paths.root
    held = [path for path in root.rglob("*") if path.is_file() and KEY.casefold().encode() in path.read_bytes().lower()]
    assert held == []


def test_the_copy_of_an_edited_file_does_not_keep_it(engram: Engram, workspace: Workspace) -> None:
    engram("write", *ANNA, *FACT)
    engram("heartbeat", "run")
    summary = workspace.paths.life / "people/anna/summary.md"
    edited = summary.read_text() + f"- The key of Anna is {KEY}\n"
    summary.write_text(edited)

    answer = engram("heartbeat", "run")

    assert answer.code == 0
    assert places(workspace) == []


def test_what_a_person_typed_in_a_note_stays_hers(engram: Engram, workspace: Workspace) -> None:
    note = Path(workspace.paths.root, "memory/2026-02-24.md")
    note.parent.mkdir(exist_ok=True)
    note.write_text(f"# 2026-02-24\n\n- We decided that Billing gets the key {KEY}\n")

    engram("heartbeat", "run")

    assert places(workspace) == ["memory/2026-02-24.md"]
