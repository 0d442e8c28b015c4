"""`engram sql`: a window on the database for the owner, through which nothing can be changed."""

import click

from engram.base.text import without_control
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import invocation
from engram.cli.invocation.options import table
from engram.cli.invocation.silo import asked_by
from engram.cli.invocation.silo import find_asker
from engram.errors import RefusedError
from engram.heartbeat.child.run_records import KEPT_RUNS
from engram.heartbeat.child.run_records import RunRecords
from engram.store.database.duck_window import Seen
from engram.store.database.duck_window import look

_MOST_ROWS = 1_000
_SECONDS = 10.0
_CELL_CHARS = 60


@click.command(cls=EngramCommand)
@click.argument("query")
@click.option(
    "-n", "limit", type=click.IntRange(1, 100_000), default=_MOST_ROWS, show_default=True, help="Rows at most."
)
@click.option("--seconds", type=click.FloatRange(0.1, 600), default=_SECONDS, show_default=True, help="Time at most.")
@asked_by
def sql(*, query: str, limit: int, seconds: float, session: str | None, agent: str | None) -> None:
    """Look at the database with one SELECT. Nothing can be changed.

    The tables are facts_live (what is believed now), facts_all (every version), entities, edges (which fact joins
    whom), sessions and runs (of the heartbeat).

    \b
    Example:
      engram sql "SELECT started_at, status FROM runs ORDER BY started_at DESC LIMIT 3"
      engram sql "SELECT category, count(*) FROM facts_live GROUP BY category"
    """
    asked = invocation()
    if find_asker(asked, session, agent) is not None:  # it would see all scopes, those of chats kept apart included
        raise RefusedError("only the owner may look at the database", hint="engram facts, engram recall")
    workspace = asked.workspace()
    runs = RunRecords(workspace.paths.runs).latest(KEPT_RUNS)
    with workspace.store.held_to_read() as path:
        seen = look(path, query, max_rows=limit, seconds=seconds, runs=runs, give_up=asked.fail)
    rows = [dict(zip(seen.columns, row, strict=True)) for row in seen.rows]
    asked.emit({"columns": seen.columns, "rows": rows, "cut": seen.is_cut}, lambda: _shown(seen, limit), exact=True)


def _shown(seen: Seen, limit: int) -> str:
    rows = [tuple(map(_cell, seen.columns)), *(tuple(_cell(value) for value in row) for row in seen.rows)]
    return table(rows) + (f"\n... more than {limit} rows; -n shows more" if seen.is_cut else "")


def _cell(value: object) -> str:
    text = "" if value is None else without_control(" ".join(str(value).split()))
    return text if len(text) <= _CELL_CHARS else f"{text[: _CELL_CHARS - 3]}..."
