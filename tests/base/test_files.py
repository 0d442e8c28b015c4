"""Files are the old or the new content, never half of one."""

from pathlib import Path

import pytest

from engram.base.disk.files import write_atomically
from engram.base.disk.files import write_durably
from engram.base.ids import new_id


@pytest.mark.parametrize("write", [write_atomically, write_durably])
def test_a_file_is_replaced_whole_and_nothing_is_left_beside_it(tmp_path: Path, write: object) -> None:
    path = tmp_path / "file"
    for content in (b"old", b"new"):
        write(path, content)  # type: ignore[operator] # both have one signature

    assert path.read_bytes() == b"new"
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_a_failed_write_leaves_the_old_file_and_no_rest(tmp_path: Path) -> None:
    folder = tmp_path / "target"
    folder.mkdir()
    (folder / "inside").write_text("kept")

    with pytest.raises(OSError, match="directory"):
        write_durably(folder, b"x")

    assert [one.name for one in folder.iterdir()] == ["inside"]
    assert [one.name for one in tmp_path.iterdir()] == ["target"]


def test_ids_are_unique_and_sort_by_birth() -> None:
    ids = [new_id() for _ in range(2000)]

    assert len(set(ids)) == len(ids)
    assert [one[:10] for one in ids] == sorted(one[:10] for one in ids)
    assert {26} == {len(one) for one in ids}
