"""Maintenance: quiet when nothing changed, everything looked at when something did, and nothing ever lost."""

import datetime as dt
import sys
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path

import pytest

from engram.base.ids import new_id
from engram.base.text import sha256_hex
from engram.heartbeat.child.phase_result import PhaseResult
from engram.heartbeat.child.phase_result import PhaseTask
from engram.heartbeat.child.phase_result import run_phase
from engram.heartbeat.child.phases import MAINTENANCE
from engram.heartbeat.intake.unread import iter_note_files
from engram.heartbeat.maintenance import daily_checks
from engram.heartbeat.maintenance import phase as maintenance_phase
from engram.heartbeat.maintenance.phase import run_maintenance
from engram.heartbeat.run.options import RunOptions
from engram.heartbeat.run.runner import run_heartbeat
from engram.model.conversation import Watermark
from engram.model.finding import Finding
from engram.model.finding import Level
from engram.services.doctor import secret_scan
from engram.services.doctor.check import Checkup
from engram.services.silo.archives import list_archives
from engram.services.silo.rotation import undo_rotation
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.conftest import workspace_in
from tests.heartbeat.in_process import answer_in_process
from tests.heartbeat.notes import put_note
from tests.making import NOW
from tests.sparse import copy_folder

DAY = dt.timedelta(days=1)
WORDS = "- words\n" * 150
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture(autouse=True)
def _in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_in_process(monkeypatch)


def clock_at(moment: dt.datetime) -> Callable[[], dt.datetime]:
    return lambda: moment


def maintain(workspace: Workspace, *, force: bool = False, agent: tuple[str, ...] = ()) -> PhaseResult:
    return run_phase(PhaseTask(workspace, new_id(), MAINTENANCE, agent, 60.0, force), run_maintenance)


def files(workspace: Workspace) -> dict[Path, bytes]:
    """Everything but the projections that a read opens."""
    found = (path for path in workspace.paths.root.rglob("*") if path.is_file())
    return {path: path.read_bytes() for path in found if "locks" not in path.parts}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a workspace with one fact that was maintained once; to be copied."""
    workspace = workspace_in(tmp_path_factory.mktemp("prepared"))
    workspace.submit("write", {"entity": "people/anna", "text": "Anna prefers tea", "create": True})
    with pytest.MonkeyPatch.context() as patched:
        answer_in_process(patched)
        assert maintain(workspace).status == "ok"
    return workspace.paths.root


@pytest.fixture
def kept(prepared: Path, tmp_path: Path) -> Workspace:
    """A workspace with one fact that was maintained once, in another place."""
    root = copy_folder(prepared, tmp_path / "workspace")
    return open_workspace(str(root), now=lambda: NOW)


@pytest.fixture
def settled(kept: Workspace) -> Workspace:
    """The same, maintained where it is, so that there is nothing to do."""
    assert maintain(kept).status == "ok"
    assert maintain(kept).status == "skipped"
    return kept


# --- quiet ---------------------------------------------------------------------------------------------------------


def test_nothing_new_is_skipped_and_writes_nothing(settled: Workspace) -> None:
    before = files(settled)

    skipped = PhaseResult("maintenance", "skipped", "nothing has changed since the last maintenance", {}, [])
    assert maintain(settled)._replace(duration_s=0.0) == skipped
    assert files(settled) == before


@pytest.mark.parametrize("change", ["fact", "note", "summary", "day", "rejected"])
def test_whatever_changes_is_looked_at(settled: Workspace, change: str) -> None:
    if change == "fact":
        settled.submit("write", {"entity": "people/anna", "text": "Anna works at Acme"})
    elif change == "note":
        put_note(settled, "main/main/2026-03-02.md", "- something\n")
    elif change == "summary":
        summary = settled.paths.life / "people/anna/summary.md"
        summary.write_text(summary.read_text() + "- Anna has a cat\n")
    elif change == "day":
        settled.now = lambda: NOW + DAY
    else:
        (settled.paths.spool / "rejected").mkdir(exist_ok=True)
        (settled.paths.spool / "rejected" / "1.json").write_text("{}")

    assert maintain(settled).status in {"ok", "warning"}


def test_force_looks_at_everything(settled: Workspace) -> None:
    assert maintain(settled, force=True).status == "ok"


def test_idle_days_are_no_active_days(kept: Workspace) -> None:
    position = kept.journal.head()[0]
    for day in range(1, 4):
        kept.now = clock_at(NOW + day * DAY)
        maintain(kept)

    assert kept.journal.head()[0] == position


# --- checks --------------------------------------------------------------------------------------------------------


def test_findings_are_alerts_with_the_command_that_mends_them(kept: Workspace) -> None:
    kept.paths.journal.chmod(0o755)
    found = maintain(kept, force=True)

    assert found.status == "warning"
    assert found.alerts == [
        ".engram/journal: others than its owner can look into the folder (engram doctor --fix)"
    ]  # fmt: skip


def test_longer_checks_run_once_a_day_and_what_they_found_stays_told(
    kept: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[dt.datetime] = []

    def check(checkup: Checkup) -> Iterator[Finding]:
        ran.append(checkup.now)
        yield checkup.finding("broken", Level.ERROR, checkup.paths.journal, "it is broken", "mend it")
        yield checkup.finding("fine", Level.INFO, checkup.paths.journal, "it is there", "leave it")

    monkeypatch.setattr(daily_checks, "DAILY_CHECKS", (check,))
    same_day = maintain(kept, force=True)
    kept.now = lambda: NOW + DAY
    first = maintain(kept)
    second = maintain(kept, force=True)

    assert same_day.alerts == []
    assert first.alerts == second.alerts == [".engram/journal: it is broken (mend it)"]
    assert ran == [NOW + DAY]


def test_a_damaged_journal_is_told_and_tried_again(kept: Workspace) -> None:
    segment = next(kept.paths.journal.glob("*.jsonl"))
    segment.write_bytes(segment.read_bytes().replace(b"Anna prefers tea", b"Anna prefers gin", 1))
    found = [maintain(kept), maintain(kept)]

    assert [one.status for one in found] == ["failed", "failed"]  # a record that rotted is no torn tail
    assert all("checksum is wrong (engram doctor" in alert for one in found for alert in one.alerts)


def test_secrets_are_looked_for_in_what_is_new_and_in_all_when_patterns_change(
    kept: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = kept.paths.state / "hooks.log"
    log.write_text(f"the key is {SECRET}\n")
    (first,) = maintain(kept, force=True).alerts
    (again,) = maintain(kept, force=True).alerts
    looked: list[int] = []

    def look(_journal: object, after: int) -> list[Finding]:
        looked.append(after)
        return []

    monkeypatch.setattr(secret_scan, "find_in_journal", look)
    kept.submit("write", {"entity": "people/anna", "text": "Anna works at Acme"})
    maintain(kept)
    monkeypatch.setattr(secret_scan, "patterns_digest", lambda: "others")
    maintain(kept, force=True)

    assert first == again
    assert first.startswith(".engram/hooks.log: the file holds what is now known as a secret")
    assert SECRET not in first
    assert SECRET in log.read_text()
    assert looked == [1, 0]


def test_a_secret_that_was_taken_out_is_no_longer_told(kept: Workspace) -> None:
    log = kept.paths.state / "hooks.log"
    log.write_text(f"the key is {SECRET}\n")
    assert len(maintain(kept, force=True).alerts) == 1
    log.write_text("the key is elsewhere\n")

    assert maintain(kept, force=True).alerts == []


def test_a_secret_in_a_note_of_a_person_is_counted_and_no_alert(kept: Workspace) -> None:
    note = put_note(kept, "main/main/2026-03-01.md", f"- the key is {SECRET}\n")
    first, again = maintain(kept), maintain(kept, force=True)
    note.write_text("- the key is elsewhere\n")
    mended = maintain(kept)

    assert [one.status for one in (first, again, mended)] == ["ok", "ok", "ok"]
    assert [one.stats["notes_with_secrets"] for one in (first, again, mended)] == [1, 1, 0]


# --- long notes ----------------------------------------------------------------------------------------------------


def sections(count: int) -> str:
    return "# Hand-off\n\n" + "".join(f"## Session {number}\n\n{WORDS}\n" for number in range(count))


@pytest.fixture
def small(kept: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """The same, where notes are long from 4 KB."""
    monkeypatch.setattr(maintenance_phase, "LONG_KB", 4)
    return kept


def mark_read(workspace: Workspace, path: str) -> None:
    digest = sha256_hex((workspace.paths.root / path).read_bytes())
    with workspace.writing("test") as recorder:
        recorder.record_together([], [Watermark(consumer="extraction", key=f"note:{path}", value=digest)])


def test_a_working_file_that_grew_too_long_is_rotated(small: Workspace) -> None:
    file = put_note(small, "main/main/handoff.md", sections(6))
    before = file.read_bytes()
    mark_read(small, "memory/main/main/handoff.md")
    found = maintain(small)

    assert found.stats["rotated"] == ["memory/main/main/handoff.md"]
    assert (found.status, found.changed) == ("ok", True)
    assert file.stat().st_size <= 4096
    assert list_archives(small.files, file)[0].read_bytes() == before
    undo_rotation(small.files, "memory/main/main/handoff.md")
    assert file.read_bytes() == before


def test_what_extraction_has_not_read_stays(small: Workspace) -> None:
    file = put_note(small, "main/main/handoff.md", sections(6))
    found = maintain(small)

    assert (found.stats["rotated"], list_archives(small.files, file)) == ([], [])
    assert len(found.alerts) == 1


@pytest.mark.parametrize("name", ["main/main/2026-03-01.md", "topic.md"])
def test_dated_notes_and_notes_without_sections_are_only_named(small: Workspace, name: str) -> None:
    text = "- words\n" * 1000 if name == "topic.md" else sections(6)
    file = put_note(small, name, text)
    mark_read(small, f"memory/{name}")
    found = maintain(small)

    assert file.read_text() == text
    assert found.stats["rotated"] == []
    assert [name in alert for alert in found.alerts] == [True]


@pytest.mark.parametrize("name", ["read_within", "rotate"])
def test_a_long_note_that_is_not_ours_to_read_is_told_and_stops_nothing(
    small: Workspace, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    file = put_note(small, "main/main/handoff.md", sections(6))
    mark_read(small, "memory/main/main/handoff.md")

    def refuse(*_: object) -> bytes:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(maintenance_phase, name, refuse)
        found = maintain(small)

    assert (found.status, found.stats["rotated"]) == ("warning", [])
    assert found.alerts[0] == "memory/main/main/handoff.md was not looked at: Permission denied"
    assert maintain(small, force=True).stats["rotated"] == ["memory/main/main/handoff.md"]
    assert len(list_archives(small.files, file)) == 1


def test_a_note_that_goes_meanwhile_is_no_note(small: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = small.paths.memory / "gone.md"
    listed = iter_note_files
    monkeypatch.setattr(maintenance_phase, "iter_note_files", lambda memory: [*listed(memory), gone])

    assert maintain(small, force=True).status == "ok"


def test_rotated_text_is_not_extracted_again(small: Workspace) -> None:
    decisions = "".join(
        f"## Session {number}\n\n- We decided to use PostgreSQL {number} for Billing.\n{WORDS}\n"
        for number in range(10, 16)
    )
    small.submit("entity-add", {"path": "projects/billing", "title": "Billing"})
    put_note(small, "main/main/handoff.md", f"# Hand-off\n\n{decisions}")
    first = run_heartbeat(small, RunOptions(phases=("extraction", "maintenance")))
    second = run_heartbeat(small, RunOptions(phases=("extraction",)))

    assert first.phases[1].stats["rotated"] == ["memory/main/main/handoff.md"]
    assert first.phases[0].stats["created"] == 6
    assert not {"created", "confirmed"} & second.phases[0].stats.keys()


# --- agents --------------------------------------------------------------------------------------------------------

_AGENT = """
import sys
print('''=== HB-MAINTENANCE HANDOFF ===
Status: ok
Summary: 1 observation
Observations: [{"text": "Others can look into the folders since the last copy", "category": "friction"}]
Alerts: ["Look at how the folder is copied"]
=== END ===''')
"""


def test_an_agent_may_answer_with_alerts_and_observations_only(kept: Workspace, tmp_path: Path) -> None:
    script = tmp_path / "agent.py"
    script.write_text(_AGENT)
    kept.paths.journal.chmod(0o755)
    found = maintain(kept, force=True, agent=(sys.executable, str(script)))
    with kept.reading() as database:
        texts = [one.text for one in database.list_observations()]
        counts = database.counts()

    assert found.alerts[-1] == "maintenance: Look at how the folder is copied"
    assert texts == ["Others can look into the folders since the last copy"]
    assert counts["active"] == 1


def test_an_agent_that_asks_for_facts_gets_none(kept: Workspace, tmp_path: Path) -> None:
    script = tmp_path / "agent.py"
    facts = 'Facts: [{"entity": "people/anna", "fact": "Anna is gone", "quote": "folder"}]'
    script.write_text(_AGENT.replace("=== END", f"{facts}\n=== END"))
    kept.paths.journal.chmod(0o755)
    found = maintain(kept, force=True, agent=(sys.executable, str(script)))
    with kept.reading() as database:
        counts = database.counts()

    assert found.status == "failed"
    assert counts["active"] == 1


def test_an_agent_is_not_asked_when_there_is_nothing_to_say(kept: Workspace) -> None:
    assert maintain(kept, force=True, agent=("false",)).status == "ok"


def test_an_agent_that_fails_blocks_nothing(kept: Workspace) -> None:
    kept.submit("write", {"entity": "people/anna", "text": "Anna works at Acme"})
    kept.paths.journal.chmod(0o755)
    found = maintain(kept, agent=("false",))

    assert found.status == "failed"
    assert "Acme" in (kept.paths.life / "people/anna/summary.md").read_text()
    assert maintain(kept).status == "warning"
