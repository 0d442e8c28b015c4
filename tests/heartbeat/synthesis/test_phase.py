"""The synthesis phase in whole runs: roll-ups of real files, what a person does to them, and what is told of."""

import datetime as dt
import hashlib
from pathlib import Path
from typing import Any

import pytest

from engram.base.disk.files import write_durably
from engram.heartbeat.child import child_answer
from engram.heartbeat.child.child_answer import ask_child
from engram.heartbeat.child.limited_process import ENDED
from engram.heartbeat.child.limited_process import Ending
from engram.heartbeat.child.phase_result import PhaseResult
from engram.heartbeat.run.options import RunOptions
from engram.heartbeat.run.runner import run_heartbeat
from engram.heartbeat.synthesis import phase as synthesis_phase
from engram.heartbeat.synthesis.rollups import CURRENT
from engram.heartbeat.synthesis.rollups import DUE
from engram.heartbeat.synthesis.rollups import HERS
from engram.heartbeat.synthesis.rollups import Mark
from engram.heartbeat.synthesis.rollups import judge
from engram.model.handoff import Handoff
from engram.rules.notes.rollup import is_rollup
from engram.rules.notes.rollup import sources_of
from engram.store import text_files
from engram.workspace import Workspace
from tests.heartbeat.agent import block
from tests.heartbeat.in_process import answer_in_process
from tests.heartbeat.notes import put_note

MONDAY = dt.datetime(2026, 2, 16, 8, tzinfo=dt.UTC)  # the week before is over
MARCH = dt.datetime(2026, 3, 2, 8, tzinfo=dt.UTC)  # February and all its weeks are over
SILO = "main/chat"
WEEK, MONTH = f"{SILO}/weekly/2026-W07.md", f"{SILO}/monthly/2026-02.md"
TUESDAY = f"{SILO}/2026-02-10.md"
DUCK = "# 2026-02-10\n\n## Decisions\n\n- We decided to use DuckDB for the reports.\n"
BANK = "# 2026-02-12\n\n## Decisions\n\n- We decided to change the bank in the summer.\n"
LATE = "# 2026-02-11\n\n## Decisions\n\n- We decided to buy another printer for the office.\n"


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_in_process(monkeypatch)


def synthesise(workspace: Workspace, now: dt.datetime = MONDAY) -> PhaseResult:
    workspace.now = lambda: now
    (phase,) = run_heartbeat(workspace, RunOptions(phases=("synthesis",))).phases
    return phase


def text_of(workspace: Workspace, name: str) -> str:
    return (workspace.paths.memory / name).read_text()


def tree(workspace: Workspace) -> dict[str, bytes]:
    found = (path for path in workspace.paths.root.rglob("*") if path.is_file() and "runs" not in path.parts)
    kept = (path for path in found if "locks" not in path.parts)
    return {str(path.relative_to(workspace.paths.root)): path.read_bytes() for path in kept}


@pytest.fixture
def week(workspace: Workspace) -> Path:
    """The roll-up of a week with two notes."""
    put_note(workspace, TUESDAY, DUCK)
    put_note(workspace, f"{SILO}/2026-02-12.md", BANK)
    assert synthesise(workspace).stats["weekly"] == 1
    return workspace.paths.memory / WEEK


def test_a_week_is_written_when_it_is_over_and_names_its_notes(workspace: Workspace) -> None:
    note = put_note(workspace, TUESDAY, DUCK)

    on_sunday = synthesise(workspace, MONDAY - dt.timedelta(hours=9))
    assert not (workspace.paths.memory / WEEK).exists()
    on_monday = synthesise(workspace)

    assert (on_sunday.status, on_sunday.changed) == ("skipped", False)
    assert (on_monday.status, on_monday.summary, on_monday.changed) == ("ok", "1 week rolled up", True)
    assert "We decided to use DuckDB for the reports. ([Tue 10 Feb](../2026-02-10.md#L5))" in text_of(workspace, WEEK)
    (source,) = sources_of(text_of(workspace, WEEK))
    assert (source.link, source.sha256) == ("../2026-02-10.md", hashlib.sha256(note.read_bytes()).hexdigest())


def test_the_zone_says_when_a_week_is_over(workspace: Workspace) -> None:
    put_note(workspace, TUESDAY, DUCK)
    workspace.settings = workspace.settings.model_copy(update={"timezone": "Asia/Tokyo"})

    assert synthesise(workspace, dt.datetime(2026, 2, 15, 14, 59, tzinfo=dt.UTC)).status == "skipped"
    assert synthesise(workspace, dt.datetime(2026, 2, 15, 15, 0, tzinfo=dt.UTC)).stats["weekly"] == 1


def test_a_second_run_and_an_idle_week_change_nothing_at_all(workspace: Workspace, week: Path) -> None:
    before = tree(workspace)

    later = [synthesise(workspace), synthesise(workspace, MONDAY + dt.timedelta(days=7))]

    assert [one.status for one in later] == ["skipped", "skipped"]
    assert tree(workspace) == before


def test_a_month_is_made_of_its_weeks_in_the_same_run(workspace: Workspace) -> None:
    put_note(workspace, TUESDAY, DUCK)
    put_note(workspace, f"{SILO}/2026-02-17.md", BANK.replace("2026-02-12", "2026-02-17"))

    phase = synthesise(workspace, MARCH)

    assert phase.summary == "2 weeks rolled up, 1 month rolled up"
    month = text_of(workspace, MONTH)
    assert [one.name for one in sources_of(month)] == ["2026-W07.md", "2026-W08.md"]
    assert "DuckDB" in month
    assert "bank" in month
    assert synthesise(workspace, MARCH).status == "skipped"


@pytest.mark.parametrize("is_new", [True, False])
def test_a_late_note_reaches_the_week_and_then_the_month_and_the_former_ones_are_kept(
    workspace: Workspace, week: Path, *, is_new: bool
) -> None:
    synthesise(workspace, MARCH)
    former = {week.read_bytes(), (workspace.paths.memory / MONTH).read_bytes()}
    if is_new:
        put_note(workspace, f"{SILO}/2026-02-11.md", LATE)
    else:
        put_note(workspace, TUESDAY, DUCK + LATE)

    phase = synthesise(workspace, MARCH)

    assert (phase.stats["weekly"], phase.stats["monthly"]) == (1, 1)
    assert "printer" in week.read_text()
    assert "printer" in text_of(workspace, MONTH)
    kept = workspace.paths.memory / SILO / "archives" / "rollups"
    assert {file.read_bytes() for file in kept.iterdir()} == former
    assert synthesise(workspace, MARCH).status == "skipped"


def test_a_note_that_is_gone_stays_in_its_week_with_its_lines(workspace: Workspace, week: Path) -> None:
    before = week.read_bytes()
    (workspace.paths.memory / TUESDAY).unlink()

    alone = synthesise(workspace)
    assert week.read_bytes() == before
    put_note(workspace, f"{SILO}/2026-02-11.md", LATE)
    again = synthesise(workspace)

    assert (alone.status, again.stats["weekly"]) == ("skipped", 1)
    assert all(word in week.read_text() for word in ("DuckDB", "printer", "bank"))
    assert [one.name for one in sources_of(week.read_text())] == ["2026-02-10.md", "2026-02-11.md", "2026-02-12.md"]


def test_silos_and_layouts_keep_apart(workspace: Workspace) -> None:
    put_note(workspace, "2026-02-10.md", DUCK)
    put_note(workspace, "main/topic/2026-02-10-evening.md", BANK)
    put_note(workspace, "main/topic/ideas.md", "# no day\n\n- We decided to use DuckDB for the reports.\n")
    put_note(workspace, "domains/billing/2026-02-10.md", DUCK)
    put_note(workspace, "main/heartbeat/2026-02-10.md", DUCK)
    put_note(workspace, "main/topic/archives/old/2026-02-10.md", DUCK)

    synthesise(workspace)

    found = sorted(
        path.relative_to(workspace.paths.memory).as_posix() for path in workspace.paths.memory.rglob("weekly/*")
    )
    assert found == ["main/topic/weekly/2026-W07.md", "weekly/2026-W07.md"]


def test_a_week_of_reports_alone_has_no_rollup_and_is_asked_about_once(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_note(workspace, TUESDAY, "# 2026-02-10\n\n<!-- engram:heartbeat 1 -->\n- ok\n<!-- /engram -->\n")
    first = synthesise(workspace)
    monkeypatch.setattr(synthesis_phase, "ask_child", None)

    assert (first.changed, synthesise(workspace).status) == (False, "skipped")
    assert not (workspace.paths.memory / WEEK).exists()


@pytest.mark.parametrize(
    ("data", "why"), [(b"\xff\xfe\x00", "it is not UTF-8 text"), (b"# x\n\n- a\x00b\n", "it holds a NUL character")]
)
def test_a_note_that_cannot_be_read_is_named_and_the_others_are_rolled_up(
    workspace: Workspace, data: bytes, why: str
) -> None:
    put_note(workspace, TUESDAY, DUCK)
    put_note(workspace, f"{SILO}/2026-02-11.md", data)

    phase = synthesise(workspace)

    assert phase.alerts == [f"memory/{SILO}/2026-02-11.md is in no roll-up: {why}"]
    assert "DuckDB" in text_of(workspace, WEEK)


@pytest.mark.parametrize("name", [f"{SILO}/weekly", WEEK])
def test_a_link_is_not_written_through(workspace: Workspace, tmp_path: Path, name: str) -> None:
    put_note(workspace, TUESDAY, DUCK)
    outside = tmp_path / "outside"
    outside.mkdir()
    link = workspace.paths.memory / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside if name.endswith("weekly") else outside / "week.md")

    phase = synthesise(workspace)

    assert phase.alerts == [f"memory/{WEEK} is not written: a part of its path is a link"]
    assert list(outside.iterdir()) == []


def test_a_silo_that_cannot_be_read_stops_no_other_one(workspace: Workspace) -> None:
    put_note(workspace, "main/a/2026-02-10.md", DUCK)
    put_note(workspace, "main/a/weekly", "a plain file")
    put_note(workspace, TUESDAY, DUCK)
    put_note(workspace, f"{SILO}/2026-02-17.md", BANK.replace("2026-02-12", "2026-02-17"))

    first = synthesise(workspace, MARCH)
    before = tree(workspace)
    second = synthesise(workspace, MARCH)

    alerts = ["memory/main/a/weekly/2026-W07.md is not written: Not a directory"]
    assert (first.alerts, first.stats["weekly"], first.stats["monthly"]) == (alerts, 2, 1)
    assert (second.alerts, tree(workspace)) == (alerts, before)


def test_a_silo_that_cannot_be_written_stops_no_other_one_and_is_written_when_it_can_be(
    workspace: Workspace, week: Path
) -> None:
    obstacle = put_note(workspace, f"{SILO}/archives", "a plain file")
    put_note(workspace, f"{SILO}/2026-02-11.md", LATE)
    put_note(workspace, "main/other/2026-02-11.md", LATE)

    first = synthesise(workspace)
    before = tree(workspace)
    second = synthesise(workspace)

    alerts = [f"memory/{WEEK} is not written: Not a directory"]
    assert (first.alerts, first.stats["weekly"]) == (alerts, 1)
    assert (second.alerts, tree(workspace)) == (alerts, before)
    obstacle.unlink()
    assert synthesise(workspace).alerts == []
    assert "printer" in week.read_text()


def test_secrets_do_not_reach_a_rollup(workspace: Workspace) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    put_note(workspace, TUESDAY, f"# 2026-02-10\n\n## Decisions\n\n- We decided to use the token {token} for now\n")

    synthesise(workspace)

    assert "We decided to use the token" in text_of(workspace, WEEK)
    assert token not in text_of(workspace, WEEK)


# --- a person's version --------------------------------------------------------------------------------------------


def test_an_edited_week_is_kept_and_that_is_told_once(workspace: Workspace, week: Path) -> None:
    week.write_text(week.read_text().replace("DuckDB", "DuckDB (mine)"))

    first, second = synthesise(workspace), synthesise(workspace)
    put_note(workspace, f"{SILO}/2026-02-11.md", LATE)
    third, fourth = synthesise(workspace), synthesise(workspace)

    assert "was written by hand and is kept as it is" in first.alerts[0]
    assert "its notes changed since" in third.alerts[0]
    assert [second.status, fourth.status] == ["skipped", "skipped"]
    assert "DuckDB (mine)" in week.read_text()
    assert "printer" not in week.read_text()


@pytest.mark.parametrize("is_there", [True, False])
def test_what_she_writes_while_the_week_is_worded_is_kept(
    workspace: Workspace, week: Path, monkeypatch: pytest.MonkeyPatch, *, is_there: bool
) -> None:
    mine = "# My own week\n"
    put_note(workspace, f"{SILO}/2026-02-11.md" if is_there else "main/other/2026-02-11.md", LATE)
    file = week if is_there else workspace.paths.memory / "main/other/weekly/2026-W07.md"
    ask = ask_child

    def ask_and_edit(*args: Any, **named: Any) -> Handoff:
        answer = ask(*args, **named)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(mine)
        return answer

    with monkeypatch.context() as patched:
        patched.setattr(synthesis_phase, "ask_child", ask_and_edit)
        during = synthesise(workspace)
    after = synthesise(workspace)

    assert (file.read_text(), during.stats.get("weekly", 0)) == (mine, 0)
    (alert,) = after.alerts
    assert alert.startswith(f"{workspace.paths.relative(file)} was written by hand and is kept as it is; move it away")


def test_moved_away_the_edited_week_is_written_anew(workspace: Workspace, week: Path) -> None:
    ours = week.read_bytes()
    week.write_text("mine")
    synthesise(workspace)
    week.rename(week.with_suffix(".mine"))

    assert synthesise(workspace).stats["weekly"] == 1
    assert week.read_bytes() == ours


def test_her_words_reach_the_month(workspace: Workspace, week: Path) -> None:
    week.write_text(
        week.read_text().replace("## Notes", "## Mine\n\n- The office smelled of paint all week\n\n## Notes")
    )

    synthesise(workspace, MARCH)

    assert "The office smelled of paint all week" in text_of(workspace, MONTH)


def test_a_week_that_somebody_else_wrote_is_hers(workspace: Workspace) -> None:
    put_note(workspace, TUESDAY, DUCK)
    put_note(workspace, WEEK, "# My week\n\n- I rested\n")

    phase = synthesise(workspace)

    assert "was written by hand" in phase.alerts[0]
    assert text_of(workspace, WEEK) == "# My week\n\n- I rested\n"
    assert synthesise(workspace).status == "skipped"


A, B, C = "a" * 64, "b" * 64, "c" * 64


@pytest.mark.parametrize(
    ("mark", "state", "sources", "verdict"),
    [
        (None, "", "s", DUE),
        (None, A, "s", HERS),
        (Mark("s", A, ""), A, "s", CURRENT),
        (Mark("s", A, ""), A, "t", DUE),
        (Mark("s", A, ""), "", "s", DUE),  # never written, or deleted since
        (Mark("s", B, A), A, "s", DUE),  # killed between the mark and the file
        (Mark("s", B, A), C, "s", HERS),
        (Mark("s", "", ""), "", "s", CURRENT),  # nothing worth a line
        (Mark("s", "", ""), "", "t", DUE),
        (Mark("s", kept=A), A, "s", CURRENT),  # she was told
        (Mark("s", kept=A), A, "t", HERS),
        (Mark("s", kept=A), B, "s", HERS),
        (Mark("s", kept=A), "", "s", DUE),
    ],
)
def test_what_is_to_be_done_with_a_rollup(mark: Mark | None, state: str, sources: str, verdict: str) -> None:
    assert judge(mark, state, sources) == verdict


class Killed(BaseException):
    """Stands for SIGKILL."""


@pytest.mark.parametrize("step", range(4))
def test_killed_before_any_write_the_next_run_ends_in_the_same_state(
    workspace: Workspace, week: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    put_note(workspace, f"{SILO}/2026-02-11.md", LATE)
    writes = iter(range(100))

    def dying(*args: object, **named: object) -> None:
        if next(writes) == step:
            raise Killed
        write_durably(*args, **named)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(text_files, "write_durably", dying)
        try:
            synthesise(workspace, MARCH)
        except Killed:
            assert step < 3
        else:
            assert step >= 3  # the former week is copied, the new one written, and the month
    synthesise(workspace, MARCH)

    assert "printer" in week.read_text()
    assert "printer" in text_of(workspace, MONTH)
    assert synthesise(workspace, MARCH).alerts == []


@pytest.mark.parametrize("answered", ["", f"memory/{SILO}/weekly/2026-W08.md", "../outside.md"])
def test_an_answer_about_other_files_is_refused(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, answered: str
) -> None:
    put_note(workspace, TUESDAY, DUCK)
    fields: dict[str, object] = {"Summary-Content": [{"name": answered, "text": "- lies"}] if answered else []}
    before = tree(workspace)

    with monkeypatch.context() as lying:
        lying.setattr(child_answer, "run_limited", lambda *_, **__: Ending(ENDED, block("HB-SYNTHESIS", fields), "", 0))
        phase = synthesise(workspace)

    assert (phase.status, len(phase.alerts)) == ("failed", 1)
    new = {name for name in tree(workspace).keys() - before.keys() if not name.startswith(".engram/")}
    assert new == {"memory/main/heartbeat/2026-02-16.md"}  # the report of the run
    assert list(workspace.paths.root.parent.rglob("outside.md")) == []
    assert synthesise(workspace).stats["weekly"] == 1


def test_a_rollup_is_no_note(workspace: Workspace, week: Path) -> None:
    workspace.now = lambda: MARCH
    before = run_heartbeat(workspace, RunOptions(phases=("extraction",))).phases[0].stats["entries"]

    after = run_heartbeat(workspace, RunOptions(phases=("extraction",), force=True)).phases[0].stats["entries"]

    assert is_rollup(week.read_text())
    assert before == after == 2
