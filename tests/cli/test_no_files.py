"""What is no file in the place of one: every door says so in one sentence, at once, and nothing is lost."""

import ast
import json
import os
import threading
from pathlib import Path

import pytest

from engram.base.disk import given_files
from engram.workspace import Workspace
from tests.conftest import Engram
from tests.no_files import NO_FILES

READS = {
    "capture": ["capture", "FILE"],
    "signal": ["signal", "--file", "FILE"],
    "signal lines": ["signal", "--jsonl", "FILE"],
    "write": ["write", "--jsonl", "FILE"],
    "recall": ["recall", "--jsonl", "FILE"],
    "an archive": ["import", "jsonl", "FILE"],
    "a memory": ["import", "mem0", "FILE"],
}
LINES = {
    "capture": b'{"session": "pier", "text": "We sold the red canoe"}\n',
    "signal lines": b'{"text": "We sold the red canoe"}\n',
    "write": b'{"entity": "people/kim", "create": true, "fact": "Kim keeps the keys"}\n',
    "recall": b'{"id": 1, "query": "keys"}\n',
}
ODD = [why for why in NO_FILES if "folder" not in why]


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given_files, "_WRITER_S", 0.1)


@pytest.mark.parametrize("door", READS)
def test_what_is_no_file_is_not_read(engram: Engram, tmp_path: Path, door: str) -> None:
    for number, (why, make) in enumerate(NO_FILES.items()):
        given = tmp_path / f"given-{number}"
        make(given)
        if door == "a memory" and given.is_dir():
            continue

        answer = engram(*(str(given) if word == "FILE" else word for word in READS[door]))

        said = why if "No such" not in why or door != "a memory" else "there is no file or folder"
        assert (answer.code, said in answer.err + answer.out) == (2, True), (why, answer.err)
        assert os.path.lexists(given)


@pytest.mark.parametrize("door", READS)
def test_a_device_without_an_end_is_no_standard_input(
    engram: Engram, monkeypatch: pytest.MonkeyPatch, door: str
) -> None:
    def device(stream: object) -> None:
        raise OSError(22, "it is a device, and no file")

    for module in ("engram.cli.invocation.options", "engram.importers.transcripts.files"):
        monkeypatch.setattr(f"{module}.refuse_endless", device)

    answer = engram(*("-" if word == "FILE" else word for word in READS[door]))

    assert (answer.code, "cannot read standard input: it is a device" in answer.err) == (2, True)


@pytest.mark.parametrize("door", LINES)
def test_a_pipe_that_somebody_writes_into_is_read(engram: Engram, tmp_path: Path, door: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(LINES[door],))
    writer.start()

    answer = engram(*(str(tmp_path / "pipe") if word == "FILE" else word for word in READS[door]))
    writer.join()

    assert (answer.code, answer.err) == (0, "")


def test_an_archive_comes_by_a_pipe(engram: Engram, tmp_path: Path) -> None:
    engram("write", "--entity", "people/kim", "--create", "--fact", "Kim keeps the keys")
    engram("export", str(tmp_path / "a.jsonl"))
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(
        target=lambda: (tmp_path / "pipe").write_bytes((tmp_path / "a.jsonl").read_bytes())  # after somebody opens it
    )
    writer.start()

    answer = engram("import", "jsonl", str(tmp_path / "pipe"), "--into", str(tmp_path / "again"))
    writer.join()

    assert (answer.code, "restored" in answer.out) == (0, True), answer.err


@pytest.mark.parametrize("why", NO_FILES)
def test_an_export_takes_the_place_of_no_such_thing(engram: Engram, tmp_path: Path, why: str) -> None:
    target = tmp_path / "a.jsonl"
    NO_FILES[why](target)
    before = target.lstat()

    answer = engram("export", str(target))

    assert answer.code == (2 if "folder" in why else 4), answer.err
    assert target.lstat().st_ino == before.st_ino
    assert not list(tmp_path.glob(".tmp-*"))


@pytest.mark.parametrize("why", ODD)
def test_a_folder_in_which_such_a_thing_stands_is_no_export(engram: Engram, tmp_path: Path, why: str) -> None:
    vault = tmp_path / "vault"
    engram("export", str(vault), "--format", "markdown")
    inside = next(path for path in vault.rglob("*.md"))
    inside.unlink()
    NO_FILES[why](inside)

    answer = engram("export", str(vault), "--format", "markdown")

    assert (answer.code, "was changed or added" in answer.err) == (4, True)
    assert os.path.lexists(inside)


@pytest.mark.parametrize("why", NO_FILES)
def test_in_the_place_of_an_imported_note_it_is_left_and_told(
    engram: Engram, workspace: Workspace, tmp_path: Path, why: str
) -> None:
    (tmp_path / "source").mkdir()
    for name in ("kayak.md", "other.md"):
        (tmp_path / "source" / name).write_text(f"# Boats\n\nKim bought a kayak, says {name}.\n")
    place = workspace.paths.memory / "basic-memory" / "kayak.md"
    place.parent.mkdir(parents=True)
    NO_FILES[why](place)

    answer = engram("import", "basic-memory", str(tmp_path / "source"))

    assert (answer.code, "is there with another content" in answer.err) == (2, True)
    assert (place.parent / "other.md").is_file()


@pytest.mark.parametrize("why", NO_FILES)
def test_in_the_place_of_an_archived_note_it_is_left_and_told(
    engram: Engram, workspace: Workspace, tmp_path: Path, why: str
) -> None:
    engram("note", "add", "Kim bought a kayak.")
    engram("export", str(tmp_path / "a.jsonl"))
    note = next(workspace.paths.memory.rglob("2*.md"))
    note.unlink()
    NO_FILES[why](note)

    answer = engram("import", "jsonl", str(tmp_path / "a.jsonl"), "--as-own")

    assert answer.code == 2
    assert note.name in answer.err


def test_a_file_that_begins_as_no_archive_is_not_read_on(engram: Engram, tmp_path: Path) -> None:
    with (tmp_path / "zeros.jsonl").open("wb") as file:
        file.truncate(1 << 40)  # a sparse one: to read it takes minutes

    answer = engram("import", "jsonl", str(tmp_path / "zeros.jsonl"))

    assert (answer.code, "it is no archive of Engram" in answer.err) == (2, True)


@pytest.mark.parametrize("why", ODD)
def test_life_goes_on_around_it(engram: Engram, workspace: Workspace, why: str) -> None:
    engram("write", "--entity", "people/kim", "--create", "--fact", "Kim keeps the keys")
    page = workspace.paths.life / "people" / "kim" / "items.json"
    page.unlink()
    NO_FILES[why](page)

    written = engram("write", "--entity", "people/kim", "--fact", "Kim sold the red canoe in March")

    assert (written.code, "created" in written.out) == (0, True)
    assert "life/people/kim/items.json" in written.err
    assert "sold the red canoe" in engram("facts").out
    examined = engram("doctor")
    assert "life/people/kim/items.json" in examined.out + examined.err


@pytest.mark.parametrize("why", ["it is a pipe", "it is a folder, and no file", "it is a socket, and no file"])
def test_the_file_of_every_session_may_be_none(engram: Engram, workspace: Workspace, why: str) -> None:
    workspace.paths.self_file.unlink()
    NO_FILES[why](workspace.paths.self_file)

    answer = engram("context")

    assert (answer.code, "MEMORY.md is not read: it is a" in answer.err) == (4, True)


@pytest.mark.parametrize("why", ["it is a pipe", "it is a folder, and no file", "it is a socket, and no file"])
def test_todays_note_may_be_none(engram: Engram, workspace: Workspace, why: str) -> None:
    engram("note", "add", "Kim bought a kayak.")
    note = next(workspace.paths.memory.rglob("2*.md"))
    note.unlink()
    NO_FILES[why](note)

    answer = engram("note", "add", "And a paddle.")

    assert (answer.code, f"{note.name} is no file" in answer.err) == (4, True)


@pytest.mark.parametrize("why", ["it is a pipe", "it is a socket, and no file"])
def test_among_the_files_of_state_it_is_named(engram: Engram, workspace: Workspace, why: str) -> None:
    NO_FILES[why](workspace.paths.state / "cards.json")

    answer = engram("facts")

    assert (answer.code, ".engram/cards.json is no file" in answer.err) == (4, True)


@pytest.mark.parametrize("why", ["it is a pipe, and no file", "it is a device, and no file"])
@pytest.mark.parametrize("verb", [["status"], ["install", "claude-code", "--dry-run"]])
def test_the_settings_of_a_host_may_be_none(engram: Engram, tmp_path: Path, verb: list[str], why: str) -> None:
    settings = tmp_path / "home" / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True)
    NO_FILES[why.removesuffix(", and no file") if "pipe" in why else why](settings)

    answer = engram("hooks", *verb, env={"HOME": str(tmp_path / "home")})

    assert (answer.code, f"{settings} cannot be read: {why}" in answer.err) == (4, True), answer.err


@pytest.mark.parametrize("why", ODD)
def test_beside_a_transcript_it_tells_nothing(engram: Engram, tmp_path: Path, why: str) -> None:
    folder = tmp_path / "home" / ".openclaw" / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    said = {"type": "message", "id": "m1", "message": {"role": "user", "content": "The red canoe was sold in March."}}
    (folder / "t.jsonl").write_text('{"type": "session", "id": "t"}\n' + json.dumps(said) + "\n")
    NO_FILES[why](folder / "sessions.json")
    NO_FILES[why](folder / "other.jsonl")

    answer = engram("capture", "--discover", "--yes", env={"HOME": str(tmp_path / "home")})

    assert answer.code == 0, answer.err
    assert "openclaw  1 file" in answer.err
    assert "captured 1 turn" in answer.out


SPECIAL = [why for why in NO_FILES if "device" not in why]


def last_segment(workspace: Workspace) -> Path:
    return sorted(workspace.paths.journal.glob("0*"))[-1]


@pytest.mark.parametrize("why", SPECIAL)
def test_a_segment_of_the_journal_may_be_none_and_is_mended(engram: Engram, workspace: Workspace, why: str) -> None:
    engram("write", "--entity", "people/kim", "--create", "--fact", "Kim keeps the keys")
    segment = last_segment(workspace)
    before = segment.read_bytes()
    segment.unlink()
    NO_FILES[why](segment)

    refused = engram("facts")
    written = engram("write", "--entity", "people/kim", "--fact", "Kim sold the red canoe in March")

    assert [(one.code, f"{segment.name} is no file" in one.err) for one in (refused, written)] == [(6, True)] * 2
    mended = engram("doctor", "--fix")
    assert mended.code in {0, 10}, mended.out + mended.err
    assert engram("verify").code == 0
    assert segment.read_bytes().startswith(before)
    assert [one in engram("facts").out for one in ("keeps the keys", "red canoe")] == [True, True]
    assert [path.name for path in workspace.paths.journal.glob("damaged-*")] == [f"damaged-{segment.name}"]


def test_what_nothing_else_holds_of_a_segment_is_not_given_up(engram: Engram, workspace: Workspace) -> None:
    engram("write", "--entity", "people/kim", "--create", "--fact", "Kim keeps the keys")
    segment = last_segment(workspace)
    kept = segment.rename(workspace.paths.root / "kept")
    os.mkfifo(segment)
    workspace.paths.database.unlink()

    refused = engram("doctor", "--fix")

    assert (refused.code, "nothing else holds it" in refused.out + refused.err) == (6, True), refused.out + refused.err
    kept.replace(segment)
    assert "keeps the keys" in engram("facts").out


def test_the_state_of_the_mirror_may_be_a_folder_and_is_set_aside(engram: Engram, workspace: Workspace) -> None:
    engram("write", "--entity", "people/kim", "--create", "--fact", "Kim keeps the keys")
    workspace.paths.mirror_state.unlink()
    workspace.paths.mirror_state.mkdir()

    refused = engram("verify")
    mended = engram("doctor", "--fix")

    assert (refused.code, "mirror.json" in refused.err) == (6, True)
    assert mended.code in {0, 10}, mended.out
    assert workspace.paths.mirror_state.is_file()
    assert [path.is_dir() for path in workspace.paths.edits.glob("*mirror.json")] == [True]


@pytest.mark.parametrize("why", ["it is a pipe", "it is a folder, and no file", "it is a socket, and no file"])
@pytest.mark.parametrize("name", ["locks/store.lock", "accesses/1.jsonl", "index/state.json", "locks", "spool"])
def test_in_the_place_of_other_state_it_is_named_and_not_waited_for(
    engram: Engram, workspace: Workspace, name: str, why: str
) -> None:
    engram("write", "--entity", "people/kim", "--create", "--fact", "Kim keeps the keys")
    engram("recall", "keys")
    place = workspace.paths.state / name
    place.parent.mkdir(exist_ok=True)
    if place.exists():
        place.rename(workspace.paths.root / "kept")
    if not (name in {"locks", "spool"} and "folder" in why):
        NO_FILES[why](place)

    answers = [engram(*words) for words in (["facts"], ["recall", "keys"], ["status"], ["doctor"])]

    assert [one.code for one in answers if one.code == 1] == [], [one.err for one in answers]


@pytest.mark.parametrize("why", ["it is a pipe", "it is a folder, and no file", "it is a socket, and no file"])
def test_the_file_of_the_key_may_be_none(engram: Engram, workspace: Workspace, tmp_path: Path, why: str) -> None:
    NO_FILES[why](tmp_path / "key")
    engram("config", "store.encryption_key", f"file:{tmp_path / 'key'}")

    answer = engram("encrypt", "on")

    assert (answer.code, "cannot be read: it is no file" in answer.err) == (4, True), answer.err


# Data of the package, what a model or a child wrote into a folder of this process, and what the system shows.
OTHER_FILES = ("embedding/", "services/pictures/", "database/", "extract/weights", "agent_texts", "tick_process")
OF_THE_SYSTEM = ("config/memory_folder", "child/process_tree", "warm/statistics")
LIGHT = ("warm/client",)  # it loads next to nothing, and reads a file beside which `find_workspace` takes no pipe
ROOMS = ("config", "heartbeat", "hooks", "operations", "services", "store", "warm", "workspace")


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def test_no_file_of_a_workspace_is_opened_in_a_way_that_waits() -> None:
    package = Path(given_files.__file__).parents[2]
    found = []
    for path in (one for room in ROOMS for one in (package / room).rglob("*.py")):
        name = path.relative_to(package).as_posix()
        if any(part in name for part in (*OTHER_FILES, *OF_THE_SYSTEM, *LIGHT)):
            continue
        calls = (node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call))
        found += [f"{name}:{call.lineno}" for call in calls if _called(call) in {"read_bytes", "read_text"}]

    assert found == []  # engram.base.disk.own_files reads them
