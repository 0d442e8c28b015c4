"""Notes of a source: never over what is there, never outside of memory/."""

from pathlib import Path

import pytest

from engram.importers.import_run import import_memory
from engram.workspace import Workspace

NAME = "2025-01-02.md"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder with one note."""
    (tmp_path / "source/memory").mkdir(parents=True)
    (tmp_path / "source/memory" / NAME).write_text("- Mira sold honey\n")
    return tmp_path / "source"


def kept(workspace: Workspace) -> Path:
    return workspace.paths.memory / "openclaw" / NAME


def test_a_note_lies_in_the_folder_of_its_format(workspace: Workspace, source: Path) -> None:
    report = import_memory(workspace, "openclaw", source)

    assert kept(workspace).read_text() == "- Mira sold honey\n"
    assert report.notes == {"written": 1, "added": 0, "known": 0}


def test_a_file_with_another_content_is_left_and_told(workspace: Workspace, source: Path) -> None:
    kept(workspace).parent.mkdir()
    kept(workspace).write_text("mine")

    report = import_memory(workspace, "openclaw", source)

    assert kept(workspace).read_text() == "mine"
    assert [f"memory/openclaw/{NAME} is there with another content, and is left as it is"] == [
        remark.reason for remark in report.refused
    ]


def test_a_note_that_grew_gets_what_was_added(workspace: Workspace, source: Path) -> None:
    import_memory(workspace, "openclaw", source)
    with (source / "memory" / NAME).open("a") as note:
        note.write("- And wax\n")

    report = import_memory(workspace, "openclaw", source)

    assert kept(workspace).read_text() == "- Mira sold honey\n- And wax\n"
    assert report.notes == {"written": 0, "added": 1, "known": 0}


def test_an_imported_note_that_somebody_edited_is_not_imported_again(workspace: Workspace, source: Path) -> None:
    import_memory(workspace, "openclaw", source)
    kept(workspace).write_text("edited")

    report = import_memory(workspace, "openclaw", source)

    assert kept(workspace).read_text() == "edited"
    assert (report.notes["known"], report.refused) == (1, [])


def test_two_notes_of_one_name_are_both_kept(workspace: Workspace, tmp_path: Path) -> None:
    for name in ("source/memory/a-b/c.md", "source/memory/a/b-c.md"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(name)

    import_memory(workspace, "openclaw", tmp_path / "source")

    assert len(list((workspace.paths.memory / "openclaw").iterdir())) == 2


def test_a_link_in_the_place_of_the_folder_is_not_followed(workspace: Workspace, source: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (workspace.paths.memory / "openclaw").symlink_to(tmp_path / "elsewhere")

    report = import_memory(workspace, "openclaw", source)

    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert len(report.refused) == 1


def test_a_link_in_the_place_of_the_file_is_not_followed(workspace: Workspace, source: Path, tmp_path: Path) -> None:
    kept(workspace).parent.mkdir()
    kept(workspace).symlink_to(tmp_path / "victim.md")

    report = import_memory(workspace, "openclaw", source)

    assert not (tmp_path / "victim.md").exists()
    assert len(report.refused) == 1
