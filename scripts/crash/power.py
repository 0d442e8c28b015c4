"""Power losses: sequences of commands are traced, and stores as a loss may leave them are opened."""

import errno
import random
import shutil
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from crash import steps
from crash.disk import RULES
from crash.disk import SURVIVORS
from crash.disk import Disk
from crash.disk import Event
from crash.disk import lay_out
from crash.disk import read_trace
from crash.faults import Kind
from crash.faults import Mode
from crash.faults import Plan
from crash.judge import judge
from crash.points import clear
from crash.points import fresh
from crash.processes import call
from crash.processes import config_of
from crash.steps import Step
from crash.table import Row

_REBUILD_EACH = 12
_LATER = ("--wait", "0")


class Faulty(NamedTuple):
    """A step of which one flush fails."""

    step: Step
    part: str  # that the path of the flushed file holds


class Sequenced(NamedTuple):
    """Steps on a store; None: there is no store yet."""

    store: dict[str, int] | None
    steps: Sequence[Step | Faulty]


class Traced(NamedTuple):
    """What happened, and up to which event each step was done."""

    events: list[Event]
    acked: list[str]  # before the first step
    ends: list[tuple[int, Step, tuple[str, ...]]]  # number of events, the step, and what it acknowledged


SEQUENCES = {
    "an established store": Sequenced(
        {"facts": 8, "segment": 4096},
        [
            steps.write(100, *_LATER),
            steps.write(101),
            steps.write(102, *_LATER),
            steps.write(103, *_LATER),
            steps.plain("facts"),
            steps.correct(2, 110),
            steps.rows(200, 5),
            steps.plain("rebuild", "database"),
            steps.write(105),
            steps.plain("doctor", "--fix"),
            steps.write(106, *_LATER),
        ],
    ),
    "the first life of a store": Sequenced(
        None,
        [
            steps.plain("init", "@", "--timezone", "UTC", "--owner", "nobody"),
            steps.write(100, *_LATER),
            steps.write(101),
            steps.write(102, *_LATER),
            steps.write(103),
        ],
    ),
    "the first life of a segment": Sequenced(
        {"facts": 5, "segment": 4096}, [*(steps.write(number) for number in range(100, 106)), steps.rows(200, 5)]
    ),
    "capture, import, hook, MCP and note": Sequenced(
        {"facts": 3},
        [
            steps.tool(100),
            steps.prompt(110),
            steps.capture(120),
            steps.bring_in(130),
            steps.note(140),
            steps.plain("facts"),
        ],
    ),
    "a heartbeat": Sequenced(
        {"facts": 4}, [steps.write(100, *_LATER), steps.plain("heartbeat", "run"), steps.note(101), steps.write(102)]
    ),
    "a failed flush of the journal": Sequenced(
        {"facts": 4}, [Faulty(steps.write(100), "journal/0"), steps.write(101), steps.write(102)]
    ),
    "a failed flush of the spool": Sequenced(
        {"facts": 4}, [Faulty(steps.write(100, *_LATER), "spool"), steps.write(101, *_LATER), steps.write(102)]
    ),
    "a failed flush of the database": Sequenced(
        {"facts": 4}, [Faulty(steps.write(100), "duckdb"), steps.write(101), steps.write(102)]
    ),
}


def losses(folder: Path, states: int) -> Iterator[Row]:
    """Trace each sequence, and open that many of the stores that a power loss may leave."""
    for number, (name, sequence) in enumerate(SEQUENCES.items()):
        place = folder / f"sequence-{number}"
        place.mkdir()
        yield _losses(place, name, sequence, states)


def _losses(place: Path, name: str, sequence: Sequenced, states: int) -> Row:
    root, before, left = place / "store", place / "before", place / "left"
    traced = _trace(sequence, root, before, place / "trace")
    row, chance = Row("power loss, POSIX and ext4 rules", name), random.Random(name)
    for turn in range(states):
        until = chance.randint(1, len(traced.events))
        rules, survivors = RULES[turn % len(RULES)], SURVIVORS[turn // len(RULES) % len(SURVIVORS)]
        disk = Disk(root, before, rules)
        for event in traced.events[:until]:
            disk.play(event)
        clear(left)
        lay_out(disk.after_power_loss(survivors, random.Random(turn)), root, left)
        if config_of(root).exists():
            shutil.copytree(config_of(root), config_of(left))
        where = (
            f"after event {until} {traced.events[until - 1].kind} {traced.events[until - 1].path}, {rules}, {survivors}"
        )
        row.add(where, _problems(left, traced, until, rebuild=turn % _REBUILD_EACH == 0))
    return row


def _trace(sequence: Sequenced, root: Path, before: Path, trace: Path) -> Traced:
    acked = [] if sequence.store is None else steps.make_store(root, **sequence.store)
    if root.exists():
        fresh(root, before)
    ends = []
    for one in sequence.steps:
        step = one.step if isinstance(one, Faulty) else one
        plan = Plan(Mode.COUNTED, trace=str(trace))
        if isinstance(one, Faulty):
            plan = Plan(Mode.FAILED, 1, errno.EIO, Kind.SYNCS, one.part, str(trace))
        done = call(step.job(root), root, plan, step.stdin)
        if not done.acknowledged and not isinstance(one, Faulty):
            raise RuntimeError(f"{step.name} left with {done.code}: {done.err}")
        ends.append((len(read_trace(trace)), step, steps.acknowledged(step, done)))
    return Traced(read_trace(trace), acked, ends)


def _problems(left: Path, traced: Traced, until: int, *, rebuild: bool) -> list[str]:
    have, sent = list(traced.acked), list(traced.acked)
    gone: list[str] = []
    begun = 0  # events before the step
    for end, step, gains in traced.ends:
        if begun < until:
            gone += step.takes
        if end <= until:
            have += gains
        sent += step.gains
        begun = end
    if not (left / "engram.toml").exists():
        return [f"unopenable: no engram.toml, and {len(have)} were acknowledged"] if have else []
    return judge(left, have, sent, gone=gone, rebuild=rebuild)
