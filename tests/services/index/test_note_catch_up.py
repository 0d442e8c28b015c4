"""The index against the files of notes: what stands there now is found, what does not is not, and little is read."""

import datetime as dt
import os
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from engram.base.disk.safe_files import read_within
from engram.model.document import Document
from engram.services.index import note_catch_up
from engram.services.index.note_freshness import Notes
from engram.services.index.note_list import NotePlaces
from engram.services.index.note_list import Recipe
from engram.store.index.edge_index import EdgeVectorIndex
from engram.workspace import Workspace
from tests.conftest import Engram
from tests.heartbeat.notes import put_note
from tests.store.test_vector_index import LetterEmbedder

DAY = "main/main/2026-02-24.md"
FUTURE_NS = 2**62  # of a clock by which every file has long been at rest


class Read:
    """Counts the files that are read."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.paths: list[str] = []
        real = read_within

        def read(root: Path, path: str) -> bytes:
            self.paths.append(path)
            return real(root, path)

        monkeypatch.setattr(note_catch_up, "read_within", read)

    def taken(self) -> list[str]:
        paths, self.paths = self.paths, []
        return paths


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Read:
    return Read(monkeypatch)


def notes_in(root: Path) -> Notes:
    """Return the notes of a folder that holds nothing else of a workspace."""
    places = NotePlaces(root, "memory", root / "list.jsonl")
    return Notes(places, Recipe("main", dt.UTC), dict, clock=lambda: 0.0, now_ns=lambda: FUTURE_NS)


def notes_of(workspace: Workspace, apart: dict[str, str] | None = None, **fields: Any) -> Notes:
    settings = workspace.settings
    recipe = Recipe(settings.agent, settings.zone, settings.screen.patterns)
    later = {"clock": lambda: 0.0, "now_ns": lambda: FUTURE_NS, **fields}
    return Notes(workspace.index.notes.places, recipe, lambda: apart or {}, **later)


@pytest.fixture
def index(workspace: Workspace) -> Iterator[EdgeVectorIndex]:
    with EdgeVectorIndex(workspace.paths.index, LetterEmbedder()) as index:
        yield index


def held(index: EdgeVectorIndex) -> list[Document]:
    keys = [key for keys in index.ids_by_path(("note", "self")).values() for key in keys]
    return sorted(index.retrieve(keys), key=lambda one: (one.path or "", int((one.lines or "0").split("-")[0])))


def shown(index: EdgeVectorIndex) -> list[tuple[str, str | None]]:
    return [(one.text, one.lines) for one in held(index)]


def test_what_is_written_edited_and_deleted_is_there_changed_and_gone(
    workspace: Workspace, index: EdgeVectorIndex
) -> None:
    notes = notes_of(workspace)
    file = put_note(workspace, DAY, "## Cargo\n\n- Pier 4 is shut\n- Tea at four\n")

    assert notes.catch_up(index, None) == 0
    assert shown(index) == [("- Pier 4 is shut", "3"), ("- Tea at four", "4")]
    file.write_text("## Cargo\n\n- Good morning\n- Pier 4 is open\n- Tea at four\n")
    notes.catch_up(index, None)
    assert shown(index) == [("- Good morning", "3"), ("- Pier 4 is open", "4"), ("- Tea at four", "5")]
    file.unlink()
    notes.catch_up(index, None)
    assert shown(index) == []


def test_only_what_changed_is_read_and_nothing_when_nothing_did(
    workspace: Workspace, index: EdgeVectorIndex, read: Read
) -> None:
    notes = notes_of(workspace)
    files = [put_note(workspace, f"main/main/2026-02-{day}.md", f"- Tea {day}\n") for day in range(10, 15)]
    notes.catch_up(index, None)
    assert len(read.taken()) == len(files) + 1  # and MEMORY.md

    notes.catch_up(index, None)
    assert read.taken() == []
    files[2].write_text("- Milk 12\n")
    notes.catch_up(index, None)
    assert read.taken() == ["memory/main/main/2026-02-12.md"]
    assert notes.is_current(index.notes_mark())


def test_a_line_that_moves_keeps_its_vector(workspace: Workspace, index: EdgeVectorIndex) -> None:
    notes = notes_of(workspace)
    file = put_note(workspace, DAY, "- Pier 4 is shut\n- Tea at four\n")
    notes.catch_up(index, None)
    index.embed_pending(None, lambda: 0.0)
    file.write_text("Good morning.\n\n- Pier 4 is shut\n- Tea at four\n")
    notes.catch_up(index, None)

    assert index.pending() == 1
    assert shown(index)[1:] == [("- Pier 4 is shut", "3"), ("- Tea at four", "4")]


def test_a_file_written_within_one_tick_of_the_clock_is_looked_at_again(
    workspace: Workspace, index: EdgeVectorIndex, read: Read
) -> None:
    file = put_note(workspace, DAY, "- Tea at four\n")
    stat = file.stat()
    notes = notes_of(workspace, now_ns=lambda: stat.st_mtime_ns)
    notes.catch_up(index, None)
    read.taken()
    file.write_text("- Tea at five\n")  # as long as before
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    notes.catch_up(index, None)

    assert shown(index) == [("- Tea at five", "1")]


def test_without_time_one_file_is_read_and_the_next_catch_up_goes_on(
    workspace: Workspace, index: EdgeVectorIndex
) -> None:
    for day in range(10, 14):
        put_note(workspace, f"main/main/2026-02-{day}.md", f"- Tea {day}\n")
    notes = notes_of(workspace)

    assert [notes.catch_up(index, 0) for _ in range(6)] == [4, 3, 2, 1, 0, 0]
    assert len(held(index)) == 4


def test_an_edited_note_that_there_is_no_time_for_is_rather_not_found(
    workspace: Workspace, index: EdgeVectorIndex
) -> None:
    files = [put_note(workspace, f"main/main/2026-02-{day}.md", f"- Tea {day}\n") for day in (10, 11)]
    notes = notes_of(workspace)
    notes.catch_up(index, None)
    for file in files:
        file.write_text("- Milk\n")

    assert notes.catch_up(index, 0) == 1
    assert [one.text for one in held(index)] == ["- Milk"]


def test_a_crash_between_points_and_list_leaves_nothing_behind(
    workspace: Workspace, index: EdgeVectorIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = notes_of(workspace)
    file = put_note(workspace, DAY, "- Tea at four\n")
    notes.catch_up(index, None)
    file.write_text("- Tea at five\n")

    def crash(*_: Any) -> None:
        raise OSError("the machine went down")

    with monkeypatch.context() as crashing:
        crashing.setattr(note_catch_up, "write_list", crash)
        with pytest.raises(OSError, match="went down"):
            notes.catch_up(index, None)
    file.write_text("- Tea at six\n")
    notes.catch_up(index, None)

    assert shown(index) == [("- Tea at six", "1")]


def test_who_is_killed_half_way_has_not_read_for_nothing(
    workspace: Workspace, index: EdgeVectorIndex, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    for day in range(10, 14):
        put_note(workspace, f"main/main/2026-02-{day}.md", "".join(f"- Tea {day} {n}\n" for n in range(300)))
    counted = note_catch_up.read_within  # type: ignore[attr-defined]

    def killed(root: Path, path: str) -> bytes:
        if len(read.paths) == 4:  # MEMORY.md and three days
            raise KeyboardInterrupt
        data: bytes = counted(root, path)
        return data

    with monkeypatch.context() as killing:
        killing.setattr(note_catch_up, "read_within", killed)
        killing.setattr(note_catch_up, "_KEPT_S", 0.0)
        with pytest.raises(KeyboardInterrupt):
            notes_of(workspace).catch_up(index, None)
    before = set(read.taken())
    notes_of(workspace).catch_up(index, None)

    assert len(held(index)) == 1200
    assert len(before & set(read.taken())) == 1  # the third day, whose batch was not full


def test_without_a_bound_it_goes_on_until_somebody_waits(
    workspace: Workspace, index: EdgeVectorIndex, read: Read
) -> None:
    for day in range(10, 14):
        put_note(workspace, f"main/main/2026-02-{day}.md", f"- Tea {day}\n")
    waits = iter([False, True])

    left = notes_of(workspace).catch_up(index, None, is_wanted=lambda: next(waits))

    assert (left, len(read.taken())) == (3, 2)


def test_a_list_of_another_index_is_not_believed(workspace: Workspace, index: EdgeVectorIndex, tmp_path: Path) -> None:
    put_note(workspace, DAY, "- Tea at four\n")
    notes = notes_of(workspace)
    notes.catch_up(index, None)
    with EdgeVectorIndex(tmp_path / "other", None) as other:
        notes.catch_up(other, None)
        assert shown(other) == [("- Tea at four", "1")]
    index.upsert([held(index)[0].model_copy(update={"id": "note/old", "path": "memory/gone.md"})])
    notes.catch_up(index, None)

    assert shown(index) == [("- Tea at four", "1")]


def test_a_session_that_is_kept_apart_later_takes_its_notes_along(
    workspace: Workspace, index: EdgeVectorIndex, read: Read
) -> None:
    put_note(workspace, "main/chat/2026-02-24.md", "- Tea at four\n")
    put_note(workspace, DAY, "- Milk\n")
    notes_of(workspace).catch_up(index, None)
    read.taken()
    notes_of(workspace, {"chat": "session:chat"}).catch_up(index, None, thorough=True)

    assert {one.scope for one in held(index)} == {"session:chat", "shared"}
    assert read.taken() == ["memory/main/chat/2026-02-24.md"]


def test_links_hidden_folders_and_what_is_no_text_are_left_alone(
    workspace: Workspace, index: EdgeVectorIndex, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.md").write_text("- secret\n")
    put_note(workspace, ".hidden/a.md", "- hidden\n")
    put_note(workspace, "main/bad.md", b"- \xff\n")
    (workspace.paths.memory / "link.md").symlink_to(outside / "a.md")
    (workspace.paths.memory / "folder").symlink_to(outside)
    (workspace.paths.root / "SOUL.md").symlink_to(outside / "a.md")
    notes_of(workspace).catch_up(index, None)

    assert held(index) == []


LINES = st.lists(st.sampled_from(["- Tea", "- Milk\n  and sugar", "## Cargo", "- [[x]]", "text", ""]), max_size=5)
EDITS = st.lists(
    st.tuples(st.sampled_from(["a.md", "main/main/b.md", "main/chat/c.md"]), st.none() | LINES), max_size=8
)


class HeldDocuments(EdgeVectorIndex):
    """The documents of an index without an engine: what a catch-up does to them, and nothing else."""

    def __init__(self) -> None:
        self.documents: dict[str, Document] = {}
        self.mark = ""

    def position(self) -> int:
        return 0

    def notes_mark(self) -> str:
        return self.mark

    def keep_notes_mark(self, mark: str) -> None:
        self.mark = mark

    def ids_by_path(self, kinds: Sequence[str]) -> dict[str, list[str]]:
        assert not self.documents
        return {}

    def retrieve(self, ids: Iterable[str]) -> list[Document]:
        return [self.documents[key] for key in ids if key in self.documents]

    def upsert(self, documents: Sequence[Document]) -> None:
        self.documents |= {one.id: one for one in documents}

    def refit(self, documents: Sequence[Document]) -> None:
        assert all(self.documents[one.id].indexed_text == one.indexed_text for one in documents)
        self.upsert(documents)

    def delete(self, ids: Iterable[str]) -> None:
        for key in ids:
            del self.documents[key]


@settings(max_examples=100, suppress_health_check=list(HealthCheck))
@given(EDITS)
def test_step_by_step_and_made_anew_are_the_same(
    tmp_path_factory: Any, edits: list[tuple[str, list[str] | None]]
) -> None:
    folder = tmp_path_factory.mktemp("notes")
    notes = notes_in(folder)
    steps, anew = HeldDocuments(), HeldDocuments()
    for name, lines in edits:
        file = folder / "memory" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if lines is None:
            file.unlink(missing_ok=True)
        else:
            file.write_text("\n".join(lines))
        notes.catch_up(steps, None)
    notes.catch_up(anew, None)

    assert steps.documents == anew.documents


# --- through the doors -------------------------------------------------------------------------------------------


@pytest.fixture
def engram(engram_here: Engram) -> Engram:
    return engram_here


def hits(engram: Engram, *args: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = engram("--json", "recall", *args).json["hits"]
    return found


def test_a_note_is_found_as_soon_as_it_is_added(engram: Engram) -> None:
    engram("note", "add", "The harbour pilot boards at buoy seven")
    (hit,) = hits(engram, "where does the harbour pilot board")

    assert hit["text"].endswith("The harbour pilot boards at buoy seven")
    assert (hit["kind"], hit["lines"]) == ("note", "5")


def test_a_line_that_was_edited_is_not_found_as_it_was(workspace: Workspace, engram: Engram) -> None:
    file = put_note(workspace, DAY, "- The harbour pilot boards at buoy seven\n")
    assert hits(engram, "harbour pilot")
    file.write_text("# Tuesday\n\n- The harbour pilot boards at buoy nine\n")
    (hit,) = hits(engram, "harbour pilot")

    assert (hit["text"], hit["lines"]) == ("- The harbour pilot boards at buoy nine", "3")


def test_a_session_whose_notes_nobody_has_read_yet_can_be_asked(workspace: Workspace, engram: Engram) -> None:
    put_note(workspace, "main/chat/2026-02-24.md", "- The harbour pilot boards at buoy seven\n")

    assert [hit["session"] for hit in hits(engram, "harbour pilot", "--session", "chat")] == ["chat"]
    for unknown in ("chet", "../main", "a/b/c"):
        assert "there is no session" in engram("recall", "harbour pilot", "--session", unknown).err


def test_rebuilding_gives_the_same_documents(workspace: Workspace, engram: Engram) -> None:
    file = put_note(workspace, DAY, "- Pier 4 is shut\n- Tea\n")
    hits(engram, "pier")
    file.write_text("- Pier 5 is shut\n- Tea\n")
    hits(engram, "pier")
    with workspace.index.searching() as index:
        before = index.digest()
    engram("rebuild", "index")
    with workspace.index.searching() as index:
        assert index.digest() == before


@pytest.mark.parametrize(("options", "found"), [((), True), (("--session", "chat"), False), (("--agent", "x"), False)])
def test_what_is_the_agents_own_is_not_for_groups_and_other_agents(
    workspace: Workspace, engram: Engram, options: tuple[str, ...], *, found: bool
) -> None:
    engram("session", "add", "chat", "--kind", "group")
    (workspace.paths.root / "USER.md").write_text("- The harbour pilot is called Meera\n")
    put_note(workspace, "user_pilot.md", "---\nname: pilot\ntype: user\n---\nThe harbour pilot has a dog\n")
    texts = {hit["text"] for hit in hits(engram, "harbour pilot", *options)}

    assert texts == ({"- The harbour pilot is called Meera", "The harbour pilot has a dog"} if found else set())
