"""The files of life/ and the state beside them."""

import os
from pathlib import Path

import pytest

from engram.config.paths import Paths
from engram.errors import DamagedStateError
from engram.ports.mirror import MirrorState
from engram.store.life_mirror import LifeMirror


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths(tmp_path)


@pytest.fixture
def mirror(paths: Paths) -> LifeMirror:
    return LifeMirror(paths)


def test_a_mirror_that_was_never_written_has_the_empty_state(mirror: LifeMirror) -> None:
    assert mirror.load() == MirrorState()


def test_a_saved_state_is_loaded_again(mirror: LifeMirror) -> None:
    state = MirrorState(position=7, made_with="x", behind=("people/anna",), files={"index.md": "0" * 64})

    mirror.save(state)

    assert mirror.load() == state


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"\xff", b'{"v": 2}', b'{"v": 1, "position": "far"}', b'{"new": 1}']
)
def test_a_state_that_does_not_read_is_damage(mirror: LifeMirror, paths: Paths, content: bytes) -> None:
    paths.state.mkdir()
    paths.mirror_state.write_bytes(content)

    with pytest.raises(DamagedStateError) as raised:
        mirror.load()

    assert raised.value.exit_code == 6
    assert raised.value.details["path"] == ".engram/mirror.json"


def test_a_damaged_state_is_set_aside_with_its_bytes(mirror: LifeMirror, paths: Paths) -> None:
    paths.state.mkdir()
    paths.mirror_state.write_bytes(b"{")

    kept = mirror.set_state_aside()

    assert (paths.root / kept).read_bytes() == b"{"
    assert mirror.load() == MirrorState()


def test_written_files_are_read_and_removed_with_their_folder(mirror: LifeMirror, paths: Paths) -> None:
    mirror.write({"people/anna/summary.md": b"# Anna\n"})
    assert mirror.read("people/anna/summary.md") == b"# Anna\n"

    mirror.remove(["people/anna/summary.md", "people/anna/items.json"])

    assert mirror.read("people/anna/summary.md") is None
    assert not (paths.life / "people/anna").exists()


def test_a_folder_with_somebodys_own_files_stays(mirror: LifeMirror, paths: Paths) -> None:
    mirror.write({"people/anna/summary.md": b"# Anna\n", "people/anna/photo.png": b"x"})

    mirror.remove(["people/anna/summary.md"])

    assert (paths.life / "people/anna/photo.png").read_bytes() == b"x"


def test_keeping_the_same_file_twice_is_one_copy(mirror: LifeMirror, paths: Paths) -> None:
    mirror.write({"people/anna/summary.md": b"edited"})

    names = [mirror.kept_name("people/anna/summary.md", b"edited")]
    names += [mirror.keep("people/anna/summary.md", b"edited") for _ in range(2)]

    assert len(set(names)) == 1
    assert names[0].startswith(".engram/edits/")
    assert names[0].endswith("-people-anna-summary.md")
    assert (paths.root / names[0]).read_bytes() == b"edited"


def test_two_edits_within_one_second_are_two_copies(mirror: LifeMirror, paths: Paths) -> None:
    mirror.write({"people/anna/summary.md": b"one"})
    first = mirror.keep("people/anna/summary.md", b"one")
    path = paths.life / "people/anna/summary.md"
    times = path.stat()
    path.write_bytes(b"two")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    second = mirror.keep("people/anna/summary.md", b"two")

    assert first != second
    assert (paths.root / first).read_bytes() == b"one"
    assert (paths.root / second).read_bytes() == b"two"


def test_a_folder_in_the_place_of_a_file_is_damage(mirror: LifeMirror, paths: Paths) -> None:
    (paths.life / "people/anna/summary.md").mkdir(parents=True)

    with pytest.raises(DamagedStateError, match="is a folder"):
        mirror.read("people/anna/summary.md")
