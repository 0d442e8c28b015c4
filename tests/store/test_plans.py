"""A question has one answer, whether or not the engine betters its plan: for small files it does not (`DuckFile`)."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engram.store.database.duck_file import DuckFile
from engram.store.database.small_files import FOR_LARGE
from engram.store.database.small_files import FOR_SMALL
from engram.store.database.small_files import MOST_ROWS
from engram.store.database.small_files import SMALL
from engram.store.database.sql_files import queries
from engram.store.database.sql_files import with_few
from engram.workspace import Workspace
from tests.conftest import Engram

ANNA = "people/anna"
STEPS = f"""
write --entity {ANNA} --create --fact 'Anna prefers tea' --category preference
write --entity {ANNA} --fact 'Anna lives in Riga' --attribute home --value Riga --tags place
write --entity {ANNA} --fact 'Anna lives in Tallinn' --attribute home --value Tallinn
write --entity projects/billing --create --fact 'Billing runs on [[{ANNA}]] and PostgreSQL 15'
write --entity {ANNA} --fact 'Anna prefers no tea' --category preference
correct projects/billing-001 --fact 'Billing runs on PostgreSQL 16'
pin {ANNA}-001
feedback {ANNA}-001 useful
history anna-001
observe 'The release took a week longer' --category friction
review answer observation-0001 dismiss
review list --settled
review undo
note add 'Decided: the site moves to SvelteKit' --section decisions
handoff send reviewer 'Please read the plan' --agent builder
inbox accept handoff-0001 --agent reviewer
heartbeat run
entity rename {ANNA} people/anna-lind
entity merge people/anna-lind projects/billing
undo
facts --tag place
facts --as-of 2026-01-01
facts --as-known 2026-01-01
timeline people/anna-lind --since 2026-01-01
diff --since 2026-02-01
contradictions --entity people/anna-lind --fact 'Anna lives in Tartu'
recall 'what does Anna prefer'
recall Anna --as-of 2026-03-01
context
session show demo
status --json
decay
graph relations
graph communities
verify
doctor --fix
forget {ANNA}-003 --yes
"""
LEAST = 50  # of the questions are asked by these commands


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Ask each question a second time the other way; return how many rows the questions found, by name."""
    rows: dict[str, int] = {}

    def twice(ask: Callable[..., Any]) -> Callable[..., Any]:
        def asked(file: DuckFile, name: str, parameters: dict[str, Any]) -> Any:
            answer = ask(file, name, parameters)
            was = betters(file)
            better(file, is_on=not was)
            again = ask(file, name, parameters)
            better(file, is_on=was)
            assert sorted(map(repr, answer)) == sorted(map(repr, again)), name
            rows[name] = max(len(answer), rows.get(name, 0))
            return answer

        return asked

    for method in ("_rows", "_fetched"):
        monkeypatch.setattr(DuckFile, method, twice(getattr(DuckFile, method)))
    return rows


def betters(file: DuckFile) -> bool:
    return bool(file._attached().execute("SELECT current_setting('enable_optimizer')").fetchall()[0][0])


def better(file: DuckFile, *, is_on: bool) -> None:
    file._size.is_small = not is_on
    file._attached().execute(FOR_LARGE if is_on else FOR_SMALL)


def test_every_question_has_the_same_answer_with_a_better_plan_and_without(
    workspace: Workspace, engram: Engram, children_here: None, found: dict[str, int]
) -> None:
    turns = [{"id": f"turn/{n:032x}", "text": f"I prefer {n} teas", "speaker": "user"} for n in range(3)]
    workspace.submit("capture", {"session": "demo", "turns": turns})
    for step in STEPS.strip().splitlines():
        done = engram(*shlex.split(step))
        assert done.code == 0, (step, done.err)

    assert len(found) >= LEAST, sorted(queries().keys() - found.keys())
    assert len([name for name, rows in found.items() if rows]) > LEAST // 2, found


def test_the_plan_is_bettered_for_a_file_that_is_large(tmp_path: Path) -> None:
    path = tmp_path / "engram.duckdb"
    with DuckFile(path).attach(write=True) as new:
        assert not betters(new)
    with DuckFile(path).attach(write=False) as small:
        assert not betters(small)
    with DuckFile.in_memory(like=DuckFile(path)) as copied:
        assert not betters(copied)
    with path.open("ab") as file:
        file.truncate(SMALL)
    with DuckFile(path).attach(write=False) as large:
        assert betters(large)
    with DuckFile.in_memory(like=DuckFile(path)) as copied:
        assert betters(copied)
    with DuckFile(tmp_path / "other.duckdb").attach(write=True) as new:  # also by an instance that had a large one
        assert not betters(new)


def test_the_plan_is_bettered_as_soon_as_much_was_written(tmp_path: Path) -> None:
    rows = [{"key": str(number), "value": "kept"} for number in range(MOST_ROWS)]
    with DuckFile(tmp_path / "engram.duckdb").attach(write=True) as new:
        new._run("BEGIN TRANSACTION")
        new._upsert("meta", rows[:-2])  # its making has written two
        assert not betters(new)
        new._upsert("meta", rows[-2:])
        assert betters(new)
        new._run("COMMIT")

        assert len(new._select("meta")) == MOST_ROWS + 2
    with DuckFile(tmp_path / "engram.duckdb").attach(write=True) as again:
        assert not betters(again)


def test_the_plan_is_not_bettered_in_a_store_of_a_few_facts(workspace: Workspace) -> None:
    for text in ("Anna prefers tea", "Anna lives in Riga", "Anna works at Acme"):  # every other one doubles the file
        workspace.submit("write", {"entity": ANNA, "text": text, "create": True})

        with workspace.database.attach(write=False) as stored:
            assert not betters(stored)


def test_a_few_of_a_column_are_looked_for_in_a_list() -> None:
    one, other = "t.a IN (SELECT unnest($ids::VARCHAR[]))", "b IN (SELECT unnest($more::INTEGER[]))"

    listed = with_few(f"SELECT * FROM t WHERE true AND ({one} OR {other})", frozenset({"ids"}))

    assert listed == f"SELECT * FROM t WHERE true AND (list_contains($ids::VARCHAR[], t.a) OR {other})"


def test_what_is_made_of_a_column_is_looked_up_as_it_stands() -> None:
    for made in ("split_part(id, '/', 2)", "entity || chr(10) || attribute"):
        sql = f"SELECT * FROM facts WHERE {made} IN (SELECT unnest($ids::VARCHAR[]))"

        assert with_few(sql, frozenset({"ids"})) == sql
