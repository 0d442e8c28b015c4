"""Every version reads the stores of the versions before it, and leaves alone what a newer one wrote."""

import json
import shutil
from pathlib import Path

import pytest

from engram.errors import NewerFormatError
from engram.model.commands.command import Outcome
from engram.operations.upkeep import Upkeep
from engram.store.store_format import ENCRYPTED
from engram.store.store_format import KNOWN
from engram.store.store_format import StoreFormat
from engram.store.store_format import read_format
from engram.store.store_format import write_format
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.making import NOW
from tests.store_fixture import make_store
from tests.store_fixture import texts

STORES = Path(__file__).parent / "data" / "stores"


def opened(fixture: Path, root: Path) -> Workspace:
    shutil.copytree(fixture, root)
    (root / "engram").rename(root / ".engram")
    return open_workspace(str(root), now=lambda: NOW)


@pytest.mark.parametrize("number", range(1, KNOWN + 1))
def test_a_store_of_every_format_reads_with_its_waiting_commands_and_can_be_written_to(
    tmp_path: Path, number: int
) -> None:
    fixture = STORES / f"format-{number}"
    workspace = opened(fixture, tmp_path / "workspace")

    assert sorted(texts(workspace)) == json.loads((fixture / "facts.json").read_text(encoding="utf-8"))

    assert workspace.submit("write", {"entity": "people/anna", "text": "Anna has a cat"}).status == Outcome.CREATED
    assert not Upkeep(workspace).verify().problems
    assert read_format(workspace.paths.format).format == KNOWN


def test_the_fixture_of_this_format_is_what_this_version_makes(tmp_path: Path) -> None:
    make_store(tmp_path / "made")

    found = {
        path.relative_to(tmp_path / "made").as_posix().partition("spool/")[0] for path in (tmp_path / "made").rglob("*")
    }
    kept = STORES / f"format-{KNOWN}"
    expected = {path.relative_to(kept).as_posix().partition("spool/")[0] for path in kept.rglob("*")}
    assert found == expected
    assert (tmp_path / "made" / "engram" / "format").read_bytes() == (kept / "engram" / "format").read_bytes()


def test_a_store_that_may_only_be_read_is_read_and_not_written_to(workspace: Workspace) -> None:
    workspace.submit("write", {"entity": "people/anna", "text": "Anna prefers tea", "create": True})
    newer = StoreFormat(format=ENCRYPTED + 1, min_reader=KNOWN, min_writer=ENCRYPTED + 1)
    write_format(workspace.paths.format, newer)

    with pytest.raises(NewerFormatError, match="written by a newer Engram"):
        workspace.submit("write", {"entity": "people/anna", "text": "Anna lives in Riga"})

    assert texts(workspace) == ["Anna prefers tea"]
    assert len(workspace.spool.waiting()) == 1
    assert read_format(workspace.paths.format) == newer


def test_a_store_that_takes_a_newer_reader_is_not_read(workspace: Workspace) -> None:
    workspace.submit("write", {"entity": "people/anna", "text": "Anna prefers tea", "create": True})
    write_format(workspace.paths.format, StoreFormat(format=ENCRYPTED + 1, min_reader=ENCRYPTED + 1))

    with pytest.raises(NewerFormatError, match="written by a newer Engram"):
        texts(workspace)


def test_a_format_that_needs_no_newer_writer_is_kept(workspace: Workspace) -> None:
    newer = StoreFormat(format=ENCRYPTED + 1)
    write_format(workspace.paths.format, newer)

    workspace.submit("write", {"entity": "people/anna", "text": "Anna prefers tea", "create": True})

    assert read_format(workspace.paths.format) == newer
