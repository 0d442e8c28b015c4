"""A small fleet at work while its workers are killed; `scripts/bench fleet` runs larger ones."""

from pathlib import Path

import pytest

from tests.postgres.fleet_run import measure_costs
from tests.postgres.fleet_run import run_fleet
from tests.postgres.server import PostgresServer

pytestmark = pytest.mark.postgres


def test_nothing_is_lost_doubled_or_strayed_while_workers_of_a_fleet_are_killed(
    server: PostgresServer, tmp_path: Path
) -> None:
    outcome = run_fleet(server, tmp_path, workspaces=4, workers=2, seconds=20.0, every_s=10, seed=5)

    assert (outcome.lost, outcome.doubled, outcome.strayed) == ((), (), ())
    assert outcome.commands
    assert outcome.kills
    assert outcome.ticks


def test_a_server_that_has_more_workspaces_costs_no_more_for_each(server: PostgresServer) -> None:
    few, more = measure_costs(server, [5, 60])

    assert more.bytes_each < 3 * few.bytes_each
    assert more.turn_ms < 10 * few.turn_ms + 50
