"""A PostgreSQL server of the tests' own: in a folder that goes with it, on a port that is free, never as root."""

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

ACCOUNT = "postgres"  # of the system, under which the server runs where the tests run as root
SECRETIVE, PASSWORD = "secretive", "open sesame 8271"  # a role that is asked for a password
_START_S = 60


def find_programs() -> Path | None:
    """Return the folder of the server's programs; None when PostgreSQL is not installed."""
    named = os.environ.get("ENGRAM_POSTGRES_BIN")
    folders = [Path(named)] if named else sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found = shutil.which("initdb")
    return next(
        (one for one in [*folders, *([Path(found).parent] if found else [])] if (one / "initdb").exists()), None
    )


class PostgresServer:
    """One server with its data."""

    def __init__(self, programs: Path, folder: Path) -> None:
        """Make the data in an empty folder."""
        self._programs = programs
        self._folder = folder
        self.port = _free_port()
        if os.getuid() == 0:
            shutil.chown(folder, ACCOUNT)
        data = folder / "data"
        self._run("initdb", "-D", str(data), "-U", "engram", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C")
        rules = data / "pg_hba.conf"
        rules.write_text(f"host all {SECRETIVE} 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n")
        with (data / "postgresql.conf").open("a") as settings:
            settings.write(
                f"listen_addresses = '127.0.0.1'\nport = {self.port}\nunix_socket_directories = ''\n"
                "fsync = off\nmax_connections = 60\nlog_min_messages = fatal\nshared_buffers = 16MB\n"
            )  # a process that is killed loses nothing without fsync; only the machine's power would
        self._data = data
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, database: str = "postgres", role: str = "engram") -> str:
        """Return the address of a database."""
        return f"postgresql://{role}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Start the server and wait until it answers."""
        command = self._command("postgres", "-D", str(self._data))
        with (self._folder.parent / "server.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        deadline = time.monotonic() + _START_S
        while True:
            with contextlib.suppress(psycopg.OperationalError), psycopg.connect(self.url(), connect_timeout=2):
                return
            assert time.monotonic() < deadline, "the server does not answer"
            assert self._process.poll() is None, "the server has ended"
            time.sleep(0.05)

    def kill(self) -> None:
        """Kill the server as a crash would, without a word to anybody."""
        with contextlib.suppress(FileNotFoundError, ProcessLookupError, IndexError):
            os.kill(int((self._data / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
        self._wait()

    def stop(self) -> None:
        """Stop the server; whoever is connected is cut off."""
        with contextlib.suppress(FileNotFoundError, ProcessLookupError, IndexError):
            os.kill(int((self._data / "postmaster.pid").read_text().split()[0]), signal.SIGINT)
        self._wait()

    def execute(self, statement: str, *values: Any, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Run one statement as the superuser and return its rows."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(statement.encode(), values or None)
            return cursor.fetchall() if cursor.description else []

    def make_database(self) -> str:
        """Make a database that is empty, and return its address."""
        name = f"t{secrets.token_hex(6)}"
        self.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def cut_connections(self) -> int:
        """Cut off everybody who calls himself engram; return how many were."""
        return len(
            self.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'engram'")
        )

    def _wait(self) -> None:
        if self._process is not None:
            self._process.wait(timeout=_START_S)
            self._process = None

    def _command(self, program: str, *args: str) -> list[str]:
        lead = ["runuser", "-u", ACCOUNT, "--"] if os.getuid() == 0 else []
        return [*lead, str(self._programs / program), *args]

    def _run(self, program: str, *args: str) -> None:
        subprocess.run(self._command(program, *args), check=True, capture_output=True, cwd="/", timeout=_START_S)


@contextlib.contextmanager
def running_server() -> Iterator[PostgresServer]:
    """Run a server for the length of the block; skip the test where PostgreSQL is not installed."""
    programs = find_programs()
    if programs is None:
        pytest.skip("NOT RUN: PostgreSQL is not installed; scripts/test postgres installs it")
    with tempfile.TemporaryDirectory(prefix="engram-postgres-") as scratch:
        Path(scratch).chmod(0o755)
        folder = Path(scratch) / "server"
        folder.mkdir()
        server = PostgresServer(programs, folder)
        server.start()
        try:
            yield server
        finally:
            server.stop()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
