"""A small fleet at work while its workers are killed; `scripts/bench fleet` runs larger ones."""

from pathlib import Path

import pytest

from engram.store.postgres.fleet_registry import FleetRegistry
from tests.postgres.fleet_run import measure_costs
from tests.postgres.fleet_run import run_fleet
from tests.postgres.server import PostgresServer

pytestmark = pytest.mark.postgres
_JOURNALS = """
  SELECT relname FROM pg_locks JOIN pg_class ON pg_class.oid = relation
  WHERE pid = pg_backend_pid() AND relkind = 'r' AND relname LIKE 'record%'"""  # that the transaction has looked at


def test_nothing_is_lost_doubled_or_strayed_while_workers_of_a_fleet_are_killed(
    server: PostgresServer, tmp_path: Path
) -> None:
    outcome = run_fleet(server, tmp_path, workspaces=4, workers=2, seconds=20.0, every_s=10, seed=5)

    assert (outcome.lost, outcome.doubled, outcome.strayed) == ((), (), ())
    assert outcome.commands
    assert outcome.kills
    assert outcome.ticks


def test_a_server_that_has_more_workspaces_costs_no_more_for_each(server: PostgresServer) -> None:
    few, more = measure_costs(server, [5, 20])

    assert more.bytes_each < 3 * few.bytes_each


def test_a_lease_looks_at_one_journal_and_a_list_at_none_however_many_there_are(server: PostgresServer) -> None:
    registry = FleetRegistry(server.make_database(), 10.0)
    for number in range(6):
        registry.add(f"w{number}", host="here", folder=None, every_s=60)

    with registry._using() as connection, connection.transaction():
        registry.list_members()
        assert connection.execute(_JOURNALS).fetchall() == []
        assert registry.take("worker", "here", 60.0) is not None
        assert len(connection.execute(_JOURNALS).fetchall()) == 1

    registry.close()
