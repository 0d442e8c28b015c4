"""Whether something lies below a folder, without following a link."""

import os
from pathlib import Path

import pytest

from engram.base.disk.safe_look import ABSENT
from engram.base.disk.safe_look import ELSEWHERE
from engram.base.disk.safe_look import THERE
from engram.base.disk.safe_look import UNKNOWN
from engram.base.disk.safe_look import look_below


@pytest.fixture
def root(tmp_path: Path) -> Path:
    inside = tmp_path / "root"
    (inside / "src").mkdir(parents=True)
    (inside / "src" / "app.py").write_text("x")
    (tmp_path / "secret.txt").write_text("x")
    (inside / "out").symlink_to(tmp_path)
    (inside / "src" / "link.py").symlink_to("/nowhere/at/all")
    return inside


@pytest.mark.parametrize(
    ("way", "expected"),
    [
        ("src/app.py", THERE),
        ("src/link.py", THERE),
        ("src/gone.py", ABSENT),
        ("src/app.py/more.py", ABSENT),
        ("lib/app.py", ELSEWHERE),
        ("gone.py", ELSEWHERE),
        ("out/secret.txt", UNKNOWN),
        ("out/gone.txt", UNKNOWN),
        ("../secret.txt", UNKNOWN),
        ("src/../../secret.txt", UNKNOWN),
        ("/etc/passwd", UNKNOWN),
    ],
)
def test_what_lies_below(root: Path, way: str, expected: str) -> None:
    assert look_below(str(root), way) == expected


def test_a_pipe_on_the_way_holds_nobody_up(root: Path) -> None:
    os.mkfifo(root / "pipe")

    assert look_below(str(root), "pipe/app.py") == UNKNOWN


def test_a_folder_that_is_not_there_tells_nothing(tmp_path: Path) -> None:
    assert look_below(str(tmp_path / "none"), "src/app.py") == UNKNOWN
