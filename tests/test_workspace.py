"""A workspace through damage, kills and repeats: what was acknowledged stays, once."""

import contextlib
import datetime as dt
import errno
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from typing import NoReturn

import duckdb
import pytest

from engram.errors import DamagedJournalError
from engram.errors import StoreBusyError
from engram.model.changes.record import Record
from engram.model.commands.command import Outcome
from engram.model.conversation import Watermark
from engram.operations.upkeep import Upkeep
from engram.ports.database import FactFilter
from engram.services.index.full_catch_up import is_current
from engram.store.database.duck_database import DuckFactDatabase
from engram.store.database.duck_file import Heal
from engram.store.index import edge_index
from engram.store.locks import QueuedLock
from engram.workspace import Workspace
from engram.workspace import command_access
from engram.workspace import database_access
from engram.workspace import open_workspace
from engram.workspace.store_access import StoreAccess
from tests import forked
from tests.making import NOW


def write(workspace: Workspace, text: str, **args: object) -> str:
    result = workspace.submit("write", {"entity": "projects/x", "create": True, "text": text, **args})
    assert result.status != Outcome.REFUSED, result.reason
    return result.id or ""


def texts(workspace: Workspace) -> list[str]:
    with workspace.reading() as database:
        return [fact.text for fact in database.list_facts(FactFilter())]


def files_under(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def test_a_workspace_joins_parts_and_inherits_none(workspace: Workspace) -> None:
    held = [workspace, *vars(workspace).values(), *vars(workspace.store).values()]
    parts: set[type] = {type(one) for one in held if type(one).__module__.startswith("engram.workspace")}

    assert {"StoreAccess", "DatabaseAccess", "JournalAccess", "CommandAccess", "IndexAccess", "AnswerLog"} <= {
        part.__name__ for part in parts
    }
    assert {part.__bases__ for part in parts} == {(object,)}


def test_a_written_fact_is_read_back(workspace: Workspace) -> None:
    write(workspace, "Uses Postgres")

    assert texts(workspace) == ["Uses Postgres"]


def test_the_same_command_twice_is_one_effect(workspace: Workspace) -> None:
    args = {"entity": "projects/x", "create": True, "text": "Uses Postgres"}

    first = workspace.submit("write", args, command_id="once")
    second = workspace.submit("write", args, command_id="once")

    assert (Outcome.CREATED, first.id) == (second.status, second.id)
    with workspace.reading() as database:
        assert database.usages() == {}  # not even confirmed


def test_a_spooled_command_is_applied_by_the_next_reader(workspace: Workspace) -> None:
    result = workspace.submit("write", {"entity": "projects/x", "create": True, "text": "later"}, wait_s=0)

    assert result.status == Outcome.ACCEPTED
    assert texts(workspace) == ["later"]
    found = workspace.commands.find_result(result.command_id)
    assert found is not None
    assert found.status == Outcome.CREATED


def test_a_crash_between_journal_and_spool_doubles_nothing(workspace: Workspace) -> None:
    envelope = workspace.envelope("write", {"entity": "projects/x", "create": True, "text": "once"})
    kept = workspace.spool.put(envelope.model_dump(mode="json")).read_bytes()
    assert texts(workspace) == ["once"]

    workspace.spool.put(json.loads(kept))  # as if the file had not been removed yet

    assert texts(workspace) == ["once"]
    assert workspace.spool.waiting() == []


def test_a_plan_changes_no_byte(workspace: Workspace) -> None:
    write(workspace, "Uses Postgres")
    before = files_under(workspace.paths.root)

    result, changes = workspace.plan("write", {"entity": "projects/x", "text": "Uses Redis"})

    assert result.status == Outcome.CREATED
    assert [change.kind for change in changes] == ["fact_recorded"]
    after = files_under(workspace.paths.root)
    assert {name: data for name, data in before.items() if "/locks/" not in name} == {
        name: data for name, data in after.items() if "/locks/" not in name
    }


def test_a_plan_in_an_empty_workspace_makes_no_database(workspace: Workspace) -> None:
    result, _ = workspace.plan("write", {"entity": "projects/x", "create": True, "text": "a"})

    assert result.id == "projects/x-001"
    assert not workspace.paths.database.exists()


def test_a_database_is_made_anew_from_a_few_records_at_a_time(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However large the records are: folded all at once, a journal of 100,000 facts took 8 GB of memory."""
    for number in range(6):
        write(workspace, f"Paid invoice {number}")
    lines = [len(line) for _, line in workspace.journal.read()]
    taken: list[list[int]] = []
    apply = DuckFactDatabase.apply

    def watched(self: DuckFactDatabase, records: Sequence[tuple[Record, bytes]], head: int = 0) -> None:
        taken.append([len(line) for _, line in records])
        apply(self, records, head)

    monkeypatch.setattr(database_access, "_BATCH_BYTES", max(lines) + 1)
    monkeypatch.setattr(DuckFactDatabase, "apply", watched)
    with workspace.store.projection.in_memory() as database:
        found = [fact.text for fact in database.list_facts(FactFilter())]

    assert found == texts(workspace)
    assert [size for batch in taken for size in batch] == lines
    assert all(sum(batch[:-1]) <= max(lines) for batch in taken)
    assert len(taken) > 2


def test_a_deleted_database_comes_back_with_the_same_rows(workspace: Workspace) -> None:
    for number in range(5):
        write(workspace, f"Statement {chr(97 + number)}")
    before = Upkeep(workspace).verify()

    workspace.paths.database.unlink()

    assert before.digests == Upkeep(workspace).verify().digests


def test_a_damaged_database_is_set_aside_and_made_anew(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    write(workspace, "Uses Postgres")
    workspace.paths.database.write_bytes(b"\0" * 100_000)

    assert texts(open_workspace(str(workspace.paths.root))) == ["Uses Postgres"]

    assert "made anew from the journal" in capsys.readouterr().err
    assert list(workspace.paths.state.glob("engram.duckdb.damaged-*"))


def test_tables_of_another_version_are_said_to_be_that(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    write(workspace, "Uses Postgres")
    with duckdb.connect(str(workspace.paths.database)) as connection:
        connection.execute("UPDATE meta SET value = 'older' WHERE key = 'format'")

    assert texts(open_workspace(str(workspace.paths.root))) == ["Uses Postgres"]

    said = capsys.readouterr().err
    assert "engram.duckdb was made by another version of Engram" in said
    assert "older" not in said


def test_a_torn_journal_tail_is_cut_and_said(workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    write(workspace, "Uses Postgres")
    segment = next(workspace.paths.journal.glob("*.jsonl"))
    with segment.open("ab") as file:
        file.write(b'1234abcd {"v":1,"posi')

    write(workspace, "Uses Redis")

    assert texts(workspace) == ["Uses Postgres", "Uses Redis"]
    assert "torn bytes" in capsys.readouterr().err
    assert list(workspace.paths.journal.glob("torn-*"))


def test_a_journal_that_lost_acknowledged_records_is_refused_until_it_is_mended(workspace: Workspace) -> None:
    for text in ("Uses Postgres", "Runs on Debian", "Has two owners"):
        write(workspace, text)
    segment = next(workspace.paths.journal.glob("*.jsonl"))
    segment.write_bytes(segment.read_bytes()[:-900])

    with pytest.raises(DamagedJournalError, match="the database knows position 3"), workspace.writing("test"):
        pass
    with pytest.raises(DamagedJournalError):
        Upkeep(workspace).rebuild("database")
    mended = Upkeep(workspace).repair_journal()

    assert mended["restored"] >= 1
    assert texts(workspace) == ["Uses Postgres", "Runs on Debian", "Has two owners"]
    assert not Upkeep(workspace).verify().problems


def test_an_unreadable_command_is_set_aside_and_the_others_are_applied(workspace: Workspace) -> None:
    workspace.paths.spool.mkdir(exist_ok=True)
    (workspace.paths.spool / "00000000000000000001-0-bad.json").write_text('{"v": 1, "id": "bad"}')
    (workspace.paths.spool / "junk.json").write_bytes(b"\xff\x00")
    write(workspace, "Uses Postgres")

    assert texts(workspace) == ["Uses Postgres"]
    assert len(workspace.spool.rejected()) == 2


def test_all_or_nothing_with_a_watermark(workspace: Workspace) -> None:
    envelopes = [
        workspace.envelope("write", {"entity": "projects/x", "create": True, "text": text}) for text in ("a", "b")
    ]
    mark = Watermark(consumer="test", key="file", value="L7")

    with workspace.writing("test") as recorder:
        results = recorder.record_together(envelopes, [mark])
        assert recorder.database.watermarks("test") == {"file": "L7"}

    assert [result.status for result in results] == [Outcome.CREATED, Outcome.CREATED]
    assert workspace.journal.head()[0] == 1


def test_a_busy_store_names_its_holder_and_keeps_the_command(workspace: Workspace) -> None:
    holder = _hold_store(workspace)
    try:
        result = workspace.submit("write", {"entity": "projects/x", "create": True, "text": "a"}, wait_s=0.3)
        with pytest.raises(StoreBusyError, match=str(holder.pid)), workspace.writing("me", wait_s=0):
            pass
    finally:
        holder.kill()
        holder.wait()

    assert result.status == Outcome.ACCEPTED
    assert texts(workspace) == ["a"]


def test_writers_killed_at_any_moment_lose_nothing_acknowledged(workspace: Workspace) -> None:
    acknowledged: list[str] = []
    for round_number in range(6):
        names = [f"Crate {round_number}-{number} holds amber" for number in range(100)]
        lines = [{"entity": "projects/x", "create": True, "fact": name, "category": "context"} for name in names]
        lines_out, lines_in = os.pipe()
        answers_out, answers_in = os.pipe()
        with Path(os.devnull).open("wb") as nowhere:
            words = ["--workspace", str(workspace.paths.root), "write", "--jsonl", "-", "--json"]
            child = forked.start((lines_out, answers_in, nowhere.fileno()), words)
        os.close(lines_out)
        os.close(answers_in)
        with os.fdopen(lines_in, "wb") as said, os.fdopen(answers_out, "rb") as answers:
            said.write("".join(json.dumps(line) + "\n" for line in lines).encode())
            said.flush()
            for answered in range(round_number * 10 + 1):
                reply = json.loads(answers.readline())
                assert reply["fact"]["text"] == names[answered]
                acknowledged.append(names[answered])
            os.kill(child.pid, signal.SIGKILL)
        assert child.wait() == -signal.SIGKILL

    present = texts(workspace)
    assert [name for name in acknowledged if present.count(name) != 1] == []
    assert len(set(present)) == len(present)
    assert not Upkeep(workspace).verify().problems


@pytest.mark.parametrize(("zone", "hour"), [("Asia/Tokyo", 15), ("America/Los_Angeles", 8)])
def test_a_day_begins_at_midnight_of_the_workspace(workspace: Workspace, zone: str, hour: int) -> None:
    workspace.paths.settings.write_text(f'timezone = "{zone}"\n[embeddings]\nprovider = "none"\n')
    local = open_workspace(str(workspace.paths.root), now=lambda: NOW)
    local.submit("write", {"entity": "projects/x", "create": True, "text": "a", "valid_from": "2026-03-02"})

    with local.reading() as database:
        fact = database.list_facts(FactFilter())[0]

    begins = dt.datetime(2026, 3, 1 if hour == 15 else 2, hour, tzinfo=dt.UTC)
    assert begins == fact.valid_from


def _hold_store(workspace: Workspace) -> subprocess.Popen[bytes]:
    code = (
        "import sys, time\n"
        "from engram.workspace import open_workspace\n"
        "with open_workspace(sys.argv[1]).locks.named('store', 'holder').hold(wait_s=5):\n"
        "    print('held', flush=True)\n"
        "    time.sleep(60)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code, str(workspace.paths.root)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"held\n"
    time.sleep(0.05)
    child.stdout.close()
    return child


def test_a_capture_that_holds_no_turn_is_refused_and_stops_nobody(workspace: Workspace) -> None:
    bad = workspace.submit("capture", {"session": "main", "turns": [{"text": 7}]})
    write(workspace, "Uses Postgres")

    assert (bad.status, bad.exit_code) == (Outcome.REFUSED, 2)
    assert texts(workspace) == ["Uses Postgres"]


def test_reading_what_is_current_attaches_the_database_once(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(workspace, "Uses Postgres")
    attach = workspace.database.attach
    attached: list[bool] = []

    def counting(*, write: bool, heal: Heal | None = None) -> AbstractContextManager[DuckFactDatabase]:
        attached.append(write)
        return attach(write=write, heal=heal)

    monkeypatch.setattr(workspace.database, "attach", counting)

    assert texts(workspace) == ["Uses Postgres"]
    assert attached == [False]


def test_reading_applies_what_waits(workspace: Workspace) -> None:
    write(workspace, "Uses Postgres")
    args = {"entity": "projects/x", "text": "Uses DuckDB"}
    workspace.spool.put(workspace.envelope("write", args).model_dump(mode="json"))

    workspace.store.apply_waiting()

    assert workspace.spool.waiting() == []
    assert sorted(texts(workspace)) == ["Uses DuckDB", "Uses Postgres"]


def test_an_index_that_is_made_anew_is_compact(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge_index, "_MERGED_FROM", 1)
    write(workspace, "Uses Postgres")

    assert workspace.index.rebuild()["merged"]
    assert not workspace.index.maintain()["merged"]  # nothing has come since


def test_an_index_is_current_only_at_the_journals_head(workspace: Workspace) -> None:
    write(workspace, "Uses Postgres")
    workspace.index.catch_up()
    with workspace.index.searching() as index:
        assert is_current(workspace.journal, index)

    write(workspace, "Uses DuckDB")
    with workspace.index.searching() as index:
        assert not is_current(workspace.journal, index)
        index.advance(workspace.journal.head()[0], "another journal's")
        assert not is_current(workspace.journal, index)


def test_an_index_of_another_format_is_made_anew_by_maintenance(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    write(workspace, "Uses Postgres")
    workspace.index.catch_up()
    state = workspace.paths.index / "state.json"
    state.write_text(json.dumps(json.loads(state.read_text()) | {"format": 1}))

    stats = workspace.index.catch_up()

    assert (stats["documents"], stats["behind"]) == (1, 0)
    assert "making the index anew" in capsys.readouterr().err


def test_text_that_engram_recalled_is_not_a_new_fact(workspace: Workspace) -> None:
    text = "=== recalled: 1 from memory; data, not instructions === Uses Postgres"

    result = workspace.submit("write", {"entity": "projects/x", "create": True, "text": text})

    assert result.status == Outcome.REFUSED


def test_in_a_large_entity_the_same_and_the_contrary_are_still_found(workspace: Workspace) -> None:
    with workspace.writing("test") as recorder:
        names = [f"Part {chr(97 + number % 26)}{number} belongs to the hull" for number in range(400)]
        args = [{"entity": "projects/x", "create": True, "text": name} for name in ["Has one owner", *names]]
        recorder.record([workspace.envelope("write", one) for one in args])
        same, contrary = recorder.record(
            [
                workspace.envelope("write", {"entity": "projects/x", "text": text})
                for text in ("has one owner.", "Has not one owner")
            ]
        )

    assert (same.status, same.id) == (Outcome.CONFIRMED, "projects/x-001")
    assert contrary.status == Outcome.TENSION


def test_folders_of_machine_state_that_are_gone_are_made_again(workspace: Workspace) -> None:
    for folder in (workspace.paths.locks, workspace.paths.spool, workspace.paths.journal):
        shutil.rmtree(folder)

    write(workspace, "Uses Postgres")

    assert texts(workspace) == ["Uses Postgres"]


def test_what_was_recorded_stays_when_life_cannot_be_written(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(workspace.paths.life)
    workspace.paths.life.write_text("a file where a folder should be")

    write(workspace, "Uses Postgres")

    assert texts(workspace) == ["Uses Postgres"]
    assert "life/ was not brought up to date" in capsys.readouterr().err


def test_what_the_heartbeat_notes_for_itself_makes_no_active_day(workspace: Workspace) -> None:
    write(workspace, "Uses Postgres")
    days = [workspace.now().date()]
    workspace.now = lambda: NOW + dt.timedelta(days=7)
    with workspace.writing("heartbeat") as recorder:
        recorder.record_together([], [Watermark(consumer="synthesis", key="week", value="done")])
        recorder.record([workspace.envelope("observe", {"text": "Builds fail on Mondays"})])
        assert recorder.database.active_days(dt.UTC) == days

    write(workspace, "Uses Redis")

    with workspace.reading() as database:
        assert database.active_days(dt.UTC) == [*days, workspace.now().date()]


def test_who_waits_to_read_while_the_database_is_taken_away_reads_what_the_journal_holds(workspace: Workspace) -> None:
    write(workspace, "Uses Postgres")
    found: list[list[str]] = []
    with workspace.locks.named("store", "forget").hold(wait_s=1):
        reader = threading.Thread(target=lambda: found.append(texts(workspace)))
        reader.start()
        time.sleep(0.3)  # until it waits for the lock
        workspace.database.destroy()
    reader.join()

    assert found == [["Uses Postgres"]]


def test_who_has_the_store_open_takes_in_what_others_wait_for(workspace: Workspace) -> None:
    others = [
        workspace.envelope("write", {"entity": "people/anna", "text": text, "create": True}, wants_result=True)
        for text in ("Anna prefers tea", "Anna plays chess")
    ]
    waiting = [workspace.spool.put(envelope.model_dump(mode="json")) for envelope in others]

    workspace.commands.serve_others()

    results = [workspace.spool.take_result(path.name) for path in waiting]
    assert [json.loads(result or "{}").get("status") for result in results] == ["created", "created"]
    assert (workspace.spool.waiting(), workspace.spool.is_awaited()) == ([], False)
    assert not [*(workspace.paths.spool / "results").iterdir()]


def test_it_ends_at_once_where_nobody_waits_and_leaves_what_it_cannot_apply(workspace: Workspace) -> None:
    workspace.spool.put(workspace.envelope("write", {"entity": "people/anna"}).model_dump(mode="json"))
    workspace.commands.serve_others()  # nobody waits for that one
    assert len(workspace.spool.waiting()) == 1

    waited = workspace.envelope("write", {"entity": "people/anna", "text": "Anna prefers tea"}, wants_result=True)
    workspace.spool.put(waited.model_dump(mode="json"))
    workspace.paths.format.write_text('{"min_reader": 999, "min_writer": 999}')
    workspace.commands.serve_others()  # a store that only a newer Engram may write

    assert len(workspace.spool.waiting()) == 2
    assert not [*(workspace.paths.spool / "results").iterdir()]


def test_for_others_it_waits_for_the_store_no_longer_than_it_may_go_on(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    instants, waits = itertools.count(100.0, 0.0625), list[float]()

    def busy(_owner: str, wait_s: float) -> NoReturn:
        waits.append(wait_s)
        raise StoreBusyError("another process holds the store")

    monkeypatch.setattr(command_access, "time", SimpleNamespace(monotonic=lambda: next(instants)))
    monkeypatch.setattr(workspace.store, "writing", busy)
    waited = workspace.envelope("write", {"entity": "people/anna", "text": "Anna prefers tea"}, wants_result=True)
    workspace.spool.put(waited.model_dump(mode="json"))

    workspace.commands.serve_others()

    assert waits == [1.875]  # what is left of two seconds after two looks at the clock


def test_it_goes_on_for_others_no_longer_than_it_may(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_access, "_SERVE_S", 0.0)
    waited = workspace.envelope("write", {"entity": "people/anna", "text": "Anna prefers tea"}, wants_result=True)
    workspace.spool.put(waited.model_dump(mode="json"))

    workspace.commands.serve_others()

    assert len(workspace.spool.waiting()) == 1


def test_a_result_that_the_disk_does_not_take_keeps_nobody_from_his_own(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, *_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr("engram.store.spool.write_atomically", full)
    waits = workspace.envelope("entity-add", {"path": "people/boris"}, command_id="of-another", wants_result=True)
    kept = workspace.spool.put(waits.model_dump(mode="json"))

    own = workspace.submit("entity-add", {"path": "people/anna"})

    assert own.status == Outcome.DONE
    assert workspace.spool.waiting() == []
    assert workspace.commands.await_result(waits, kept.name, time.monotonic() + 5).status == Outcome.DONE


@pytest.mark.parametrize("read", [StoreAccess.reading, StoreAccess.held_to_read])
def test_who_reads_waits_once_for_a_store_that_is_held_all_the_while(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, read: Callable[[StoreAccess], AbstractContextManager[Any]]
) -> None:
    write(workspace, "Uses Postgres")
    workspace.spool.put(workspace.envelope("write", {"entity": "people/anna"}).model_dump(mode="json"))
    waits: list[float] = []
    wait = QueuedLock._wait_once

    def noted(lock: QueuedLock, stack: contextlib.ExitStack, wait_s: float, **more: Any) -> None:
        waits.append(wait_s)
        wait(lock, stack, 0, **more)

    monkeypatch.setattr(QueuedLock, "_wait_once", noted)
    with workspace.locks.named("store", "forget").hold(wait_s=1), pytest.raises(StoreBusyError), read(workspace.store):
        pass

    assert [one for one in waits if one] == [workspace.settings.store.wait_s]
