"""What a heartbeat costs on a large store: scripts/bench heartbeat [--facts N] [--entities N] [--lines N].

The store is generated and written through the real journal; notes lie beside it. Measured as whole processes, as cron
calls them: `engram status`, a tick that finds nothing new, one that changed one entity, and maintenance of everything;
and, in the child, how many lines of notes extraction reads in a second. No embedding model takes part. Beside the time
that passed stands the time of the processor: on a machine that does other things too, that one tells.
"""

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from typing import NamedTuple

from generated_text import Conversations

from engram.base.clock import utc_now
from engram.base.text import fingerprint
from engram.heartbeat.child.phases import EXTRACTION
from engram.heartbeat.child.phases import built_in_command
from engram.heartbeat.child.phases import child_environment
from engram.language.text.markdown_notes import split_note
from engram.model.changes.change import Change
from engram.model.changes.change import EntityCreated
from engram.model.changes.change import FactRecorded
from engram.model.changes.record import Decision
from engram.model.changes.record import Record
from engram.model.commands.command import CommandResult
from engram.model.commands.command import Outcome
from engram.model.entity import Entity
from engram.model.fact import Actor
from engram.model.fact import Fact
from engram.operations.setup import make_workspace
from engram.store.embedding.choice import PROVIDER_VARIABLE
from engram.workspace import Workspace
from engram.workspace import open_workspace

FACTS_A_RECORD = 500
NOTE_LINES = 60  # of a daily note
NOTES = 300  # daily notes beside the store
ROUNDS = 7
CHILD_ROUNDS = 3
MEMORY_MB = 4096  # of the child that is measured
_CATEGORIES = ("preference", "decision", "status", "context", "milestone", "relationship")
_SIGNS = ("We decided to use {} for {}", "{} prefers {} to anything else", "{} is waiting for {}", "{} met {} in Riga")


def main() -> None:
    """Make the store, run the phases, and print what was measured beside what was asked for."""
    options = read_options()
    os.environ[PROVIDER_VARIABLE] = "none"
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
        measure(options.folder / "workspace", options)
        return
    with tempfile.TemporaryDirectory(prefix="engram-heartbeat-", dir=options.place) as scratch:
        measure(Path(scratch) / "workspace", options)


def read_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="scripts/bench heartbeat", description=__doc__)
    parser.add_argument("--facts", type=int, default=100_000)
    parser.add_argument("--entities", type=int, default=2000)
    parser.add_argument("--lines", type=int, default=30_000, help="note lines that the child reads")
    parser.add_argument("--place", type=Path, help="where the temporary folder is made; it is removed in the end")
    parser.add_argument("--folder", type=Path, help="a folder whose workspace is filled, or measured again; it is kept")
    return parser.parse_args()


def measure(root: Path, options: argparse.Namespace) -> None:
    """Measure everything in one workspace."""
    chance = random.Random(11)
    words = Conversations()
    if not (root / "engram.toml").exists():
        make_workspace(root, {}, now=utc_now, force=False, dry_run=False)
        workspace = open_workspace(str(root))
        fill(workspace, options, words, chance)
        write_notes(root, words, chance)
        print(f"made {options.facts} facts in {options.entities} entities")
    row("python -c pass", str(median(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True))))
    first = heartbeat(root)
    row("first run, everything to do", str(first.time))
    for phase in first.phases:
        row(f"  {phase['phase']}", f"{phase['duration_s']:.2f} s", phase["summary"])
    settle(root)
    status = median(lambda: engram(root, "status"))
    quiet = median(lambda: engram(root, "heartbeat", "run"))
    row("engram status", str(status))
    ratios = f"{quiet.wall / status.wall:.2f} x status, {quiet.cpu / status.cpu:.2f} x its processor time"
    row("quiet tick", f"{quiet} = {ratios}", "at most 3 x")
    changed = [one_change(root, number) for number in range(CHILD_ROUNDS)]
    row("tick that changed one entity", str(sorted(one.time for one, _ in changed)[CHILD_ROUNDS // 2]))
    for phase in changed[-1][0].phases:
        row(f"  {phase['phase']}", f"{phase['duration_s']:.2f} s", phase["summary"])
    row("summaries rewritten by it", ", ".join(sorted({str(count) for _, count in changed})), "1")
    maintain = ("heartbeat", "run", "--force", "--phase", "maintenance")
    row("maintenance of everything", str(median(lambda: engram(root, *maintain), CHILD_ROUNDS)), "at most 20 s")
    reading = sorted(reading_lines(options.lines, words, chance) for _ in range(CHILD_ROUNDS))[CHILD_ROUNDS // 2]
    speeds = f"{options.lines / reading.wall:.0f} lines/s, {options.lines / reading.cpu:.0f} of processor time"
    row("extraction in the child", speeds, "at least 3000 lines/s")
    row("largest child of this script", f"{resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10} MiB")


class Time(NamedTuple):
    """What something took, with all processes that it started and waited for."""

    wall: float  # seconds that passed
    cpu: float  # seconds of the processor

    def __str__(self) -> str:
        return f"{self.wall:.3f} s ({self.cpu:.3f} s of processor)"


class Tick(NamedTuple):
    """One run of the heartbeat."""

    time: Time
    phases: list[dict[str, Any]]


def row(what: str, measured: str, asked: str = "") -> None:
    """Print one line of the table."""
    print(f"{what:30} {measured:40}   {asked}", flush=True)


# --- the store ---------------------------------------------------------------------------------------------------


def fill(workspace: Workspace, options: argparse.Namespace, words: Conversations, chance: random.Random) -> None:
    """Write entities and facts through the journal, and bring the database to its head."""
    with workspace.writing("bench"):
        position, previous = workspace.journal.head()
    now = workspace.now()
    made = made_changes(options, words, chance, workspace)
    while changes := [change for _, change in zip(range(FACTS_A_RECORD), made, strict=False)]:
        position += 1
        result = CommandResult(command_id=f"bench-{position}", kind="write", status=Outcome.CREATED)
        decision = Decision(actor=Actor.USER, asked_at=now, result=result, changes=tuple(changes))
        record = Record(position=position, previous=previous, at=now, decisions=(decision,))
        workspace.journal.append([record])
        previous = workspace.journal.head()[1]
    with workspace.writing("bench"):
        pass


def made_changes(
    options: argparse.Namespace, words: Conversations, chance: random.Random, workspace: Workspace
) -> Iterator[Change]:
    """Yield every entity with its facts."""
    now = workspace.now()
    each = options.facts // options.entities
    for number in range(options.entities):
        path = f"{'people' if number % 2 else 'projects'}/name-{number}"
        yield EntityCreated(entity=Entity(path=path, title=f"Name {number}", created_at=now, next_number=each + 1))
        for place in range(1, each + 1):
            said = words.text(chance.randrange(1_000_000)).split()[:12]
            text = f"Name {number} {chance.choice(('uses', 'likes', 'wants', 'has'))} {' '.join(said)} {place}"
            fact_id = f"{path}-{place:03d}"
            yield FactRecorded(
                fact=Fact.model_validate(
                    {
                        "id": fact_id, "entity": path, "text": text, "category": chance.choice(_CATEGORIES),
                        "confidence": 0.9, "abstraction": "episode", "trust": "trusted", "source": {"actor": "user"},
                        "lineage": fact_id, "version": 1, "valid_from": now, "recorded_at": now,
                        "fingerprint": fingerprint(text), "skeleton": fingerprint(text),
                    }
                )
            )  # fmt: skip


def note_text(lines: int, words: Conversations, chance: random.Random) -> str:
    """Return a note of that many lines: headings, and bullets of which a few state something."""
    parts = []
    for place in range(lines):
        said = words.text(chance.randrange(1_000_000)).split()
        if place % 20 == 0:
            parts.append(f"## {chance.choice(('Decisions', 'Events', 'Learnings', 'Next'))}")
        elif chance.random() < 0.2:
            name = f"Name {chance.randrange(500)}"
            parts.append("- " + chance.choice(_SIGNS).format(name, " ".join(said[:3])))
        else:
            parts.append("- " + " ".join(said[: chance.randint(4, 25)]).capitalize() + ".")
    return "\n".join(parts) + "\n"


def write_notes(root: Path, words: Conversations, chance: random.Random) -> None:
    """Write daily notes of one session."""
    folder = root / "memory" / "main" / "main"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(NOTES):
        name = f"2025-{1 + number // 28:02d}-{1 + number % 28:02d}.md"
        (folder / name).write_text(f"# {name[:-3]}\n\n" + note_text(NOTE_LINES, words, chance))


# --- what is measured --------------------------------------------------------------------------------------------


def engram(root: Path, *arguments: str) -> str:
    """Run one command as a process; end the benchmark when it fails."""
    command = [sys.executable, "-m", "engram", "--workspace", str(root), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)} left with {done.returncode}: {done.stderr}")
    return done.stdout


def heartbeat(root: Path) -> Tick:
    """Run the heartbeat once."""
    said: list[str] = []
    taken = timed(lambda: said.append(engram(root, "heartbeat", "run", "--json")))
    return Tick(taken, json.loads(said[0])["phases"])


def settle(root: Path) -> None:
    """Run until a tick leaves the files as they are."""
    for _ in range(5):
        before = stamps(root)
        engram(root, "heartbeat", "run")
        if stamps(root) == before:
            return
    print("warning: no tick of five was quiet")


def stamps(root: Path) -> dict[str, int]:
    """Return when each file was written, but for the words of locks."""
    files = (file for file in root.rglob("*") if file.is_file() and "locks" not in file.parts)
    return {str(file): file.stat().st_mtime_ns for file in files}


def one_change(root: Path, number: int) -> tuple[Tick, int]:
    """Note something about one entity; return the next tick and how many summaries it rewrote."""
    place = root / "memory" / "main" / "main" / "2026-01-05.md"
    with place.open("a") as note:
        note.write(f"- We decided to move [[projects/name-{2 * number}]] to PostgreSQL {number + 12}\n")
    before = stamps(root / "life")
    tick = heartbeat(root)
    after = stamps(root / "life")
    rewritten = [name for name, at in after.items() if name.endswith("summary.md") and before.get(name) != at]
    settle(root)
    return tick, len(rewritten)


def reading_lines(lines: int, words: Conversations, chance: random.Random) -> Time:
    """Return how long the child of extraction takes to read that many lines of notes, its start-up included."""
    text = note_text(lines, words, chance)
    passages = [
        {"id": str(place), "text": entry.text, "headings": list(entry.headings)}
        for place, entry in enumerate(split_note(text.encode()))
    ]
    known = [{"path": f"people/name-{number}", "names": [f"Name {number}"]} for number in range(500)]
    question: dict[str, Any] = {
        "passages": passages,
        "entities": known,
        "owner": "",
        "min_mentions": 3,
        "background": [],
    }
    given = json.dumps(question)
    command = built_in_command(EXTRACTION, MEMORY_MB)
    ended: list[subprocess.CompletedProcess[str]] = []
    taken = timed(lambda: ended.append(run_child(command, given)))
    if ended[0].returncode:
        sys.exit(f"the child left with {ended[0].returncode}: {ended[0].stdout[-500:]}")
    return taken


def run_child(command: list[str], given: str) -> subprocess.CompletedProcess[str]:
    """Run a child to its end."""
    environment = child_environment()
    return subprocess.run(command, input=given, capture_output=True, text=True, env=environment, check=False)


def median(action: Callable[[], Any], rounds: int = ROUNDS) -> Time:
    """Return the medians of what an action takes."""
    taken = [timed(action) for _ in range(rounds)]
    return Time(statistics.median(one.wall for one in taken), statistics.median(one.cpu for one in taken))


def timed(action: Callable[[], Any]) -> Time:
    """Return what an action takes."""
    begin, used = time.perf_counter(), processor_seconds()
    action()
    return Time(time.perf_counter() - begin, processor_seconds() - used)


def processor_seconds() -> float:
    """Return the processor time of this process and of all that it waited for."""
    uses = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(use.ru_utime + use.ru_stime for use in uses)


if __name__ == "__main__":
    main()
