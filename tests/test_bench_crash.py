"""`scripts/bench crash`: what it tries holds, and it would see it if it did not."""

import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"
sys.path.insert(0, str(SCRIPTS))

from crash.disk import Disk  # noqa: E402 - the line above makes it known
from crash.disk import Event  # noqa: E402 - as above
from crash.disk import lay_out  # noqa: E402 - as above
from crash.disk import read_trace  # noqa: E402 - as above

ROOT = Path("/store")
CHANCE = random.Random(0)
LOSS = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from crash import steps
from crash.judge import judge
root = Path(sys.argv[2]) / "store"
acked = steps.make_store(root, 2)
never = steps.text("Crate", 999)
more = [*acked, never]
print(judge(root, acked, acked), judge(root, more, more), judge(root, acked[:1], acked[:1]), sep="\\n")
(root / "engram.toml").unlink()
(root / ".engram" / "journal").rename(root / "elsewhere")
(root / ".engram" / "engram.duckdb").unlink()
print(judge(root, acked, acked))
"""


@pytest.mark.integration
@pytest.mark.skipif(shutil.which("cc") is None or sys.platform != "linux", reason="the faults need a C compiler")
def test_issue_16_15_kills_copies_and_power_losses_cost_nothing_acknowledged(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            SCRIPTS / "bench_crash.py",
            "--quick",
            "--class",
            "kills",
            "--class",
            "power",
            "--states",
            "1",
            "--folder",
            tmp_path,
        ],
        capture_output=True,
        text=True,
        check=False,
    )

    rows = [line.split("|") for line in done.stdout.splitlines() if line.startswith("| ")][2:]
    assert (done.returncode, done.stdout.splitlines()[-1]) == (
        0,
        "nothing acknowledged was lost or doubled, and every store could be opened",
    ), done.stdout + done.stderr
    assert len(rows) == 10
    assert all(int(row[3]) > 0 for row in rows), rows


@pytest.mark.integration
def test_the_judge_sees_what_is_lost_what_nobody_said_and_what_cannot_be_opened(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOSS, SCRIPTS, tmp_path], capture_output=True, text=True, check=True, cwd=SCRIPTS.parent
    )

    whole, lost, strange, gone = done.stdout.splitlines()
    assert whole == "[]"
    assert "acknowledged lost: 1, such as 'Crate 999" in lost
    assert "never said: 1, such as 'Crate 1" in strange
    assert gone != "[]"


def played(rules: str, *events: Event) -> Disk:
    disk = Disk(ROOT, Path("/nowhere"), rules)
    for event in events:
        disk.play(event)
    return disk


def event(kind: str, path: str, other: str = "", data: bytes = b"") -> Event:
    return Event(kind, path, other, 0, data)


MADE = (event("create", "/store/a"), event("write", "/store/a", data=b"words"))


def test_what_was_not_flushed_is_gone_after_a_power_loss_or_there_in_any_part() -> None:
    disk = played("posix", *MADE)

    assert disk.after_power_loss("nothing", CHANCE) == {}
    assert disk.after_power_loss("names", CHANCE) == {"/store/a": b""}
    assert disk.after_power_loss("everything", CHANCE) == {"/store/a": b"words"}


def test_posix_promises_a_name_only_with_its_folder_and_ext4_with_any_flush() -> None:
    flushed = (*MADE, event("sync", "/store/a"))

    assert played("posix", *flushed).after_power_loss("nothing", CHANCE) == {}
    assert played("ext4", *flushed).after_power_loss("nothing", CHANCE) == {"/store/a": b"words"}
    with_folder = played("posix", *flushed, event("sync", "/store"))
    assert with_folder.after_power_loss("nothing", CHANCE) == {"/store/a": b"words"}


def test_a_rename_that_was_not_flushed_may_be_undone_and_a_removal_may_be_all_that_stays() -> None:
    durable = (*MADE, event("sync", "/store/a"), event("sync", "/store"))
    moved = played("posix", *durable, event("rename", "/store/a", "/store/b"))
    removed = played("posix", *durable, event("remove", "/store/a"))

    assert moved.after_power_loss("nothing", CHANCE) == {"/store/a": b"words"}
    assert moved.after_power_loss("names", CHANCE) == {"/store/b": b"words"}
    assert removed.after_power_loss("removals", CHANCE) == {}


def test_a_failed_flush_drops_the_bytes_and_keeps_the_size() -> None:
    lost = played("posix", *MADE, event("lost", "/store/a"), event("sync", "/store/a"), event("sync", "/store"))

    assert lost.after_power_loss("nothing", CHANCE) == {"/store/a": b"\0\0\0\0\0"}


def test_a_trace_is_read_with_its_bytes_and_a_state_is_laid_out(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    trace.write_bytes(
        b"create\t/store/a\t\t0\t0\n\nwrite\t/store/a\t\t2\t3\na\nb\nsync\t/store/.engram/index/x\t\t0\t0\n\n"
    )

    assert read_trace(trace) == [event("create", "/store/a"), Event("write", "/store/a", "", 2, b"a\nb")]
    lay_out({"/store/a": b"x", "/store/f": None, "/store/gone/b": b"y"}, ROOT, tmp_path / "left")
    assert sorted(path.name for path in (tmp_path / "left").rglob("*")) == ["a", "f"]
