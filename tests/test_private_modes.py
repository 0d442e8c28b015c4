"""A memory is its owner's alone, whatever made its files; others' rights are told, and taken by `doctor --fix`."""

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import engram as engram_package
from engram.base.disk.files import make_folder
from engram.base.disk.files import write_atomically
from engram.base.disk.files import write_durably
from engram.base.disk.locked_file import APPEND
from engram.base.disk.locked_file import locked_file
from engram.heartbeat.child.limited_process import Limits
from engram.heartbeat.child.limited_process import run_limited
from engram.workspace import Workspace
from tests import forked
from tests.conftest import Engram

OTHERS = 0o077
SAYS_MODE = "import os; os.open('made', os.O_CREAT, 0o666); print(oct(os.stat('made').st_mode & 0o777))"


@pytest.fixture(autouse=True)
def _generous_umask() -> Iterator[None]:
    """Files get the rights that most systems give them."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def open_to_others(root: Path) -> list[str]:
    """Return what others have rights to, the root included."""
    everything = [root, *root.rglob("*")]
    return [str(path.relative_to(root)) for path in everything if path.lstat().st_mode & OTHERS]


def run(*args: str, cwd: Path, stdin: str = "") -> str:
    done = forked.run(args, stdin=stdin.encode(), cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def test_whatever_the_command_line_makes_is_its_owners_alone(tmp_path: Path) -> None:
    root = tmp_path / "memory"
    run("init", str(root), "--owner", "people/anna", "--timezone", "UTC", cwd=tmp_path)
    run("write", "--entity", "me", "--fact", "Anna prefers tea", "--category", "preference", cwd=root)
    run("note", "add", "Decided: the billing service moves to PostgreSQL 16", "--section", "decisions", cwd=root)
    run("handoff", "write", "Ship the release on Monday", cwd=root)
    run("handoff", "write", "Ship the release on Tuesday", cwd=root)
    run("decision", "log", "Tea it is", cwd=root)
    run("working-memory", "set", "The release", cwd=root)
    run("domain", "add", "shop", "--type", "dev-project", cwd=root)
    run("observe", "Anna restarts the server every Monday", cwd=root)
    run("hooks", "run", "user-prompt", cwd=root, stdin='{"prompt": "I prefer oat milk", "session_id": "s1"}')
    run("heartbeat", "run", cwd=root)
    run("recall", "tea", cwd=root)
    run("backup", str(tmp_path / "kept"), cwd=root)
    run("restore", str(tmp_path / "kept"), "--into", str(tmp_path / "again"), cwd=root)

    assert open_to_others(root) == []
    assert open_to_others(tmp_path / "again") == []


def test_files_are_private_also_where_no_command_line_set_the_mask(tmp_path: Path) -> None:
    root = tmp_path / "memory"
    with engram_package.init(str(root), owner="people/anna") as memory:
        memory.write("people/anna", "Anna prefers tea", category="preference")
        memory.note_add("Decided: tea it is")

    engines = [root / ".engram" / name for name in ("index", "cache")]
    assert [one for one in open_to_others(root) if not any((root / one).is_relative_to(own) for own in engines)] == []


@pytest.mark.parametrize("write", [write_atomically, write_durably])
def test_the_mode_of_a_replaced_file_is_the_one_that_is_named(tmp_path: Path, write: object) -> None:
    file = tmp_path / "file"
    write(file, b"one")  # type: ignore[operator] # both have one signature
    assert stat.S_IMODE(file.stat().st_mode) == 0o600

    os.umask(0o077)
    write(file, b"two", mode=0o644)  # type: ignore[operator] # as above
    assert stat.S_IMODE(file.stat().st_mode) == 0o644


def test_folders_and_appended_files_are_private(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    with locked_file(tmp_path / "a" / "b" / "file", APPEND):
        pass

    assert open_to_others(tmp_path / "a") == []


def test_a_child_of_the_heartbeat_makes_private_files(tmp_path: Path) -> None:
    ending = run_limited([sys.executable, "-c", SAYS_MODE], "", Limits(30, 1000), folder=tmp_path)

    assert ending.output.strip() == "0o600"


def test_doctor_tells_what_others_may_read_and_takes_it_from_them(workspace: Workspace, engram: Engram) -> None:
    paths = workspace.paths
    written = paths.memory / "main" / "old.md"  # as an editor makes it
    written.parent.mkdir(mode=0o755)
    written.write_text("- Anna prefers tea\n")
    paths.life.chmod(0o755)
    paths.settings.chmod(0o644)
    outside = paths.root.parent / "outside.md"
    outside.write_text("not ours\n")
    (paths.memory / "main" / "linked.md").symlink_to(outside)

    found = engram("doctor", "--json").json["findings"]
    told = {one["path"]: one["message"] for one in found if one["code"] == "mode-open"}
    assert told == {
        "engram.toml": "others than its owner have rights to it",
        "life": "others than its owner have rights to 1 file or folder there",
        "memory": "others than its owner have rights to 2 files and folders there",
    }

    engram("doctor", "--fix")
    assert [one for one in engram("doctor", "--json").json["findings"] if one["code"] == "mode-open"] == []
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    assert stat.S_IMODE(outside.stat().st_mode) == 0o644
