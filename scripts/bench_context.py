"""Measure the start block: of the statements that have to be known, how many stand in it, and what it costs.

scripts/bench context [--data DIR] [--tokens N] [--workspaces DIR] [--model] [--missed]

DIR holds `learn` and `measure`, texts in which careful readers marked what a memory should keep. For every author of
notes and for every conversation a workspace is made as by a newcomer, with one heartbeat, and the block is asked for on
the day after, in the folder of the conversation when it has one. Counted are the *must* statements that are
instructions, preferences, decisions or commitments: how many were kept, and of those how many stand in the block.
With --workspaces the workspaces are kept there, and a second run only asks for the blocks.
"""

import argparse
import datetime as dt
import json
import os
import shlex
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from typing import NamedTuple

from evaluation import DATA
from evaluation import Row
from evaluation import read_rows
from evaluation import share
from extraction_runs import load_scorer

ROOT = Path(__file__).resolve().parent.parent
ASKED = frozenset({"instruction", "preference", "decision", "commitment"})
GOAL = 0.80  # of what was kept
COVERED = 0.5  # share of common words from which a fact says a statement, as the scorer of extraction has it
ANY_DAY = "2026-03-02"  # of texts without a date


class Text(NamedTuple):
    """What one workspace is made of."""

    kind: str  # notes, or the set of a conversation
    name: str
    rows: list[Row]  # notes of one author, or one conversation


class Outcome(NamedTuple):
    """What became of the statements of one workspace."""

    kind: str
    counts: Counter[str]  # must, kept, shown
    tokens: int  # of the block
    missed: list[str]  # kept, and not shown


class Bench:
    """Makes workspaces and asks them."""

    def __init__(self, scorer: Any, place: Path, program: Path, tokens: int) -> None:
        """Take where workspaces lie, what runs, and how much a block may have."""
        self._scorer = scorer
        self._place = place
        self._program = str(program)
        self._tokens = tokens

    def measure(self, text: Text) -> Outcome:
        """Return what becomes of one text."""
        folder = self._place / self._scorer.slug(f"{text.kind}-{text.name}")
        if not (folder / "done").exists():
            shutil.rmtree(folder, ignore_errors=True)
            self._make(text, folder)
            (folder / "done").touch()
        facts = self._scorer.stored(self._program, folder)
        where = text.rows[0].get("cwd")
        options = ["--budget", str(self._tokens), "--json", *(["--project", where] if where else [])]
        block = json.loads(self._run(folder, "context", *options, "--now", _day_after(text)))
        counts: Counter[str] = Counter()
        missed = []
        for row in text.rows:
            for one in row["facts"]:
                if one["level"] == "must" and ASKED.intersection(one["category"][:1]):
                    covering = [fact for fact in facts if self._says(fact, one["quote"])]
                    shown = any(f"{fact['id']}," in block["text"] for fact in covering)
                    counts.update(must=1, kept=bool(covering), shown=shown)
                    missed += [f"{text.name}: {one['category'][0]}: {one['quote']}"] if covering and not shown else []
        return Outcome(text.kind, counts, block["tokens"], missed)

    def _make(self, text: Text, folder: Path) -> None:
        folder.mkdir(parents=True)
        now = ["--now", _day_after(text)]
        self._run(folder, "init", str(folder), *now)
        if text.kind == "notes":
            for row in text.rows:
                stem = Path(row["file"]).stem.rpartition("memory__")[2]
                note = folder / "memory" / self._scorer.slug(text.name.rpartition("+")[2]) / "main" / f"{stem}.md"
                note.parent.mkdir(parents=True, exist_ok=True)
                note.write_text(row["text"], encoding="utf-8")
        else:
            self._capture(text.rows[0], folder, now)
        self._run(folder, "heartbeat", "run", *now)

    def _capture(self, row: Row, folder: Path, now: list[str]) -> None:
        file = folder / "conversation.jsonl"
        if row.get("cwd"):
            self._scorer.transcript(row, file)
            self._run(folder, "capture", str(file), *now)
            return
        turns = [
            {
                "session": self._scorer.slug(row["id"]),
                "speaker": turn["speaker"],
                "at": row.get("date"),
                "text": turn["text"],
            }
            for turn in row["turns"]
        ]
        file.write_text("".join(json.dumps(turn, ensure_ascii=False) + "\n" for turn in turns), encoding="utf-8")
        self._run(folder, "capture", str(file), "--format", "jsonl", *now)

    def _says(self, fact: dict[str, Any], quote: str) -> bool:
        return bool(self._scorer.overlap(fact["text"], quote) >= COVERED)

    def _run(self, folder: Path, *arguments: str) -> str:
        return str(self._scorer.run(self._program, folder, *arguments))


def _day_after(text: Text) -> str:
    days = [str(row.get("date") or ANY_DAY)[:10] for row in text.rows]
    return f"{dt.date.fromisoformat(max(days)) + dt.timedelta(days=1)}T09:00:00Z"


def _texts(data: Path) -> Iterator[Text]:
    for part in ("learn", "measure"):
        by_author: dict[str, list[Row]] = {}
        for row in read_rows(data / part, "notes"):
            by_author.setdefault(row["agent"], []).append(row)
        yield from (Text("notes", author, rows) for author, rows in by_author.items())
        yield from (Text(row["set"], row["id"], [row]) for row in read_rows(data / part, "conversations"))


def _program(folder: Path, *, has_model: bool) -> Path:
    program = folder / "engram"
    lines = ["#!/bin/sh", f"export PYTHONPATH={shlex.quote(str(ROOT))}"]
    lines += [] if has_model else ["export ENGRAM_EMBEDDINGS=none"]
    program.write_text("\n".join([*lines, f'exec {shlex.quote(sys.executable)} -m engram "$@"', ""]), encoding="utf-8")
    program.chmod(0o755)
    return program


def print_table(outcomes: list[Outcome]) -> None:
    """Print what was asked, kept and shown, by kind of text, and what blocks cost."""
    print(f"{'':14}{'texts':>6} {'must':>6} {'kept':>6} {'shown':>6} {'asked':>6} {'now':>6} {'tokens':>7} {'most':>6}")
    for kind in (*sorted({one.kind for one in outcomes}), "ALL"):
        some = [one for one in outcomes if kind in {one.kind, "ALL"}]
        total: Counter[str] = sum((one.counts for one in some), Counter())
        tokens = [one.tokens for one in some]
        print(
            f"{kind:14}{len(some):6} {total['must']:6} {total['kept']:6} {total['shown']:6} {GOAL:6.2f} "
            f"{share(total['shown'], total['kept']):>6} {sum(tokens) // len(tokens):7} {max(tokens):6}"
        )


def main() -> None:
    """Make the workspaces, ask for the blocks, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA / "extraction")
    parser.add_argument("--tokens", type=int, default=2000, help="of a block")
    parser.add_argument("--workspaces", type=Path, help="folder in which they are kept")
    parser.add_argument("--model", action="store_true", help="with the embedding model that is here")
    parser.add_argument("--missed", action="store_true", help="list what was kept and does not stand in a block")
    parser.add_argument("--only", help="kinds of texts, such as notes,locomo")
    parser.add_argument("--scorer", type=Path, help="extraction.py, else ../../bench/extraction.py from the data")
    parser.add_argument("--workers", type=int, default=min(2, os.cpu_count() or 1), help="workspaces at a time")
    options = parser.parse_args()
    data: Path = options.data.resolve()
    if not (data / "learn").is_dir():
        sys.exit(f"{data} has no folder learn (--data names another)")
    scorer = load_scorer(options.scorer or data.parent.parent / "bench" / "extraction.py")
    texts = [text for text in _texts(data) if not options.only or text.kind in options.only.split(",")]
    with tempfile.TemporaryDirectory(prefix="bench-context-") as scratch:
        place: Path = (options.workspaces or Path(scratch) / "workspaces").resolve()
        place.mkdir(parents=True, exist_ok=True)
        bench = Bench(scorer, place, _program(Path(scratch), has_model=options.model), options.tokens)
        with ThreadPoolExecutor(options.workers) as pool:
            outcomes = list(pool.map(bench.measure, texts))
    print_table(outcomes)
    if options.missed:
        print("\n".join(line for one in outcomes for line in one.missed))


if __name__ == "__main__":
    main()
