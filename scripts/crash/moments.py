"""Processes of every kind, many at once, killed at random moments; and copies of the store, taken meanwhile."""

import random
import shutil
import subprocess
import time
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path

from crash import steps
from crash.judge import judge
from crash.points import clear
from crash.processes import Running
from crash.processes import config_of
from crash.processes import finish
from crash.processes import kill
from crash.processes import start
from crash.steps import Step
from crash.table import Row

_AT_ONCE = 4
_JUDGE_EACH = 200  # kills
_COPY_EACH = 100  # kills
_LONGEST_S = 0.9  # after which a process that is to die is killed
_SHARE_KILLED = 0.75
_MOST_BEATS = 1  # heartbeats that run at once: a second one leaves at once

_MAKERS: dict[str, tuple[int, Callable[[int], Step]]] = {  # kind -> how often, and what makes it
    "write": (6, steps.write),
    "write --wait 0": (6, lambda number: steps.write(number, "--wait", "0")),
    "write --jsonl": (3, lambda number: steps.rows(number, 4)),
    "note": (2, steps.note),
    "capture": (2, steps.capture),
    "import": (2, steps.bring_in),
    "hook": (3, steps.prompt),
    "MCP": (3, steps.tool),
    "heartbeat": (1, lambda _: steps.plain("heartbeat", "run")),
    "rebuild": (1, lambda _: steps.plain("rebuild", "database")),
    "repair": (1, lambda _: steps.plain("doctor", "--fix")),
    "recall": (1, lambda _: steps.plain("recall", "amber crate")),
}


class _Crowd:
    """The processes that run, and what they acknowledged and asked for."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.acked = set(steps.make_store(root, 5, segment=16_384))
        self.sent = set(self.acked)
        self.problems: list[str] = []
        self.kills = 0
        self._chance = random.Random(seed)
        self._number = 1000
        self._running: list[tuple[Running, Step, float]] = []  # with the moment of its death, infinity for none

    def launch(self) -> None:
        """Start processes until enough run."""
        while len(self._running) < _AT_ONCE:
            kinds = list(_MAKERS)
            kind = self._chance.choices(kinds, [_MAKERS[one][0] for one in kinds])[0]
            if kind == "heartbeat" and sum(step.name == "heartbeat run" for _, step, _ in self._running) >= _MOST_BEATS:
                continue
            step = _MAKERS[kind][1](self._number)
            self._number += 5
            self.sent.update(step.gains)
            dies = self._chance.random() < _SHARE_KILLED
            moment = time.monotonic() + self._chance.uniform(0, _LONGEST_S) if dies else float("inf")
            self._running.append((start(step.job(self.root), self.root, stdin=step.stdin), step, moment))

    def reap(self) -> None:
        """Kill whose moment has come, and count what they and the others had acknowledged."""
        time.sleep(0.01)
        for one in list(self._running):
            running, step, moment = one
            if time.monotonic() > moment:
                self.kills += 1
                kill(running, group=self._chance.random() < 0.5)
            elif not _ended(running):
                continue
            self._running.remove(one)
            self._count(step, running)

    def wait(self) -> None:
        """Let all that run end by themselves."""
        while self._running:
            running, step, _ = self._running.pop()
            self._count(step, running)

    def _count(self, step: Step, running: Running) -> None:
        done = finish(running, timeout_s=180)
        self.acked.update(steps.acknowledged(step, done))
        if done.broke:
            self.problems.append(f"{step.name}: exception: {done.broke}")
        if done.hung:
            self.problems.append(f"{step.name}: hung")


def _ended(running: Running) -> bool:
    """Tell whether a process ended; it stays to be waited for."""
    state = Path(f"/proc/{running.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    return state == "Z"


def at_random(folder: Path, kills: int) -> Iterator[Row]:
    """Kill that many processes; judge the store now and then, and copies of it that were taken under way."""
    root, copied = folder / "store", folder / "copy"
    killed, copies = (
        Row("killed at a random moment", "commands, hooks, MCP, imports, heartbeats at once"),
        Row("copied with `cp -r` under load", "the same"),
    )
    crowd = _Crowd(root, seed=kills)
    judged = next_copy = 0
    while crowd.kills < kills:
        crowd.launch()
        crowd.reap()
        if crowd.kills >= next_copy and crowd.kills < kills:
            next_copy += _COPY_EACH
            before = set(crowd.acked)
            clear(copied)
            if config_of(root).exists():
                shutil.copytree(config_of(root), config_of(copied))
            subprocess.run(["cp", "-r", str(root), str(copied)], capture_output=True, check=False)
            copies.add(f"after {crowd.kills} kills", judge(copied, before, crowd.sent, rebuild=True))
        if crowd.kills - judged >= _JUDGE_EACH or crowd.kills >= kills:
            crowd.wait()
            problems = crowd.problems + judge(root, crowd.acked, crowd.sent, rebuild=True)
            killed.add(f"after {crowd.kills} kills, {len(crowd.acked)} acknowledged", problems)
            judged, crowd.problems = crowd.kills, []
    killed.trials = crowd.kills  # each kill is a trial; what it broke shows when the store is judged
    yield killed
    yield copies
