"""What a workspace does with records and commands of a newer version, with files that do not read, and with rot."""

import json
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.errors import NewerFormatError
from engram.operations.upkeep import Upkeep
from engram.store.spool import is_as_written
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.conftest import WorkspaceWith
from tests.conftest import engram_in
from tests.making import NOW
from tests.sparse import copy_folder
from tests.store.journal.test_salvage import newer_line
from tests.store_fixture import texts
from tests.test_workspace import write

TEXTS = ["Uses Postgres", "Runs on Debian", "Has two owners"]


def write_texts(workspace: Workspace) -> None:
    for text in TEXTS:
        write(workspace, text)


@pytest.fixture
def written(workspace_with: WorkspaceWith) -> Workspace:
    """A workspace that knows three facts."""
    return workspace_with(write_texts)


def add_newer_record(workspace: Workspace) -> bytes:
    segment = next(workspace.paths.journal.glob("0*.jsonl"))
    last = segment.read_bytes().splitlines()[-1]
    line = newer_line(last, workspace.journal.head()[0] + 1, signature="abc")
    with segment.open("ab") as file:
        file.write(line + b"\n")
    return segment.read_bytes()


def test_a_newer_record_is_left_alone_while_what_is_known_is_read(written: Workspace) -> None:
    before = add_newer_record(written)
    engram = engram_in(written)

    assert texts(written) == TEXTS
    with pytest.raises(NewerFormatError):
        write(written, "Has a cat")
    answer = engram("doctor", "--fix", "--json")

    assert answer.code == 6
    newer = [one for one in json.loads(answer.out)["findings"] if one["code"] == "journal-newer"]
    assert "written by a newer Engram" in newer[0]["message"]
    assert not newer[0]["fixed"]
    assert [path.read_bytes() for path in written.paths.journal.iterdir()] == [before]
    assert len(written.spool.waiting()) == 1


def test_a_newer_record_and_no_database_is_no_empty_memory(written: Workspace) -> None:
    add_newer_record(written)
    written.paths.database.unlink()

    with pytest.raises(NewerFormatError):
        texts(written)
    assert not written.paths.database.exists()


def test_a_database_of_another_format_is_not_set_aside_for_a_journal_that_does_not_read(written: Workspace) -> None:
    add_newer_record(written)
    written.paths.database.write_bytes(b"a database of another format")

    with pytest.raises(NewerFormatError):
        texts(written)
    assert written.paths.database.read_bytes() == b"a database of another format"


@pytest.mark.parametrize("change", [{"v": 2}, {"priority": 3}, {"kind": "teleport"}])
def test_a_newer_command_waits_for_the_version_that_knows_it(
    written: Workspace, change: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    envelope = written.envelope("write", {"entity": "projects/x", "text": "Has a cat"}).model_dump(mode="json")
    path = written.spool.put({**envelope, **change})

    assert texts(written) == TEXTS

    assert "written by a newer Engram" in capsys.readouterr().err
    assert [one.name for one in written.spool.newer()] == [path.name]
    assert written.spool.waiting() == []
    found = json.loads(engram_in(written)("doctor", "--json").out)["findings"]
    assert "spool-newer" in {one["code"] for one in found}
    written.spool.newer()[0].write_bytes(json.dumps(envelope).encode())  # as if this version knew it
    assert write(written, "Has a dog")
    assert sorted(texts(written)) == sorted([*TEXTS, "Has a cat", "Has a dog"])
    assert written.spool.newer() == []


def test_a_command_that_is_not_as_it_was_spooled_is_set_aside(written: Workspace) -> None:
    envelope = written.envelope("write", {"entity": "projects/x", "text": "Has a cat"})
    path = written.spool.put(envelope.model_dump(mode="json"))
    assert is_as_written(path.read_bytes())
    path.write_bytes(path.read_bytes().replace(b"cat", b"bat"))

    assert texts(written) == TEXTS

    assert [one.name for one in written.spool.rejected()] == [path.name]
    assert "checksum" in written.spool.rejected()[0].with_suffix(".reason.txt").read_text(encoding="utf-8")


def make_fifo(path: Path) -> None:
    os.mkfifo(path)


UNREADABLE: dict[str, Callable[[Path], object]] = {
    "a folder": Path.mkdir,
    "a link to nothing": lambda path: path.symlink_to("/nowhere/at/all"),
    "a pipe": make_fifo,
    "noise": lambda path: path.write_bytes(b"\xff" * 5000),
}


@pytest.mark.parametrize("what", UNREADABLE)
def test_one_unreadable_entry_of_the_spool_blocks_nothing(written: Workspace, what: str) -> None:
    UNREADABLE[what](written.paths.spool / "00000000000000000001-0-x.json")

    write(written, "Has a cat")

    assert texts(written) == [*TEXTS, "Has a cat"]
    assert written.spool.waiting() == []
    assert [path.name for path in (written.paths.spool / "rejected").iterdir() if path.suffix == ".json"]


def test_a_drain_takes_what_waits_when_it_begins_and_no_more(
    written: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spool(text: str) -> None:
        envelope = written.envelope("write", {"entity": "projects/x", "text": text})
        written.spool.put(envelope.model_dump(mode="json"))

    take_away = written.spool.remove

    def remove(path: Path) -> None:
        take_away(path)
        spool(f"Came while {len(path.name)} others were applied {random.random()}")

    spool("Has a cat")
    monkeypatch.setattr(written.spool, "remove", remove)
    with written.writing("test"):
        pass

    assert len(written.spool.waiting()) == 1


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace that knows three facts, to be damaged in many ways."""
    from tests.conftest import workspace_in

    made = workspace_in(tmp_path_factory.mktemp("template"))
    write_texts(made)
    return made.paths.root


def flipped(template: Path, root: Path, seed: int) -> Workspace:
    """A copy in whose database one bit of a page in use is flipped."""
    copy_folder(template, root)
    workspace = open_workspace(str(root), now=lambda: NOW)
    data = bytearray(workspace.paths.database.read_bytes())
    used = [at for at in range(0, len(data), 4096) if data[at : at + 4096].strip(b"\0")]
    chance = random.Random(seed)
    data[chance.choice(used) + chance.randrange(4096)] ^= 1 << chance.randrange(8)
    workspace.paths.database.write_bytes(bytes(data))
    return workspace


@pytest.mark.parametrize("seed", range(5))
def test_one_flipped_bit_in_the_database_stops_nothing(template: Path, tmp_path: Path, seed: int) -> None:
    read = flipped(template, tmp_path / "read", seed)
    assert sorted(texts(read)) == sorted(TEXTS)
    assert sorted(texts(read)) == sorted(TEXTS)
    assert not Upkeep(read).verify().problems

    changed = flipped(template, tmp_path / "changed", seed)
    write(changed, "Has a cat")
    assert sorted(texts(changed)) == sorted([*TEXTS, "Has a cat"])

    rebuilt = flipped(template, tmp_path / "rebuilt", seed)
    assert Upkeep(rebuilt).rebuild("database")["database"]["facts"] == len(TEXTS)

    mended = flipped(template, tmp_path / "mended", seed)
    assert engram_in(mended)("doctor", "--fix", "--json").code == 0
    assert sorted(texts(mended)) == sorted(TEXTS)
    assert engram_in(mended)("doctor", "--json").code == 0
