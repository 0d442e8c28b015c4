"""An index that is made anew: the former one serves until the new one stands, and stays when that is broken off."""

import os
from collections.abc import Callable
from pathlib import Path
from types import MethodType

import pytest

from engram.errors import DamagedJournalError
from engram.errors import DegradedIndexError
from engram.errors import StoreBusyError
from engram.ports.index import SearchFilter
from engram.ports.progress import Progress
from engram.services.index.full_catch_up import Keeper
from engram.services.index.full_catch_up import fill_in_portions
from engram.store.index.edge_files import STATE_FILE
from engram.store.index.replacement import Replacement
from engram.workspace import Workspace
from engram.workspace import index_rebuild
from engram.workspace.index_rebuild import IndexRebuild
from tests import forked

Filling = Callable[[Keeper, int, Callable[[], bool], Progress], bool]
Meanwhile = Callable[[Replacement], None]


@pytest.fixture
def filled(workspace: Workspace) -> Workspace:
    """A workspace with an index that holds a fact and a line of a note."""
    write(workspace, "Anna keeps bees")
    note = workspace.paths.memory / "2026-02-24.md"
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text("- The hives stand behind the barn\n")
    workspace.index.catch_up()
    return workspace


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Callable[[Meanwhile], None]:
    """Have something happen when the new index is filled, and has not taken the place of the former one."""

    def happens(what: Meanwhile) -> None:
        def filling(keeper: Keeper, portion: int, merge: MethodType, progress: Progress) -> bool:
            done = fill_in_portions(keeper, portion, merge, progress)
            assert isinstance(merge.__self__, Replacement)
            what(merge.__self__)
            return done

        monkeypatch.setattr(index_rebuild, "fill_in_portions", filling)

    return happens


def write(workspace: Workspace, text: str) -> None:
    workspace.submit("write", {"entity": "people/anna", "create": True, "text": text})


def found(workspace: Workspace, words: str) -> int:
    with workspace.index.searching() as index:
        return len(index.search(words, SearchFilter(), limit=10)["lexical"])


def shards(workspace: Workspace) -> list[Path]:
    return [*workspace.paths.index.glob("shard*")]


def test_the_former_index_serves_until_the_new_one_stands(
    filled: Workspace, meanwhile: Callable[[Meanwhile], None]
) -> None:
    with filled.index.searching() as index:
        before = index.digest()
    seen: list[int] = []

    def look(_made: Replacement) -> None:
        seen.append(found(filled, "bees") + found(filled, "hives"))
        write(filled, "Anna sells honey")

    meanwhile(look)
    stats = filled.index.rebuild()

    assert seen == [2]
    assert (stats["documents"], found(filled, "honey"), found(filled, "hives")) == (3, 1, 1)
    assert len(shards(filled)) == 1
    with filled.index.searching() as index:
        assert index.digest() != before
        assert filled.index.notes.is_current(index.notes_mark())


def test_killed_before_it_takes_the_place_the_former_one_stays(filled: Workspace) -> None:
    env = {**os.environ, "ENGRAM_FAULT_AT": "before-index-adopted", "ENGRAM_EMBEDDINGS": "none"}

    killed = forked.run(["--workspace", str(filled.paths.root), "rebuild", "index"], env=env)

    assert killed.returncode == -9, killed.stderr
    assert (found(filled, "bees"), found(filled, "hives")) == (1, 1)
    assert len(shards(filled)) > 1
    assert filled.index.rebuild()["documents"] == 2
    assert len(shards(filled)) == 1


def test_a_making_that_is_broken_off_leaves_the_former_one_alone(
    filled: Workspace, meanwhile: Callable[[Meanwhile], None]
) -> None:
    def breaks(_made: Replacement) -> None:
        raise DamagedJournalError("line 3 does not read")

    meanwhile(breaks)
    with pytest.raises(DamagedJournalError):
        filled.index.rebuild()

    assert (found(filled, "bees"), len(shards(filled))) == (1, 1)


def test_a_journal_that_is_written_anew_meanwhile_gives_no_index(
    filled: Workspace, meanwhile: Callable[[Meanwhile], None]
) -> None:
    def of_another(made: Replacement) -> None:
        with made.open() as index:
            index.advance(index.position(), "another journal's")

    meanwhile(of_another)
    with pytest.raises(DegradedIndexError, match="another journal"):
        filled.index.rebuild()

    assert (found(filled, "bees"), len(shards(filled))) == (1, 1)


def test_what_is_removed_meanwhile_does_not_come_back(
    filled: Workspace, meanwhile: Callable[[Meanwhile], None]
) -> None:
    meanwhile(lambda _made: filled.index.remove("forget"))

    with pytest.raises(DegradedIndexError):
        filled.index.rebuild()

    with filled.index.searching() as index:
        assert (index.position(), index.count()) == (0, 0)


def test_while_another_process_merges_the_former_one_is_removed_first(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(_rebuild: IndexRebuild) -> None:
        raise StoreBusyError("another maintenance is at it")

    monkeypatch.setattr(IndexRebuild, "require_one", busy)

    assert filled.index.rebuild()["documents"] == 2
    assert found(filled, "bees") == 1


def test_a_damaged_index_is_replaced(filled: Workspace) -> None:
    (filled.paths.index / STATE_FILE).write_bytes(b"{")

    assert filled.index.rebuild()["documents"] == 2
    assert found(filled, "bees") == 1


def test_maintenance_makes_an_index_anew_that_lacks_most_of_the_journal(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[Meanwhile], None]
) -> None:
    monkeypatch.setattr(index_rebuild, "_MANY_RECORDS", 2)
    made: list[Replacement] = []
    meanwhile(made.append)

    filled.index.maintain()
    assert made == []  # it lacks nothing

    for number in range(4):
        write(filled, f"Anna has {number} hives near the brook {number}")
    filled.index.maintain()
    filled.index.maintain()

    assert len(made) == 1
    assert found(filled, "brook") == 4
