"""What the first minute of somebody new takes: scripts/bench setup [--megabytes N] [--model auto|none].

Transcripts of Claude Code and Codex are made in a fresh home, `engram setup --yes` runs as a whole process, and then
the session start in one of the projects. Printed are seconds, of the clock and of the processor, and what was learnt;
then the same for the heartbeat that reads what setup had no time for.
"""

import argparse
import os
import tempfile
from pathlib import Path

from processes import Ran
from processes import run_engram

from engram.store.embedding.choice import PROVIDER_VARIABLE
from tests.newcomer.history import folder_of
from tests.newcomer.long_past import write_long_past

MEGABYTES = 100
_MEGABYTE = 1_000_000
_GOAL_S = 60
_PROJECT = "parcels"


def main() -> None:
    """Make the transcripts, set up, print the figures."""
    parser = argparse.ArgumentParser(prog="scripts/bench setup", description=__doc__)
    parser.add_argument("--megabytes", type=int, default=MEGABYTES, help="of transcripts")
    parser.add_argument("--model", default="none", help="provider of embeddings; auto takes what is installed")
    parser.add_argument("--place", type=Path, help="where the temporary home is made; it is removed in the end")
    parser.add_argument("--once", action="store_true", help="leave out the heartbeat that reads the rest")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="engram-setup-", dir=options.place) as scratch:
        measure(Path(scratch).resolve(), options)


def measure(home: Path, options: argparse.Namespace) -> None:
    """Set up a home, and print what that took and what came of it."""
    files = write_long_past(home, options.megabytes * _MEGABYTE)
    size = sum(file.stat().st_size for file in files)
    row("transcripts", f"{len(files)} files, {size / _MEGABYTE:.0f} MB")
    done = engram(home, options.model, home, "setup", "--yes", "--no-schedule", "--owner", "people/mara")
    row("setup", seconds(done), f"goal: {_GOAL_S} s")
    captured = done.out["captured"]
    row("  conversations", f"{captured['files']} of {len(files)}", f"{captured['left']} left to the heartbeat")
    row("  turns", f"{captured['turns']}")
    row("  facts", f"{done.out['facts']}", f"{len(done.out['learnt'])} of them shown")
    show_start(home, options.model)
    if captured["left"] and not options.once:
        rest = engram(home, options.model, home, "heartbeat", "run")
        row("next heartbeat", seconds(rest), rest.out["phases"][0]["summary"])
        show_start(home, options.model)


def show_start(home: Path, model: str) -> None:
    """Print what a session in one of the projects begins with."""
    start = engram(home, model, folder_of(home, _PROJECT), "context")
    lines = [line for line in start.out["text"].splitlines() if line.startswith("| - ")]
    row("  session start", f"{start.wall:.1f} s, {start.out['tokens']} tokens, {len(lines)} facts", _PROJECT)


def engram(home: Path, model: str, folder: Path, *args: str) -> Ran:
    """Run a command as somebody with this home would."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ENGRAM_", "CLAUDE", "CODEX"))}
    environment = {**kept, "HOME": str(home), PROVIDER_VARIABLE: model, "ENGRAM_NO_WARM_START": "1"}
    return run_engram(*args, folder=folder, environment=environment)


def seconds(run: Ran) -> str:
    """Return what a command took."""
    return f"{run.wall:.1f} s, {run.cpu:.1f} s of the processor"


def row(name: str, figure: str, remark: str = "") -> None:
    """Print one line of the report."""
    print(f"{name:18}{figure:44}{remark}", flush=True)


if __name__ == "__main__":
    main()
