"""Nothing is lost, doubled or different when connections are cut and the server is killed under several writers.

The same with 10,000 commands, and a table: scripts/bench partitions.
"""

from pathlib import Path

import pytest

from tests.postgres.partitions import run_partitions
from tests.postgres.server import PostgresServer

pytestmark = pytest.mark.postgres


def test_nothing_is_lost_doubled_or_different_when_the_server_is_cut_off_and_killed(
    server: PostgresServer, tmp_path: Path
) -> None:
    outcome = run_partitions(server, tmp_path, machines=4, commands=80, faults=12, seed=18)

    assert outcome.commands == 80
    assert outcome.kills
    assert outcome.cuts
    assert (outcome.lost, outcome.doubled, outcome.differing) == ((), (), ())
