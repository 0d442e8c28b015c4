"""`engram sql`: looks at everything and changes nothing, and reaches nothing besides the database."""

from pathlib import Path

import pytest

from engram.heartbeat.child.run_records import RunRecords
from engram.workspace import Workspace
from tests.conftest import Engram
from tests.conftest import WorkspaceWith
from tests.conftest import engram_in


@pytest.fixture(autouse=True)
def _two_facts(workspace_with: WorkspaceWith) -> None:
    workspace_with(write_two_facts)


def write_two_facts(workspace: Workspace) -> None:
    engram = engram_in(workspace)
    for text in ("Anna plays chess", "Anna sings"):
        assert engram("write", "--entity", "people/anna", "--create", "--fact", text).code == 0
    engram("retract", "anna-002", "--reason", "no")


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("SELECT id, text FROM facts_live", [{"id": "people/anna-001", "text": "Anna plays chess"}]),
        ("SELECT count(*) AS n FROM facts_all", [{"n": 2}]),
        ("SELECT path FROM entities WHERE path LIKE 'people/anna'", [{"path": "people/anna"}]),
        ("SELECT * FROM edges", []),
        ("WITH a AS (SELECT 1.5::DECIMAL(4,2) AS x, [1, 2] AS y) SELECT * FROM a;", [{"x": 1.5, "y": [1, 2]}]),
    ],
)
def test_a_select_is_answered(engram: Engram, query: str, rows: list[dict[str, object]]) -> None:
    assert rows == engram("sql", query, "--json").json["rows"]


def test_a_person_sees_columns_with_a_header(engram: Engram) -> None:
    assert engram("sql", "SELECT id, 1 AS n FROM facts_live").out.splitlines() == [
        "id               n",
        "people/anna-001  1",
    ]


@pytest.mark.usefixtures("children_here")
def test_runs_of_the_heartbeat_are_a_table(engram: Engram, workspace: Workspace) -> None:
    found = engram("sql", "SELECT * FROM runs", "--json").json
    assert found["columns"] == ["id", "status", "started_at", "finished_at", "alerts", "phases"]
    assert found["rows"] == []

    done = engram("heartbeat", "run", "--phase", "review", "--force", "--json").json
    RunRecords(workspace.paths.runs).save(
        {"run_id": "0dead", "status": "running", "started_at": "2026-02-24T10:00:00Z"}
    )

    runs = engram("sql", "SELECT * FROM runs ORDER BY id", "--json").json["rows"]
    assert [done["run_id"], "0dead"] == [run["id"] for run in runs]
    assert [(run["status"], [one["phase"] for one in run["phases"]]) for run in runs] == [
        ("ok", ["review"]),
        ("running", []),
    ]
    assert runs[1]["started_at"] == "2026-02-24T10:00:00Z"
    taken = engram("sql", "SELECT count(*) AS n FROM runs, unnest(phases) WHERE finished_at >= started_at", "--json")
    assert taken.json["rows"] == [{"n": 1}]


@pytest.mark.parametrize(
    "damage",
    [{"started_at": "soon"}, {"started_at": 5}, {"alerts": 5}, {"phases": [1]}, {"phases": {"phase": "review"}}],
)
def test_a_damaged_record_of_a_run_keeps_nobody_from_looking(
    engram: Engram, workspace: Workspace, damage: dict[str, object]
) -> None:
    RunRecords(workspace.paths.runs).save({"run_id": "0dead", "status": "ok", **damage})

    found = engram("sql", "SELECT id, status, started_at, alerts, phases FROM runs", "--json").json["rows"]

    assert found == [{"id": "0dead", "status": "ok", "started_at": None, "alerts": [], "phases": []}]


def test_what_acts_on_a_terminal_is_shown_as_a_sign(engram: Engram) -> None:
    shown = engram("sql", """SELECT chr(27) || ']0;x' || chr(7) AS "a\x1b[2J" """).out

    assert shown.splitlines() == [
        "a\N{REPLACEMENT CHARACTER}[2J",
        "\N{REPLACEMENT CHARACTER}]0;x\N{REPLACEMENT CHARACTER}",
    ]


WRITES = [
    "DELETE FROM store.facts",
    "WITH gone AS (DELETE FROM store.facts RETURNING *) SELECT * FROM gone",
    "UPDATE store.facts SET text = 'x'",
    "INSERT INTO store.entities SELECT * FROM store.entities",
    "DROP TABLE store.facts",
    "CREATE TABLE store.t (a INT)",
    "CREATE TABLE t (a INT)",
    "SELECT 1; DELETE FROM store.facts",
    "DETACH store",
    "SET lock_configuration = false",
    "PRAGMA memory_limit = '1GB'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "CALL pragma_version()",
    "",
]


@pytest.mark.parametrize("query", WRITES)
def test_anything_but_one_select_is_refused_and_nothing_changes(
    engram: Engram, workspace: Workspace, query: str
) -> None:
    with workspace.reading() as database:
        before = database.digests()

    answer = engram("sql", query)

    assert answer.code == 2
    assert "hint: " in answer.err
    with workspace.reading() as database:
        assert before == database.digests()


@pytest.mark.parametrize(
    "source",
    [
        "'{file}'",
        "read_text('{file}')",
        "read_blob('{file}')",
        "read_csv('{file}')",
        "read_json('{file}')",
        "parquet_scan('{file}')",
        "sniff_csv('{file}')",
        "glob('{folder}/*')",
        "read_text('http://127.0.0.1:9/')",
        "query('SELECT * FROM read_text(''{file}'')')",
    ],
)
def test_no_file_and_no_network_can_be_read(engram: Engram, tmp_path: Path, source: str) -> None:
    file = tmp_path / "secret.csv"
    file.write_text("a\nthe-secret\n")

    answer = engram("sql", f"SELECT * FROM {source.format(file=file, folder=tmp_path)}")

    assert answer.code == 2
    assert "the-secret" not in answer.out + answer.err


@pytest.mark.parametrize("query", ["ATTACH '{folder}/x.duckdb'", "COPY (SELECT 1) TO '{folder}/x.csv'"])
def test_no_file_can_be_made(engram: Engram, tmp_path: Path, query: str) -> None:
    before = {*tmp_path.iterdir()}

    assert engram("sql", query.format(folder=tmp_path)).code == 2
    assert before == {*tmp_path.iterdir()}


def test_rows_are_limited_and_that_is_said(engram: Engram) -> None:
    found = engram("sql", "SELECT * FROM range(50) AS numbers(n)", "-n", "3", "--json").json

    assert (found["rows"], found["cut"]) == ([{"n": 0}, {"n": 1}, {"n": 2}], True)
    assert "more than 3 rows" in engram("sql", "SELECT * FROM range(50)", "-n", "3").out


def test_a_question_without_end_is_ended(engram: Engram) -> None:
    answer = engram("sql", "SELECT count(*) FROM range(1000000000) a, range(1000000000) b", "--seconds", "0.1")

    assert answer.code == 4
    assert "took longer than 0.1 seconds" in answer.err


@pytest.mark.parametrize("kind", [["--kind", "group"], ["--kind", "personal"], []])
def test_only_the_owner_looks(engram: Engram, kind: list[str]) -> None:
    engram("session", "add", "club", *kind)

    answer = engram("sql", "SELECT text FROM facts_all", "--session", "club")

    assert answer.code == 4
    assert "chess" not in answer.out + answer.err
    for caller in (["--agent", "somebody"], ["--agent", "main"], ["--session", "main"]):
        assert engram("sql", "SELECT text FROM facts_all", *caller).code == 4


def test_the_store_is_written_to_as_before_afterwards(engram: Engram) -> None:
    engram("sql", "SELECT 1")

    assert engram("write", "--entity", "people/anna", "--fact", "Anna swims").code == 0
    assert engram("sql", "SELECT count(*) AS n FROM facts_live", "--json").json["rows"] == [{"n": 2}]


def test_sound_16_a_single_call_that_takes_hours_ends_when_its_time_is_up(
    engram_process: Engram, workspace: Workspace
) -> None:
    hours = "SELECT levenshtein(repeat('a', 3000000), repeat('b', 3000000))"

    answer = engram_process("sql", hours, "--seconds", "0.1", "--json")

    assert answer.code == 4
    assert answer.error["message"] == "it took longer than 0.1 seconds"
