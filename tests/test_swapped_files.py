"""Files of one workspace in the place of those of another: doctor sees it, and what nobody else knows stays."""

import os
import shutil
from pathlib import Path

import pytest

from engram.config.paths import Paths
from engram.store.index.edge_files import find_special
from engram.workspace import Workspace
from tests.conftest import Engram


@pytest.fixture
def other(engram: Engram, tmp_path: Path) -> Paths:
    """Another workspace, with fewer records."""
    root = tmp_path / "other"
    engram("init", str(root))
    say(engram, "Omar owns the barge", root)
    engram("recall", "barge", "--workspace", str(root))
    return Paths(root)


def say(engram: Engram, text: str, root: Path) -> None:
    fields = ("--entity", "people/kim", "--create", "--fact", text)
    assert engram("write", *fields, "--workspace", str(root)).code == 0


@pytest.fixture
def filled(engram: Engram, workspace: Workspace) -> Workspace:
    for text in ("Kim keeps the keys", "Kim bought a paddle", "Kim sold the red canoe in March", "Kim mends sails"):
        say(engram, text, workspace.paths.root)
    assert engram("recall", "keys").code == 0
    return workspace


def test_a_database_of_another_journal_is_an_error_and_is_set_aside(
    engram: Engram, filled: Workspace, other: Paths
) -> None:
    shutil.copy(other.database, filled.paths.database)

    seen = engram("doctor")
    mended = engram("doctor", "--fix")

    assert (seen.code, "database-differs" in seen.out) == (6, True)
    assert mended.code == 0, mended.out + mended.err
    assert engram("verify").code == 0
    assert "red canoe" in engram("facts").out
    kept = [path for path in filled.paths.state.glob("engram.duckdb*") if path != filled.paths.database]
    assert [path.read_bytes() == other.database.read_bytes() for path in kept] == [True]


def test_an_index_of_another_journal_is_an_error_and_is_made_anew(
    engram: Engram, filled: Workspace, other: Paths
) -> None:
    shutil.rmtree(filled.paths.index)
    shutil.copytree(other.index, filled.paths.index)

    seen = engram("doctor")
    mended = engram("doctor", "--fix")

    assert (seen.code, "the index was made from another journal" in seen.out) == (6, True), seen.out
    assert mended.code == 0, mended.out + mended.err
    assert engram("verify").code == 0
    assert "red canoe" in engram("recall", "who sold the canoe?").out


def test_an_engine_is_not_let_near_a_pipe_in_its_folder(engram: Engram, filled: Workspace) -> None:
    config = next(filled.paths.index.glob("shard*/edge_config.json"))
    config.unlink()
    os.mkfifo(config)

    answer = engram("recall", "who sold the canoe?")

    assert (answer.code in {0, 7}, "red canoe" in answer.out) == (True, True), answer.err
    assert engram("doctor", "--fix").code == 0
    assert find_special(filled.paths.index) is None
