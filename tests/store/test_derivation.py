"""What another version of Engram read in the words of facts is read anew, once and without a word."""

import ast
import re
import shutil
from pathlib import Path

import pytest

import engram
from engram.language import PATTERNS
from engram.store.database.derivation import KINDS
from engram.store.database.derivation import derivation
from engram.store.database.derivation import derivation_of
from engram.store.database.duck_database import DuckFactDatabase
from engram.store.database.tables import rows
from engram.workspace import Workspace

PACKAGE = Path(engram.__file__).parent
PROMISE = {"entity": "people/anna", "text": "Anna sends the draft by Friday", "category": "commitment", "create": True}
LIMIT = {"entity": "projects/importer", "text": "The importer's batch limit is 100", "create": True}


def make_older(workspace: Workspace) -> None:
    """Make the database as a version with other patterns would have left it."""
    with workspace.store.projection.attached_to_write() as database:
        database._run("UPDATE facts SET renewal_keys = ['other'], ends_at = valid_to")
        database._write_meta({"derivation": "another"})


def digests_of(workspace: Workspace) -> dict[str, str]:
    with workspace.reading() as database:
        return database.digests()


@pytest.fixture
def older(workspace: Workspace) -> Workspace:
    with workspace.writing("test") as recorder:
        until = {"valid_to": "2026-03-06", "valid_from": "2026-01-05"}
        recorder.record([workspace.envelope("write", {**PROMISE, **until}), workspace.envelope("write", LIMIT)])
    make_older(workspace)
    return workspace


def test_who_reads_finds_what_this_version_reads_in_the_words(
    older: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    found = digests_of(older)

    with older.store.projection.in_memory() as rebuilt:
        assert found == rebuilt.digests()
    assert capsys.readouterr().err == ""
    assert not list(older.paths.database.parent.glob("*.damaged-*"))


def test_what_is_written_meets_what_an_older_version_knew_by_other_words(older: Workspace) -> None:
    fields = {"entity": "projects/importer", "text": "the importer's batch limit is now 250"}

    assert older.submit("write", fields).status.value == "superseded"


def test_it_is_done_once(older: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    digests_of(older)

    monkeypatch.setattr(rows, "derived_again", None)  # calling it would fail
    digests_of(older)
    older.submit("write", LIMIT)


def test_where_nothing_can_be_written_it_is_read_as_it_is(older: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(DuckFactDatabase, "derive", refuse)

    with older.reading() as database:
        assert database.counts()["facts"] == 2


def test_what_fails_half_way_leaves_what_was(older: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "derived_again", None)
    with pytest.raises(TypeError), older.writing("test"):
        pass
    monkeypatch.undo()

    with older.store.projection.in_memory() as rebuilt:
        assert digests_of(older) == rebuilt.digests()


def test_another_version_and_other_patterns_give_another_stamp(tmp_path: Path) -> None:
    shutil.copytree(PATTERNS, tmp_path / "patterns", ignore=shutil.ignore_patterns("__pycache__"))
    copy = tmp_path / "patterns"
    same = derivation_of(copy, engram.__version__)

    with (copy / "changes" / "en.toml").open("a") as file:
        file.write("# another word\n")

    assert same == derivation() != derivation_of(copy, engram.__version__)
    assert derivation_of(copy, "1.0") != derivation_of(copy, "1.1")


def test_every_pattern_that_is_read_counts() -> None:
    modules = imported_by(
        {"engram.language.compare.updates.renewal", "engram.language.dates.due_days", "engram.rules.temporal"}
    )

    assert kinds_read_by(modules) <= set(KINDS)
    assert "comparing" in kinds_read_by(modules)


def imported_by(begun: set[str]) -> set[str]:
    """Return the modules of languages and rules that some of them load, with themselves."""
    found: set[str] = set()
    waiting = list(begun)
    while waiting:
        name = waiting.pop()
        file = file_of(name)
        if name in found or file is None or not name.startswith(("engram.language", "engram.rules")):
            continue
        found.add(name)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                waiting += [node.module, *(f"{node.module}.{one.name}" for one in node.names)]
    return found


def file_of(module: str) -> Path | None:
    file = PACKAGE.parent.joinpath(*module.split(".")).with_suffix(".py")
    return file if file.exists() else None


def kinds_read_by(modules: set[str]) -> set[str]:
    """Return the names of folders and files of patterns that stand as words in these modules."""
    known = {one.name for one in Path(PATTERNS).iterdir()} - {"README.md", "__pycache__"}
    found: set[str] = set()
    for name in modules:
        file = file_of(name)
        words = set(re.findall(r'"([a-z_]+)"', file.read_text(encoding="utf-8"))) if file else set()
        found |= {one for one in known if one.removesuffix(".toml") in words}
    return found
