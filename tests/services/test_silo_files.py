"""The files of a silo: handoff, working memory and decision log, with many writers and writers that die."""

import datetime as dt
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.base.disk import faults
from engram.config.paths import Paths
from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.services.silo.decision_log import Decision
from engram.services.silo.decision_log import list_decisions
from engram.services.silo.decision_log import log_decision
from engram.services.silo.folder import MOST_CHARS
from engram.services.silo.folder import silo_folder
from engram.services.silo.handoff import list_handoffs
from engram.services.silo.handoff import read_handoff
from engram.services.silo.handoff import write_handoff
from engram.services.silo.working_memory import clear_working_memory
from engram.services.silo.working_memory import read_working_memory
from engram.services.silo.working_memory import set_working_memory
from engram.services.silo.working_memory import update_working_memory
from engram.services.silo.working_memory import updated
from engram.store.text_files import WorkspaceFiles
from engram.workspace import Workspace
from tests.making import NOW

SILO = "memory/main/main"
SECRET = "password: hunter2secret99"


@pytest.fixture
def paths(workspace: Workspace) -> Paths:
    return workspace.paths


class DiedError(Exception):
    """The writer died here."""


def die_at(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def die(point: str) -> None:
        if point == name:
            raise DiedError

    for module in ("engram.services.silo.folder", "engram.base.disk.files", "engram.services.silo.daily_note"):
        monkeypatch.setattr(f"{module}.{faults.fault_point.__name__}", die)


# --- folders -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("session", "folder"),
    [(None, "memory/main/main"), ("demo", "memory/main/demo"), ("writer/demo", "memory/writer/demo")],
)
def test_every_session_has_a_folder_of_its_own(session: str | None, folder: str) -> None:
    assert silo_folder("main", session) == folder


@pytest.mark.parametrize("session", ["a/b/c", "domains/billing"])
def test_a_session_never_shares_a_folder(session: str) -> None:
    with pytest.raises(BadValueError, match=session):
        silo_folder("main", session)


def test_a_folder_that_leads_out_of_the_memory_is_refused(paths: Paths, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (paths.memory / "main").mkdir(parents=True, exist_ok=True)
    (paths.root / "memory/main/demo").symlink_to(outside)

    with pytest.raises(RefusedError):
        write_handoff(WorkspaceFiles(paths), "memory/main/demo", "secret plans", now=NOW)
    assert list(outside.iterdir()) == []


def test_a_link_is_not_read(paths: Paths, tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("not for you")
    (paths.root / SILO).mkdir(parents=True)
    (paths.root / SILO / "handoff.md").symlink_to(tmp_path / "other.md")

    with pytest.raises(RefusedError):
        read_handoff(WorkspaceFiles(paths), SILO)


# --- handoffs ----------------------------------------------------------------------------------------------------


def test_every_version_stays_and_the_current_one_tells_its_age(paths: Paths) -> None:
    for place, text in enumerate(("first", "second\n\nwith two parts", "third")):
        write_handoff(WorkspaceFiles(paths), SILO, text, now=NOW + dt.timedelta(days=place))

    current = read_handoff(WorkspaceFiles(paths), SILO)
    assert current is not None
    assert (current.text, current.version, current.age_days(NOW + dt.timedelta(days=4, hours=1))) == ("third", 3, 2)
    versions = list_handoffs(WorkspaceFiles(paths), SILO)
    assert [(one.version, one.text) for one in versions] == [
        (3, "third"),
        (2, "second\n\nwith two parts"),
        (1, "first"),
    ]
    assert [one.path for one in versions] == [
        f"{SILO}/handoff.md",
        f"{SILO}/archives/handoff-0002.md",
        f"{SILO}/archives/handoff-0001.md",
    ]


def test_a_handoff_that_a_person_wrote_is_one_too(paths: Paths) -> None:
    (paths.root / SILO).mkdir(parents=True)
    (paths.root / SILO / "handoff.md").write_text("By hand: ask Anna\n")

    current = read_handoff(WorkspaceFiles(paths), SILO)
    assert current is not None
    assert (current.text, current.version, current.written_at) == ("By hand: ask Anna", 1, None)

    write_handoff(WorkspaceFiles(paths), SILO, "Anna was asked", now=NOW)
    assert [(one.version, one.text) for one in list_handoffs(WorkspaceFiles(paths), SILO)] == [
        (2, "Anna was asked"),
        (1, "By hand: ask Anna"),
    ]


def test_silos_do_not_share_handoffs(paths: Paths) -> None:
    write_handoff(WorkspaceFiles(paths), "memory/main/demo", "for demo", now=NOW)

    assert read_handoff(WorkspaceFiles(paths), SILO) is None
    assert list_handoffs(WorkspaceFiles(paths), SILO) == []


@pytest.mark.parametrize("point", ["before-silo-file", "before-rename", "after-rename"])
def test_a_writer_that_dies_leaves_one_whole_handoff_and_every_version_once(
    paths: Paths, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    write_handoff(WorkspaceFiles(paths), SILO, "first", now=NOW)
    with monkeypatch.context() as patched:
        die_at(patched, point)
        with pytest.raises(DiedError):
            write_handoff(WorkspaceFiles(paths), SILO, "second", now=NOW)
    current = read_handoff(WorkspaceFiles(paths), SILO)
    assert current is not None
    assert current.text in {"first", "second"}

    write_handoff(WorkspaceFiles(paths), SILO, "third", now=NOW)

    found = [(one.version, one.text) for one in list_handoffs(WorkspaceFiles(paths), SILO)]
    after = [(3, "third"), (2, "second"), (1, "first")]
    assert found == (after if current.text == "second" else [(2, "third"), (1, "first")])


def test_many_writers_lose_no_version(paths: Paths) -> None:
    threads = [
        threading.Thread(target=write_handoff, args=(WorkspaceFiles(paths), SILO, f"text {n}"), kwargs={"now": NOW})
        for n in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    versions = list_handoffs(WorkspaceFiles(paths), SILO)
    assert [one.version for one in versions] == list(range(12, 0, -1))
    assert {one.text for one in versions} == {f"text {n}" for n in range(12)}


def test_archives_are_told_from_files_of_people_and_counted_beyond_four_digits(paths: Paths) -> None:
    write_handoff(WorkspaceFiles(paths), SILO, "first", now=NOW)
    archives = paths.root / SILO / "archives"
    archives.mkdir()
    for name in ("handoff-2025-old.md", "handoff-9999.md", "handoff-10000.md", "handoff-old.md", "my-handoff-0003.md"):
        (archives / name).write_text(f"text of {name}\n")

    write_handoff(WorkspaceFiles(paths), SILO, "second", now=NOW)

    assert (archives / "handoff-10001.md").exists()
    assert [one.path.rpartition("/")[2] for one in list_handoffs(WorkspaceFiles(paths), SILO)] == [
        "handoff.md", "handoff-10001.md", "handoff-10000.md", "handoff-9999.md"
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "  \n ", "a\x07b", "x" * (MOST_CHARS + 1)])
def test_what_cannot_stand_there_is_refused(paths: Paths, text: str) -> None:
    with pytest.raises(BadValueError):
        write_handoff(WorkspaceFiles(paths), SILO, text, now=NOW)
    with pytest.raises(BadValueError):
        log_decision(WorkspaceFiles(paths), SILO, text, now=NOW, zone=dt.UTC)
    with pytest.raises(BadValueError):
        set_working_memory(WorkspaceFiles(paths), SILO, text)
    assert not (paths.root / SILO).exists()


def test_secrets_are_taken_out_before_anything_is_written(paths: Paths) -> None:
    write_handoff(WorkspaceFiles(paths), SILO, SECRET, now=NOW)
    set_working_memory(WorkspaceFiles(paths), SILO, SECRET)
    log_decision(WorkspaceFiles(paths), SILO, SECRET, now=NOW, zone=dt.UTC)

    files = [file.read_text() for file in (paths.root / SILO).rglob("*.md")]
    assert len(files) == 3
    assert not any("hunter2secret99" in text for text in files)


# --- working memory ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "news", "after"),
    [
        ([], ["branch: main"], ["branch: main"]),
        (["branch: main", "todo"], ["branch: reports"], ["branch: reports", "todo"]),
        (["- Next step: deploy"], ["next step: wait"], ["next step: wait"]),
        (["todo one"], ["todo two"], ["todo one", "todo two"]),
        (["todo one"], ["todo one"], ["todo one"]),
        (
            ["see https://example.org"],
            ["see https://example.com"],
            ["see https://example.org", "see https://example.com"],
        ),
        (["ветка: main"], ["Ветка: отчёты"], ["Ветка: отчёты"]),
        (["分支：main"], ["分支： reports"], ["分支： reports"]),
    ],
)
def test_a_line_with_a_key_is_replaced(before: list[str], news: list[str], after: list[str]) -> None:
    assert updated(before, news) == after


def test_what_is_replaced_or_cleared_is_kept_and_what_is_only_added_needs_no_copy(paths: Paths) -> None:
    set_working_memory(WorkspaceFiles(paths), SILO, "branch: main")
    update_working_memory(WorkspaceFiles(paths), SILO, "todo: tests")
    archives = paths.root / SILO / "archives"
    assert not archives.exists()

    assert update_working_memory(WorkspaceFiles(paths), SILO, "branch: reports") == "branch: reports\ntodo: tests"
    clear_working_memory(WorkspaceFiles(paths), SILO)
    clear_working_memory(WorkspaceFiles(paths), SILO)

    assert read_working_memory(WorkspaceFiles(paths), SILO) == ""
    kept = [file.read_text() for file in sorted(archives.iterdir())]
    assert kept == [
        "# Working memory\n\nbranch: main\ntodo: tests\n",
        "# Working memory\n\nbranch: reports\ntodo: tests\n",
    ]


def test_many_writers_lose_no_line(paths: Paths) -> None:
    threads = [
        threading.Thread(target=update_working_memory, args=(WorkspaceFiles(paths), SILO, f"line {n}"))
        for n in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert set(read_working_memory(WorkspaceFiles(paths), SILO).splitlines()) == {f"line {n}" for n in range(12)}


# --- decisions ---------------------------------------------------------------------------------------------------


def test_decisions_are_listed_oldest_first_by_tag_and_number(paths: Paths) -> None:
    zone = dt.timezone(dt.timedelta(hours=9))
    log_decision(WorkspaceFiles(paths), SILO, "We use DuckDB", ["billing", "#db"], now=NOW, zone=zone)
    log_decision(WorkspaceFiles(paths), SILO, "Two lines\nof text", now=NOW, zone=zone)
    log_decision(
        WorkspaceFiles(paths), SILO, "We ship on Mondays #later", ["billing"], now=NOW + dt.timedelta(days=1), zone=zone
    )

    assert list_decisions(WorkspaceFiles(paths), SILO) == [
        Decision("2026-03-02", "19:00", "We use DuckDB", ("billing", "db")),
        Decision("2026-03-02", "19:00", "Two lines\nof text", ()),
        Decision("2026-03-03", "19:00", "We ship on Mondays", ("later", "billing")),
    ]
    assert [one.text for one in list_decisions(WorkspaceFiles(paths), SILO, tag="billing")] == [
        "We use DuckDB",
        "We ship on Mondays",
    ]
    assert [one.text for one in list_decisions(WorkspaceFiles(paths), SILO, last=1)] == ["We ship on Mondays"]
    assert list_decisions(WorkspaceFiles(paths), SILO, tag="none") == []


SAID = {
    "its own tags": ("issue is #12 #34", ("issue is", ("12", "34", "x"))),
    "a tag twice": ("use tea #x", ("use tea", ("x",))),
    "nothing but tags": ("#12 #34", ("#12", ("34", "x"))),
    "a tag inside": ("the tag #a is for b", ("the tag #a is for b", ("x",))),
    "two lines": ("two\nlines", ("two\nlines", ("x",))),
    "bullets and a heading": ("two\n- lines\n# three", ("two - lines # three", ("x",))),
    "two paragraphs": ("two\n\nparagraphs", ("two paragraphs", ("x",))),
    "code": ("run\n```\nmake\n```", ("run ``` make ```", ("x",))),
    "a table": ("see\n| a | b |\n|---|---|\n| 1 | 2 |", ("see | a | b | |---|---| | 1 | 2 |", ("x",))),
    "a line of tags": ("use tea\n#drinks", ("use tea", ("drinks", "x"))),
    "a time of day": ("10:30 is when we meet", ("10:30 is when we meet", ("x",))),
    "a list of one": ("- tea", ("- tea", ("x",))),
}


@pytest.mark.parametrize("name", SAID)
def test_a_decision_comes_back_as_it_was_logged(paths: Paths, name: str) -> None:
    text, expected = SAID[name]
    log_decision(WorkspaceFiles(paths), SILO, "the one before", now=NOW, zone=dt.UTC)

    logged = log_decision(WorkspaceFiles(paths), SILO, text, ["x"], now=NOW, zone=dt.UTC)

    assert (logged.text, logged.tags) == expected
    assert list_decisions(WorkspaceFiles(paths), SILO)[1:] == [logged]


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"], include_characters="\n#-|`>:*"), min_size=1, max_size=30))
def test_whatever_is_decided_comes_back_as_it_was_logged(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    paths = Paths(tmp_path_factory.mktemp("decided"))
    try:
        logged = log_decision(WorkspaceFiles(paths), SILO, text, ["x"], now=NOW, zone=dt.UTC)
    except BadValueError:
        return

    assert list_decisions(WorkspaceFiles(paths), SILO) == [logged]
    assert "x" in logged.tags


@pytest.mark.parametrize("tag", ["", "two words", "a,b", "#"])
def test_a_tag_is_one_word(paths: Paths, tag: str) -> None:
    with pytest.raises(BadValueError):
        log_decision(WorkspaceFiles(paths), SILO, "We use DuckDB", [tag], now=NOW, zone=dt.UTC)


def test_earlier_decisions_are_found_in_the_archives_and_none_twice(paths: Paths) -> None:
    log_decision(WorkspaceFiles(paths), SILO, "first", now=NOW, zone=dt.UTC)
    log_decision(WorkspaceFiles(paths), SILO, "second", now=NOW + dt.timedelta(days=1), zone=dt.UTC)
    file = paths.root / SILO / "decisions.md"
    (file.parent / "archives").mkdir()
    (file.parent / "archives" / "decisions-0001.md").write_bytes(file.read_bytes())
    file.write_text("# Decisions\n\n## Decisions of 2026-03-03\n\n- 10:00 second\n")

    assert [one.text for one in list_decisions(WorkspaceFiles(paths), SILO)] == ["first", "second"]
