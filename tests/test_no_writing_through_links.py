"""Nothing in a workspace is written through a link: whoever would is refused, in one sentence."""

import shutil
from pathlib import Path

import pytest

from engram.base.disk.files import make_folder
from engram.base.disk.files import write_durably
from engram.base.disk.inner_folders import inner_folder
from engram.errors import RefusedError
from engram.operations.setup import make_workspace
from engram.workspace import Workspace
from tests.conftest import Engram

pytestmark = pytest.mark.usefixtures("children_here")

FIRST = ("write", "--entity", "people/anna", "--create", "--fact", "Anna prefers tea", "--category", "preference")
MORE = ("write", "--entity", "people/anna", "--fact", "Anna lives in Lisbon", "--category", "context")
NOTE = ("note", "add", "Anna called")
HANDOFF = ("handoff", "write", "Ship it")
WORKING = ("working-memory", "set", "The release")
DECIDED = ("decision", "log", "Tea it is")
TENSION = ("observe", "Anna restarts the server every Monday")
DOMAIN = ("domain", "log", "shop", "Moved the till")


def linked_out(paths_root: Path, part: str, outside: Path) -> Path:
    """Put a link in the place of a folder or file of the workspace; what stood there stands outside now."""
    place = paths_root / part
    target = outside / part.replace("/", "-")
    if place.exists():
        shutil.move(place, target)
    elif not target.suffix:
        target.mkdir()
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target)
    return target


def bytes_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    return folder


@pytest.mark.parametrize(
    ("part", "command"),
    [
        ("memory", NOTE),
        ("memory/main", NOTE),
        ("memory/main/main", NOTE),
        ("memory/main/main", HANDOFF),
        ("memory/main/main/archives", HANDOFF),
        ("memory/main/main", WORKING),
        ("memory/main", DECIDED),
        ("memory/main/main/decisions.md", DECIDED),
        ("memory/domains", DOMAIN),
        ("memory/domains/shop", DOMAIN),
    ],
)
def test_what_is_written_into_memory_does_not_go_through_a_link(
    workspace: Workspace, outside: Path, engram: Engram, part: str, command: tuple[str, ...]
) -> None:
    engram("domain", "add", "shop", "--type", "dev-project")
    engram("handoff", "write", "Begin")
    engram(*DECIDED)
    linked_out(workspace.paths.root, part, outside)
    before = bytes_in(outside)

    answer = engram(*command)

    assert bytes_in(outside) == before
    assert answer.code == 4
    assert "is a link" in answer.err


@pytest.mark.parametrize(
    "part", ["life", "life/people", "life/people/anna", "life/people/anna/summary.md", "life/index.md"]
)
def test_life_is_not_written_through_a_link_and_the_fact_is_kept(
    workspace: Workspace, outside: Path, engram: Engram, part: str
) -> None:
    engram(*FIRST)
    linked_out(workspace.paths.root, part, outside)
    before = bytes_in(outside)

    answer = engram(*MORE)

    assert answer.code == 0
    assert "is a link, and nothing is written through links" in answer.err
    assert bytes_in(outside) == before
    assert len(engram("facts", "--json").json["facts"]) == 2


@pytest.mark.parametrize("part", ["ops", "ops/observations"])
def test_what_waits_is_not_written_through_a_link(
    workspace: Workspace, outside: Path, engram: Engram, part: str
) -> None:
    linked_out(workspace.paths.root, part, outside)

    answer = engram(*TENSION)

    assert answer.code == 0
    assert "is a link, and nothing is written through links" in answer.err
    assert bytes_in(outside) == {}


@pytest.mark.parametrize(
    "part",
    [".engram", ".engram/journal", ".engram/spool", ".engram/engram.duckdb", ".engram/index", ".engram/hooks.log"],
)
def test_state_that_is_a_link_is_refused_at_every_command(
    workspace: Workspace, outside: Path, engram: Engram, part: str
) -> None:
    engram(*FIRST)
    linked_out(workspace.paths.root, part, outside)
    before = bytes_in(outside)

    for command in (MORE, ("facts",), ("recall", "tea"), ("doctor", "--fix"), ("rebuild", "all")):
        answer = engram(*command)
        assert answer.code == 4, command
        assert f"{part} is a link, and nothing is written through links" in answer.err
    with pytest.raises(RefusedError, match=f"{part} is a link"):
        make_workspace(workspace.paths.root, {}, now=workspace.now, force=False, dry_run=False)
    assert bytes_in(outside) == before


@pytest.mark.parametrize(
    "part", [".engram/journal/000000000001.jsonl", ".engram/locks/store.lock", ".engram/spool/results", ".engram/edits"]
)
def test_no_file_of_the_state_is_written_through_a_link(
    workspace: Workspace, outside: Path, engram: Engram, part: str
) -> None:
    engram(*FIRST)
    linked_out(workspace.paths.root, part, outside)
    before = bytes_in(outside)

    engram(*MORE)
    engram("heartbeat", "run")
    engram("doctor", "--fix")

    assert bytes_in(outside) == before


def test_a_settings_file_that_is_a_link_still_reads(workspace: Workspace, outside: Path, engram: Engram) -> None:
    linked_out(workspace.paths.root, "engram.toml", outside)

    assert engram(*FIRST).code == 0


def test_a_folder_is_not_made_through_a_link(tmp_path: Path, outside: Path) -> None:
    (tmp_path / "linked").symlink_to(outside)

    with pytest.raises(RefusedError, match="linked is a link"):
        make_folder(tmp_path / "linked" / "inner", root=tmp_path)

    assert list(outside.iterdir()) == []


def test_a_file_is_put_beside_a_link_and_not_where_it_leads(tmp_path: Path, outside: Path) -> None:
    (outside / "file").write_bytes(b"theirs")
    (tmp_path / "file").symlink_to(outside / "file")

    write_durably(tmp_path / "file", b"ours", root=tmp_path)

    assert (tmp_path / "file").read_bytes() == b"ours"
    assert not (tmp_path / "file").is_symlink()
    assert (outside / "file").read_bytes() == b"theirs"


@pytest.mark.parametrize("way", ["../outside", "inner/../../outside"])
def test_no_way_leads_out_of_the_root(tmp_path: Path, outside: Path, way: str) -> None:
    root = tmp_path / "root"
    root.mkdir()

    with pytest.raises(RefusedError, match="outside"), inner_folder(root, root / way, make=True):
        pass

    assert list(outside.iterdir()) == []


def test_a_file_in_the_place_of_a_folder_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")

    with pytest.raises(NotADirectoryError), inner_folder(tmp_path, tmp_path / "file" / "more", make=True):
        pass
