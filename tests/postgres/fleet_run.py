"""A fleet at work: workers that are killed at random, writers and questions, and what a growing fleet costs the server.

Whatever was acknowledged must stand once in the journal of its workspace; no tick may begin later than its interval.
"""

import json
import os
import random
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from typing import NamedTuple

import psycopg

from engram.operations.answers.ask import make_query
from engram.operations.answers.ask import recalling
from engram.store.postgres.fleet_registry import FleetRegistry
from engram.store.postgres.journal_server import Server
from engram.store.postgres.postgres_journal import PostgresJournal
from engram.store.signature.line_signature import LineSigner
from tests.postgres.machines import opened
from tests.postgres.server import PostgresServer
from tests.store.journal.contract import extend

HOST = "bench"
ROUNDS = 20  # of each measured step
_WAIT_S = 10.0
_PATIENCE_S = 120.0  # for the first tick


class FleetOutcome(NamedTuple):
    """What became of a run."""

    ticks: int
    statuses: dict[str, int]
    kills: int
    commands: int  # that were acknowledged
    questions: int
    lost: tuple[str, ...]  # acknowledged, and in no journal
    doubled: tuple[str, ...]
    strayed: tuple[str, ...]  # in the journal of another workspace
    lags_s: tuple[float, ...]  # how late each tick began
    late: int  # ticks that began later than a whole interval
    filled_s: float  # that the first round of ticks took
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether nothing is lost, doubled, strayed or late."""
        return not (self.lost or self.doubled or self.strayed or self.late)


class Costs(NamedTuple):
    """What one step costs a server that has so many workspaces, in milliseconds (medians), and bytes."""

    workspaces: int
    add_ms: float
    connect_ms: float  # with the role taken on
    append_ms: float  # one record, over an open connection
    look_ms: float  # where a journal stands, over an open connection
    turn_ms: float  # a lease taken and let go of
    list_ms: float
    bytes_each: float  # of the database, by workspace


def measure_costs(
    server: PostgresServer, sizes: list[int], tell: Callable[[Costs], None] = lambda _: None
) -> list[Costs]:
    """Let a fleet grow to each size and measure there; those that are looked at get records."""
    url, chance, told, grown = server.make_database(), random.Random(7), list[Costs](), 0
    registry = FleetRegistry(url, _WAIT_S)
    empty = _size_of(url)
    for size in sizes:
        adding = []
        while grown < size:
            begun = time.perf_counter()
            registry.add(f"w{grown}", host=HOST, folder=None, every_s=1800)
            adding.append(time.perf_counter() - begun)
            grown += 1
        some = [f"w{chance.randrange(size)}" for _ in range(ROUNDS)]
        connecting = [_timed(lambda name=name: journal_of(url, name)._connections.connect().close()) for name in some]  # type: ignore[misc]
        appending, looking = [], []
        for name in some:
            journal = journal_of(url, name)
            with journal.hold(_WAIT_S):
                looking.append(_timed(journal.head))
                appending.append(_timed(lambda journal=journal: extend(journal, "more")))  # type: ignore[misc]
        told.append(
            Costs(
                size,
                _median_ms(adding[-ROUNDS:]),
                _median_ms(connecting),
                _median_ms(appending),
                _median_ms(looking),
                _median_ms([_timed(lambda: _turn(registry)) for _ in range(ROUNDS)]),
                _median_ms([_timed(registry.list_members) for _ in range(3)]),
                (_size_of(url) - empty) / size,
            )
        )
        tell(told[-1])
    registry.close()
    return told


def run_fleet(
    server: PostgresServer, folder: Path, *, workspaces: int, workers: int, seconds: float, every_s: int, seed: int
) -> FleetOutcome:
    """Let a fleet work for so long after each workspace has had its first tick; kill a worker every few seconds.

    Then it goes on unharmed until it has run a tick: on a busy machine none may have come to its end by then.
    """
    url, chance, root = server.make_database(), random.Random(seed), folder / "root"
    names = [f"w{number}" for number in range(workspaces)]
    registry = FleetRegistry(url, _WAIT_S)
    for name in names:
        registry.add(name, host=HOST, folder=None, every_s=every_s)
    begun = time.monotonic()
    _run_workers(url, root, folder / "first.jsonl", workers)
    filled_s = time.monotonic() - begun
    with psycopg.connect(url, autocommit=True) as connection:  # spread over the interval, as they are in the long run
        connection.execute("UPDATE engram.fleet SET due_at = now() + random() * every_s * interval '1 second'")
    begun = time.monotonic()
    told = folder / "ticks.jsonl"
    running = [_start_worker(url, root, told) for _ in range(workers)]
    clients = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.postgres.fleet_run", what, str(root), str(seed + place), str(seconds)],
            env=_environment(),
            stdout=subprocess.PIPE,
        )
        for place, what in enumerate(("write", "write", "ask"))
    ]
    kills = 0
    while time.monotonic() - begun < seconds:
        time.sleep(chance.uniform(2.0, 6.0))
        place = chance.randrange(workers)
        running[place].send_signal(signal.SIGKILL)
        running[place].wait()
        running[place] = _start_worker(url, root, told)
        kills += 1
    answers = [json.loads(one.communicate()[0]) for one in clients]
    while not (told.exists() and told.stat().st_size) and time.monotonic() - begun < seconds + _PATIENCE_S:
        time.sleep(0.1)
    for one in running:
        one.send_signal(signal.SIGTERM)
    for one in running:
        one.wait()
    ticks = [json.loads(line) for line in told.read_text().splitlines()] if told.exists() else []
    lags = [tick["lag_s"] for tick in ticks]
    lags += [member.lag_s for member in registry.list_members() if member.state == "due"]  # who waits still
    registry.close()
    sent = {name: place for answer in answers for name, place in answer["sent"].items()}
    lost, doubled, strayed = _judge(url, root, names, sent)
    return FleetOutcome(
        len(ticks), dict(Counter(tick["status"] for tick in ticks)), kills, len(sent),
        sum(answer["asked"] for answer in answers), lost, doubled, strayed, tuple(lags),
        sum(lag > every_s for lag in lags), filled_s, time.monotonic() - begun,
    )  # fmt: skip


def journal_of(url: str, workspace: str) -> PostgresJournal:
    """Return the journal of one workspace, unsigned."""
    return PostgresJournal(Server(url, workspace, _WAIT_S), LineSigner(None))


def _judge(
    url: str, root: Path, names: list[str], sent: dict[str, str]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Deliver what waits, and count each command in the journals on the server."""
    found: Counter[tuple[str, str]] = Counter()
    for name in names:
        workspace = opened(root / name)
        if workspace.spool.waiting():
            with workspace.writing("judge"):
                pass
        for record, _ in journal_of(url, name).read():
            found.update((one.result.command_id, name) for one in record.decisions if one.result.command_id in sent)
    lost = tuple(sorted(name for name, place in sent.items() if not found[(name, place)]))
    doubled = tuple(sorted(name for (name, _), count in found.items() if count > 1))
    strayed = tuple(sorted(name for name, place in found if sent[name] != place))
    return lost, doubled, strayed


def _run_workers(url: str, root: Path, told: Path, workers: int) -> None:
    running = [_start_worker(url, root, told, "--once") for _ in range(workers)]
    for one in running:
        if one.wait():
            raise RuntimeError(f"a worker left with {one.returncode}")


def _start_worker(url: str, root: Path, told: Path, *more: str) -> "subprocess.Popen[bytes]":
    words = ["fleet", "tick", "--url", url, "--root", str(root), "--host", HOST, "--lease", "5", "--json", *more]
    with told.open("ab") as output:
        return subprocess.Popen([sys.executable, "-m", "engram", *words], env=_environment(), stdout=output)


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ENGRAM_")}
    return {**kept, "PYTHONPATH": os.pathsep.join(sys.path), "ENGRAM_EMBEDDINGS": "none"}


def _turn(registry: FleetRegistry) -> None:
    lease = registry.take("bench", HOST, 60.0)
    if lease is not None:
        registry.finish(lease, "ok", 0.0)


def _size_of(url: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    return int(row[0]) if row else 0


def _timed(action: Callable[[], object]) -> float:
    begun = time.perf_counter()
    action()
    return time.perf_counter() - begun


def _median_ms(taken: list[float]) -> float:
    return statistics.median(taken) * 1000 if taken else 0.0


# --- clients ---------------------------------------------------------------------------------------------------------


def write_at_random(root: Path, seed: int, seconds: float) -> dict[str, Any]:
    """Write into workspaces at random; return which command went where."""
    chance, sent, deadline = random.Random(seed), dict[str, str](), time.monotonic() + seconds
    places = sorted(place.name for place in root.iterdir() if (place / "engram.toml").exists())
    while time.monotonic() < deadline:
        name, command = chance.choice(places), f"c-{seed}-{len(sent)}"
        fact = {"entity": "people/anna", "create": True, "text": f"Anna noted item {seed}x{len(sent)} in the ledger"}
        opened(root / name).submit("write", fact, command_id=command, wait_s=_WAIT_S)
        sent[command] = name
    return {"sent": sent, "asked": 0}


def ask_at_random(root: Path, seed: int, seconds: float) -> dict[str, Any]:
    """Ask workspaces at random."""
    chance, asked, deadline = random.Random(seed), 0, time.monotonic() + seconds
    places = sorted(place.name for place in root.iterdir() if (place / "engram.toml").exists())
    while time.monotonic() < deadline:
        workspace = opened(root / chance.choice(places))
        with recalling(workspace) as memory:
            memory.answer(make_query(workspace, {"query": "what did Anna note"}))
        asked += 1
    return {"sent": {}, "asked": asked}


if __name__ == "__main__":
    client = {"write": write_at_random, "ask": ask_at_random}[sys.argv[1]]
    json.dump(client(Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])), sys.stdout)
