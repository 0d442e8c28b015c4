"""Machines that write at once while connections are cut and the server is killed: what was acknowledged, what is there.

Each machine is a process with a folder of its own. Some commands are sent by two of them under one id. Whoever is told
`accepted` goes on; the spool delivers later.
"""

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from engram.errors import StoreBusyError
from engram.operations.upkeep import Upkeep
from engram.workspace import Workspace
from tests.postgres.machines import digests_of
from tests.postgres.machines import lines_of
from tests.postgres.machines import make_machine
from tests.postgres.machines import opened
from tests.postgres.server import PostgresServer

_SHARED_EVERY = 10  # of so many commands of a machine, one is sent by the next machine, too
_DELIVERY_S = 300.0
_PAUSE_S = 1.0  # after an answer that it is not shared yet
_TURN_S = 15.0  # that a command waits for the others before it is left in the spool


class Outcome(NamedTuple):
    """What became of a run."""

    commands: int  # different ones that were sent
    kept: int  # answers that said: not yet shared, or not yet done
    cuts: int  # connections that were cut
    kills: int  # of the server
    lost: tuple[str, ...]  # commands that are in no record
    doubled: tuple[str, ...]  # commands that are in two
    differing: tuple[str, ...]  # what is not equal on all machines
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether nothing is lost, doubled or different."""
        return not (self.lost or self.doubled or self.differing)


def run_partitions(
    server: PostgresServer, folder: Path, *, machines: int, commands: int, faults: int, seed: int
) -> Outcome:
    """Let machines send that many commands together, with that many faults on the way, and look what came of it."""
    begun, chance, url = time.monotonic(), random.Random(seed), server.make_database()
    roots = [make_machine(folder / f"machine{number}", url) for number in range(machines)]
    opened(roots[0]).submit("entity-add", {"path": "people/anna", "title": "Anna"})
    each = commands // machines
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    module = [sys.executable, "-m", "tests.postgres.partitions"]
    writers = [
        subprocess.Popen(
            [*module, str(root), str(number), str(machines), str(each)], env=environment, stdout=subprocess.PIPE
        )
        for number, root in enumerate(roots)
    ]
    cuts = kills = 0
    for fault in range(faults):
        time.sleep(chance.uniform(0.3, 2.0))
        if all(one.poll() is not None for one in writers):
            break
        if fault % 5 == 4:
            server.kill()
            time.sleep(chance.uniform(0.0, 3.0))
            server.start()
            kills += 1
        else:
            cuts += server.cut_connections()
    answers = [json.loads(one.communicate()[0]) for one in writers]
    assert [one.returncode for one in writers] == [0] * machines
    opened_again = [opened(root) for root in roots]
    _deliver(opened_again)
    ids = {name for one in answers for name in one["sent"]}
    kept = sum(one["kept"] for one in answers)
    return Outcome(len(ids), kept, cuts, kills, *_judge(opened_again, ids), time.monotonic() - begun)


def _deliver(workspaces: list[Workspace]) -> None:
    """Let every machine deliver what waits, then take in what the others delivered."""
    deadline = time.monotonic() + _DELIVERY_S
    for workspace in [*workspaces, *workspaces]:
        while time.monotonic() < deadline:
            try:
                with workspace.writing("deliver"):
                    break
            except StoreBusyError:
                time.sleep(0.2)
        assert workspace.spool.waiting() == []


def _judge(workspaces: list[Workspace], ids: set[str]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    decided = Counter(one.result.command_id for record, _ in workspaces[0].journal.read() for one in record.decisions)
    lost = tuple(sorted(ids - set(decided)))
    doubled = tuple(sorted(name for name, count in decided.items() if count > 1))
    differing = []
    first_lines, first_digests = lines_of(workspaces[0]), digests_of(workspaces[0])
    for workspace in workspaces[1:]:
        if lines_of(workspace) != first_lines:
            differing.append(f"{workspace.paths.root.name}: journal")
        if digests_of(workspace) != first_digests:
            differing.append(f"{workspace.paths.root.name}: database")
    problems = Upkeep(workspaces[0]).verify().problems
    with workspaces[0].reading() as database:
        facts = database.counts()["facts"]
    if facts != len(ids):
        differing.append(f"{facts} facts of {len(ids)} commands")
    return lost, doubled, (*differing, *problems)


def send(root: Path, number: int, machines: int, count: int) -> dict[str, object]:
    """Send the commands of one machine; print nothing but the outcome."""
    workspace, sent, kept = opened(root), list[str](), 0
    for at in range(count):
        is_shared = at % _SHARED_EVERY == 0
        owners = (number, (number - 1) % machines) if is_shared else (number,)
        for owner in owners:
            name = f"c-{owner}-{at}"
            fact = {"entity": "people/anna", "text": f"Anna noted item {owner}x{at} in the ledger of {at * 7 + owner}"}
            result = workspace.submit("write", fact, command_id=name, wait_s=_TURN_S)
            if str(result.status) == "accepted":
                kept += 1
                time.sleep(_PAUSE_S)  # else all commands would be sent while nobody tries the server again
            sent.append(name)
    return {"sent": sent, "kept": kept}


if __name__ == "__main__":
    json.dump(send(Path(sys.argv[1]), *map(int, sys.argv[2:5])), sys.stdout)
