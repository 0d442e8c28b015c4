"""What the first heartbeat over a long past costs: scripts/bench first-heartbeat [--entries N] [--model auto|none].

Notes are made from real ones (or from generated text where those are not at hand): repeated with other dates, numbers
and words until there are as many entries as asked for. Ticks run as whole processes, as cron calls them, the first and
those that make the vectors it left; beside the time that passed stands the time of the processor, and the largest
memory of any process.
"""

import argparse
import datetime as dt
import os
import random
import re
import resource
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from typing import NamedTuple

from generated_text import Conversations
from processes import run_engram

from engram.base.clock import utc_now
from engram.language.text.markdown_notes import split_note
from engram.operations.setup import make_workspace
from engram.store.embedding.choice import PROVIDER_VARIABLE

NOTES = Path(__file__).resolve().parents[2] / "shared" / "data" / "daily_notes.tar.gz"
ENTRIES = 28_000
CHANGED_SHARE = 0.3  # of the longer words of a repetition
PERIOD = dt.timedelta(days=120)  # between two repetitions, more than the notes span
_FOLDERS = "__"  # stands for the slash in the names of the archive
_ISO = re.compile(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)")
_WORD = re.compile(r"[^\W\d_]{4,}")
_NUMBER = re.compile(r"(?<![\w.-])\d{2,4}(?![\w-])")
_LINES = 60  # of a generated note


class Note(NamedTuple):
    """One note to be written."""

    path: str  # below memory/
    text: str


class Tick(NamedTuple):
    """What one heartbeat took, with all processes that it started and waited for."""

    wall: float  # seconds that passed
    cpu: float  # seconds of the processor
    answer: dict[str, Any]

    def phase(self, name: str) -> dict[str, Any]:
        """Return what is told of a phase."""
        found: dict[str, Any] = next(one for one in self.answer["phases"] if one["phase"] == name)
        return found


def main() -> None:
    """Make the notes, run the ticks, print the figures."""
    options = read_options()
    with tempfile.TemporaryDirectory(prefix="engram-first-", dir=options.place) as scratch:
        measure(options.folder or Path(scratch) / "workspace", options)


def read_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="scripts/bench first-heartbeat", description=__doc__)
    parser.add_argument("--entries", type=int, default=ENTRIES, help="of notes, about")
    parser.add_argument("--model", default="auto", help="provider of embeddings; none measures words only")
    parser.add_argument("--ticks", type=int, default=2, help="how many to run")
    parser.add_argument("--notes", type=Path, default=NOTES, help="archive of real notes")
    parser.add_argument("--place", type=Path, help="where the temporary folder is made; it is removed in the end")
    parser.add_argument("--folder", type=Path, help="a folder that becomes the workspace; it is kept")
    return parser.parse_args()


def measure(root: Path, options: argparse.Namespace) -> None:
    """Make a workspace, and run ticks in it."""
    os.environ[PROVIDER_VARIABLE] = options.model
    make_workspace(root, {}, now=utc_now, force=False, dry_run=False)
    files, entries = write_notes(root / "memory", options)
    kind = (
        "real ones"
        if options.notes.is_file()
        else "generated, as there are no real ones: figures of both do not compare"
    )
    row("notes", f"{files} with {entries} entries", kind)
    for number in range(options.ticks):
        before = vectors(root)
        tick = heartbeat(root)
        made = vectors(root) - before
        row(f"tick {number + 1}", f"{tick.wall:.1f} s, {tick.cpu:.1f} s of the processor")
        for phase in tick.answer["phases"]:
            row(f"  {phase['phase']}", f"{phase['duration_s']:.1f} s", phase["summary"][:100])
        if not number:
            row("  entries a second", f"{entries / tick.wall:.0f}, {entries / tick.cpu:.0f} of the processor")
            row("  extraction", f"{entries / tick.phase('extraction')['duration_s']:.0f} entries/s")
        row("  vectors made", f"{made}, {made / tick.wall:.0f} a second of the tick")
    row("largest process", f"{resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10} MiB")


def write_notes(memory: Path, options: argparse.Namespace) -> tuple[int, int]:
    """Write notes until they have as many entries as asked for; return how many of both there are."""
    files = entries = 0
    for note in repeated(real_notes(options.notes) if options.notes.is_file() else generated_notes()):
        if entries >= options.entries:
            break
        path = memory / note.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(note.text, encoding="utf-8")
        files, entries = files + 1, entries + len(split_note(note.text.encode()))
    return files, entries


def real_notes(archive: Path) -> list[Note]:
    """Return the notes of an archive, each below a folder for its agent."""
    notes = []
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            agent, _, name = member.name.removeprefix("./").partition("/")
            stream = tar.extractfile(member) if name.endswith(".md") else None
            if stream is not None:
                path = f"{agent.replace('+', '-')}/{name.replace(_FOLDERS, '-')}"
                notes.append(Note(path, stream.read().decode("utf-8", "replace")))
    return sorted(notes)


def generated_notes() -> list[Note]:
    """Return notes of words that mean nothing, where there are no real ones."""
    words = Conversations()
    first = dt.date(2026, 1, 1)
    return [
        Note(
            f"agent/{first + dt.timedelta(days=day)}.md",
            "## Today\n\n" + "\n".join(f"- {words.text(day * _LINES + line)[:120]}" for line in range(_LINES)),
        )
        for day in range(90)
    ]


def repeated(notes: list[Note]) -> Iterator[Note]:
    """Yield the notes as they are, then again and again with earlier dates and some words and numbers changed."""
    yield from notes
    words = sorted({word for note in notes for word in _WORD.findall(note.text)})
    chance = random.Random(13)
    turn = 0
    while True:
        turn += 1
        for note in notes:
            path = _moved(note.path, turn)
            path = path if path != note.path else f"{path.removesuffix('.md')}-{turn}.md"
            yield Note(path, _changed(note.text, turn, words, chance))


def _changed(text: str, turn: int, words: list[str], chance: random.Random) -> str:
    text = _moved(text, turn)
    text = _NUMBER.sub(lambda found: str(chance.randrange(10 ** (len(found[0]) - 1), 10 ** len(found[0]))), text)
    return _WORD.sub(lambda found: chance.choice(words) if chance.random() < CHANGED_SHARE else found[0], text)


def _moved(text: str, turn: int) -> str:
    return _ISO.sub(lambda found: _earlier(found[0], turn), text)


def _earlier(day: str, turn: int) -> str:
    try:
        return (dt.date.fromisoformat(day) - turn * PERIOD).isoformat()
    except ValueError:
        return day


def heartbeat(root: Path) -> Tick:
    """Run one tick as cron would."""
    return Tick(*run_engram("--workspace", str(root), "heartbeat", "run"))


def vectors(root: Path) -> int:
    """Return how many vectors of texts were kept so far."""
    from engram.store.embedding.cache import EmbeddingCache  # noqa: PLC0415 - with what it belongs to

    return EmbeddingCache(root / ".engram" / "cache", most_bytes=0).size()["vectors"]


def row(name: str, figure: str, remark: str = "") -> None:
    """Print one line of the report."""
    print(f"{name:22}{figure:36}{remark}", flush=True)


if __name__ == "__main__":
    main()
