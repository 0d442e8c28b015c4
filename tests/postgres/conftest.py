"""One server for all tests of this folder."""

from collections.abc import Iterator

import pytest

from tests.postgres.server import PostgresServer
from tests.postgres.server import running_server


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresServer]:
    with running_server() as running:
        yield running
