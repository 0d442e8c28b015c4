"""Notes that people and clocks do things to: nothing lost, nothing doubled, nothing outside read."""

import datetime as dt
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engram.base.disk.safe_files import read_within
from engram.heartbeat.intake import unread as intake_unread
from engram.heartbeat.intake.unread import collect_unread
from engram.heartbeat.run.options import RunOptions
from engram.heartbeat.run.runner import run_heartbeat
from engram.ports.database import FactFilter
from engram.services.facts.sources.provenance import read_source
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.conftest import Engram
from tests.heartbeat.in_process import answer_in_process
from tests.heartbeat.notes import put_note
from tests.making import NOW

DAY = "main/main/2026-02-24.md"
TEXT = (
    "# 2026-02-24\n\n## Decisions\n\n"
    "- We decided to move [[projects/billing]] to PostgreSQL 16\n"
    "- We decided that [[people/anna]] reviews every release\n  before it is shipped to [[projects/billing]]\n"
)
OTHER = "# 2026-02-24\n\n## Decisions\n\n- We decided to keep [[projects/harbor]] on Kubernetes\n"


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_in_process(monkeypatch)


def run(workspace: Workspace) -> dict[str, Any]:
    """Run extraction and return what it counted; it must not fail."""
    result = run_heartbeat(workspace, RunOptions(phases=("extraction",)))
    (phase,) = result.phases
    assert phase.status in {"ok", "warning", "skipped"}, phase
    return {**phase.stats, "status": phase.status, "alerts": phase.alerts}


def beliefs(workspace: Workspace) -> dict[str, tuple[int, bytes | None]]:
    """Return, by text of each fact, how often it was confirmed and the bytes that it is traced to."""
    with workspace.reading() as database:
        facts = database.list_facts(FactFilter(status="all"))
        usages = database.usages()
        quotes = {fact.id: read_source(database, fact.source, workspace.files)["quote"] for fact in facts}
        return {
            fact.text: (usages[fact.id].confirm_count if fact.id in usages else 0, (quotes[fact.id] or "").encode())
            for fact in facts
        }


def plain(found: dict[str, tuple[int, bytes | None]]) -> dict[str, tuple[int, bytes]]:
    return {text: (count, (quote or b"").replace(b"\r\n", b"\n")) for text, (count, quote) in found.items()}


def rename(name: str) -> Callable[[Path], None]:
    def move(file: Path) -> None:
        target = file.parents[2] / name
        target.parent.mkdir(parents=True, exist_ok=True)
        file.rename(target)

    return move


def insert_above(file: Path) -> None:
    file.write_bytes(b"Good morning.\n\n" + file.read_bytes())


def rename_and_edit(file: Path) -> None:
    file.write_bytes(file.read_bytes() + b"\nSee you.\n")
    rename("main/main/2026-02-24-billing.md")(file)


def to_crlf(file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))


def to_crlf_elsewhere(file: Path) -> None:
    to_crlf(file)
    rename("main/main/archives/2026/2026-02-24.md")(file)


def add_bom(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())


def truncate_and_restore(file: Path) -> None:
    whole = file.read_bytes()
    for part in (whole[: len(whole) // 2], b"", whole):
        file.write_bytes(part)
        run(open_workspace(str(file.parents[3]), now=lambda: NOW))


def delete_and_restore(file: Path) -> None:
    whole = file.read_bytes()
    file.unlink()
    run(open_workspace(str(file.parents[3]), now=lambda: NOW))
    file.write_bytes(whole)


def there_and_back(file: Path) -> None:
    workspace = open_workspace(str(file.parents[3]), now=lambda: NOW)
    elsewhere = file.parents[1] / "other" / file.name
    elsewhere.parent.mkdir()
    for before, after in ((file, elsewhere), (elsewhere, file), (file, elsewhere)):
        before.rename(after)
        run(workspace)


def divide(file: Path) -> None:
    """Move the second decision and all below it into a file of its own."""
    whole = file.read_bytes()
    at = whole.index(b"- We decided that")
    (file.parent / "2026-02-24-b.md").write_bytes(b"## Decisions\n\n" + whole[at:])
    file.write_bytes(whole[:at])


@pytest.mark.parametrize(
    "change",
    [
        insert_above, rename("main/main/2026-02-24-billing.md"), rename("main/chat/2026-02-24.md"),
        rename("main/main/archives/2026/2026-02-24.md"), rename("main/main/2026-02-25.md"), rename("main/main/note.md"),
        rename("main/main/new\nline \N{GRINNING FACE}.md"), rename_and_edit, to_crlf, to_crlf_elsewhere, add_bom,
        truncate_and_restore, delete_and_restore, there_and_back, divide,
    ],
)  # fmt: skip
def test_what_was_read_is_not_read_again_and_still_found(workspace: Workspace, change: Callable[[Path], None]) -> None:
    file = put_note(workspace, DAY, TEXT)
    put_note(workspace, "main/main/2026-02-23.md", OTHER)
    run(workspace)
    before = beliefs(workspace)
    change(file)
    run(workspace)
    after = beliefs(workspace)
    again = run(workspace)

    assert len(before) == 4
    assert all(quote for _, quote in before.values())
    assert plain(after) == plain(before)
    assert again["status"] == "skipped"


def test_a_move_leaves_one_row_an_entry_and_recall_finds_it_at_its_new_place(workspace: Workspace) -> None:
    file = put_note(workspace, DAY, TEXT)
    run(workspace)
    with workspace.reading() as database:
        before = {note.id for note in database.list_notes()}
    rename("main/chat/2026-02-24.md")(file)
    moved = run(workspace)
    with workspace.reading() as database:
        rows = database.list_notes()

    assert moved["moved"] == 2
    assert {row.id for row in rows} == before
    assert {(row.path, row.session) for row in rows} == {("memory/main/chat/2026-02-24.md", "chat")}


def test_a_file_that_begins_anew_under_the_old_name_is_read(workspace: Workspace) -> None:
    file = put_note(workspace, DAY, TEXT)
    run(workspace)
    rename("main/main/archives/2026/2026-02-24.md")(file)
    put_note(workspace, DAY, TEXT)  # somebody says all of it again
    told = run(workspace)
    with workspace.reading() as database:
        rows = database.list_notes()

    assert len({row.id for row in rows}) == len(rows)
    # What "before it is shipped" belongs to stands in the line above it: it waited, and said again it is a fact.
    assert (told["confirmed"], told.get("created")) == (2, 1)
    assert run(workspace)["status"] == "skipped"


def test_an_entry_that_is_added_to_a_renamed_note_is_found(workspace: Workspace) -> None:
    file = put_note(workspace, DAY, TEXT)
    run(workspace)
    rename_and_edit(file)
    new = put_note(workspace, "main/main/2026-02-24-billing.md", TEXT + "- We decided to drop [[projects/harbor]]\n")
    first = run(workspace)
    new.write_bytes(new.read_bytes() + b"- We decided that [[people/anna]] gets a new desk\n")
    second = run(workspace)

    assert [first.get("created"), second.get("created")] == [1, 1]
    assert [first.get("confirmed"), second.get("confirmed")] == [None, None]


def test_the_same_entry_in_two_files_is_one_fact_and_another_day_confirms_it_once(workspace: Workspace) -> None:
    put_note(workspace, DAY, OTHER)
    put_note(workspace, "main/chat/2026-02-24.md", OTHER)
    run(workspace)

    assert [count for count, _ in beliefs(workspace).values()] == [0]
    put_note(workspace, "main/main/2026-02-25.md", OTHER)
    run(workspace)
    assert [count for count, _ in beliefs(workspace).values()] == [1]
    assert run(workspace)["status"] == "skipped"
    assert run_heartbeat(workspace, RunOptions(phases=("extraction",), force=True)).status == "ok"
    assert [count for count, _ in beliefs(workspace).values()] == [1]


@pytest.mark.parametrize("at", [NOW - dt.timedelta(days=400), NOW + dt.timedelta(days=400)])
def test_a_clock_that_jumps_loses_and_doubles_nothing(workspace: Workspace, at: dt.datetime) -> None:
    file = put_note(workspace, DAY, TEXT)
    run(workspace)
    before = beliefs(workspace)
    later = open_workspace(str(workspace.paths.root), now=lambda: at)
    quiet = run(later)
    file.write_bytes(file.read_bytes() + b"- We decided to drop [[projects/harbor]]\n")
    found = run(later)

    assert quiet["status"] == "skipped"
    assert found["created"] == 1
    assert {text: said for text, said in beliefs(later).items() if text in before} == before
    assert run(workspace)["status"] == "skipped"


def test_another_time_zone_makes_nothing_new(workspace: Workspace) -> None:
    put_note(workspace, DAY, TEXT)
    workspace.submit("capture", {"session": "s", "turns": [
        {"id": "turn/1", "session": "s", "speaker": "user", "text": "We moved [[projects/billing]] to Riga yesterday",
         "at": "2026-03-01T23:30:00Z"},
    ]})  # fmt: skip
    run(workspace)
    before = beliefs(workspace)
    settings = workspace.paths.settings
    settings.write_text(settings.read_text().replace('"UTC"', '"Asia/Tokyo"'))
    elsewhere = open_workspace(str(workspace.paths.root), now=lambda: NOW)

    assert elsewhere.settings.timezone == "Asia/Tokyo"
    assert run(elsewhere)["status"] == "skipped"
    assert beliefs(elsewhere) == before


@pytest.mark.parametrize(
    ("change", "state", "told"),
    [
        (lambda file: file.write_text(TEXT.replace("PostgreSQL 16", "MySQL 8")), "changed", "source changed since"),
        (lambda file: file.unlink(), "missing", "source is gone since"),
    ],
    ids=["edited", "deleted"],
)
def test_a_fact_whose_line_is_edited_or_deleted_stays_and_why_says_so(
    workspace: Workspace, engram_here: Engram, change: Callable[[Path], None], state: str, told: str
) -> None:
    file = put_note(workspace, DAY, TEXT)
    run(workspace)
    with workspace.reading() as database:
        (fact,) = [one for one in database.list_facts(FactFilter()) if "PostgreSQL" in one.text]
    change(file)
    said = engram_here("why", fact.id).out
    (step,) = engram_here("--json", "why", fact.id).json["chain"]

    assert (step["source"]["state"], step["source"]["line"], step["status"]) == (state, None, "active")
    assert "PostgreSQL 16" in step["source"]["quote"]
    assert told in said
    texts = [hit["text"] for hit in engram_here("--json", "recall", "PostgreSQL 16 MySQL").json["hits"]]
    assert fact.text in texts
    assert not any("PostgreSQL" in text for text in texts if text != fact.text)


# --- what must not be read ---------------------------------------------------------------------------------------


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "2026-02-24.md").write_text("- We decided to tell nobody of [[projects/secret]]\n")
    return folder


def replace_file(workspace: Workspace, outside: Path) -> None:
    file = workspace.paths.memory / DAY
    file.unlink()
    file.symlink_to(outside / "2026-02-24.md")


def replace_folder(workspace: Workspace, outside: Path) -> None:
    folder = (workspace.paths.memory / DAY).parent
    folder.rename(workspace.paths.root / "kept")
    folder.symlink_to(outside)


def replace_memory(workspace: Workspace, outside: Path) -> None:
    (outside / "main" / "main").mkdir(parents=True)
    (outside / "2026-02-24.md").rename(outside / "main" / "main" / "2026-02-24.md")
    workspace.paths.memory.rename(workspace.paths.root / "kept")
    workspace.paths.memory.symlink_to(outside)


@pytest.mark.parametrize("replace", [replace_file, replace_folder, replace_memory])
def test_a_link_out_of_the_workspace_is_told_and_not_followed(
    workspace: Workspace, outside: Path, replace: Callable[[Workspace, Path], None]
) -> None:
    put_note(workspace, DAY, TEXT)
    run(workspace)
    before = beliefs(workspace)
    replace(workspace, outside)
    told = run(workspace)

    assert len(told["alerts"]) == 1
    assert "link" in told["alerts"][0]
    assert set(beliefs(workspace)) == set(before)
    assert all(b"nobody" not in (quote or b"") for _, quote in beliefs(workspace).values())
    assert run(workspace)["alerts"] == told["alerts"]


def test_a_file_that_becomes_a_link_between_the_listing_and_the_reading_is_not_followed(
    workspace: Workspace, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_note(workspace, DAY, TEXT)

    def swap_and_read(root: Path, path: str) -> bytes:
        replace_file(workspace, outside)
        return read_within(root, path)

    monkeypatch.setattr(intake_unread, "read_within", swap_and_read)
    unread = collect_unread(workspace)

    assert unread.notes == []
    assert len(unread.alerts) == 1


def test_what_cannot_be_read_is_told_in_one_line_and_the_others_are_read(workspace: Workspace) -> None:
    put_note(workspace, DAY, TEXT)
    put_note(workspace, "main/main/bad\n\x1b[31m.md", b"- \xff\xfe\n")
    put_note(workspace, "main/main/nul.md", b"- a\0b\n")
    with put_note(workspace, "main/main/huge.md", b"- big\n").open("r+b") as huge:
        huge.truncate(65 * 1024 * 1024)
    unread = collect_unread(workspace)

    assert len(unread.notes) == 2
    assert len(unread.alerts) == 3
    assert all(alert.isprintable() for alert in unread.alerts)


def test_a_file_without_permission_is_told(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    file = put_note(workspace, DAY, TEXT)
    put_note(workspace, "main/main/2026-02-23.md", OTHER)
    if os.geteuid() == 0:  # to whom nothing is forbidden
        real = os.open

        def refuse(path: Any, *args: Any, **kwargs: Any) -> int:
            if str(path).endswith(file.name):
                raise PermissionError(13, "Permission denied")
            return real(path, *args, **kwargs)

        monkeypatch.setattr(os, "open", refuse)
    else:
        file.chmod(0)
    unread = collect_unread(workspace)

    assert [note.path for note in unread.notes] == ["memory/main/main/2026-02-23.md"]
    assert unread.alerts == [f"memory/{DAY} was not read: Permission denied"]


def test_a_file_that_grows_while_it_is_read_waits_until_it_rests(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = put_note(workspace, DAY, TEXT)
    real = os.read

    def grow_and_read(handle: int, most: int) -> bytes:
        with file.open("ab") as note:
            note.write(b"- We decided to dr")
        return real(handle, most)

    with monkeypatch.context() as growing:
        growing.setattr(os, "read", grow_and_read)
        during = collect_unread(workspace)
    file.write_text(TEXT)

    assert (during.notes, during.alerts) == ([], [])
    assert len(collect_unread(workspace).notes) == 2
