"""Which project a working directory belongs to."""

from pathlib import Path

import pytest

from engram.base.project import find_project
from engram.base.project import titled

INES, USERS = "/home/ines", "/Users/ines"


@pytest.mark.parametrize(
    ("folder", "path", "title"),
    [
        (f"{INES}/Parcels", "projects/parcels", "Parcels"),
        (f"{INES}/work/parcel_desk/", "projects/parcel_desk", "parcel_desk"),
        ("C:\\Users\\ines\\Parcels", "projects/parcels", "Parcels"),
        ("/srv/物流", "projects/物流", "物流"),
        (f"{INES}/parcels/.worktrees/feature", "projects/parcels", "parcels"),
    ],
)
def test_a_folder_that_is_not_here_is_known_by_its_name(folder: str, path: str, title: str) -> None:
    assert (path, title) == find_project(folder)


@pytest.mark.parametrize(
    "folder",
    [
        *("/", "/root", "/home/ines", f"{INES}/", f"{USERS}/Documents", "C:\\Users\\ines", "/tmp", "/var/tmp"),
        *("/workspace", "/app", f"{INES}/.tool/workspace", "", "...", None, 7, [f"{INES}/parcels"]),
        *(f"{INES}/a\x07b", f"{INES}/a\ud800b", f"{INES}/{'y' * 5000}", f"{INES}/{'y' * 300}"),
    ],
)
def test_nobody_works_on_one_thing_there(folder: object) -> None:
    assert find_project(folder) is None


def test_a_home_is_no_project_also_when_it_is_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "ines"))
    (tmp_path / "ines/.git").mkdir(parents=True)
    (tmp_path / "ines/parcels").mkdir()

    assert find_project(str(tmp_path / "ines")) is None
    assert find_project(str(tmp_path / "ines/parcels")) == ("projects/parcels", "parcels")


def test_within_a_repository_the_project_is_its_folder(tmp_path: Path) -> None:
    (tmp_path / "Parcels/.git").mkdir(parents=True)
    (tmp_path / "Parcels/src/desk").mkdir(parents=True)

    assert find_project(str(tmp_path / "Parcels/src/desk")) == ("projects/parcels", "Parcels")


def test_a_linked_work_tree_is_the_project_of_its_main_one(tmp_path: Path) -> None:
    (tmp_path / "parcels/.git/worktrees/fix").mkdir(parents=True)
    (tmp_path / "fix/src").mkdir(parents=True)
    (tmp_path / "fix/.git").write_text(f"gitdir: {tmp_path}/parcels/.git/worktrees/fix\n")

    assert find_project(str(tmp_path / "fix/src")) == ("projects/parcels", "parcels")


@pytest.mark.parametrize("content", [b"gitdir: ../.git/modules/desk\n", b"\xff\xfe", b"", b"gitdir: " + b"x" * 9000])
def test_a_submodule_or_a_strange_git_file_is_a_repository_of_its_own(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "desk").mkdir()
    (tmp_path / "desk/.git").write_bytes(content)

    assert find_project(str(tmp_path / "desk")) == ("projects/desk", "desk")


def test_words_of_a_folder_as_a_title() -> None:
    assert [*map(titled, ("parcel-desk", "DuckDB", "my_PR-bot", "物流-desk"))] == [
        "Parcel Desk",
        "DuckDB",
        "My PR Bot",
        "物流 Desk",
    ]
