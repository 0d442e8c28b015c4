"""How fast turns are indexed and searched, on generated text: scripts/bench recall [--turns N] [--questions N]."""

import argparse
import datetime as dt
import random
import statistics
import tempfile
import time
from pathlib import Path

from engram.model.conversation import Turn
from engram.ports.index import SearchFilter
from engram.services.indexing import turn_document
from engram.store.edge_index import EdgeVectorIndex

BATCH = 512  # documents given to the index at a time, as catching up does
START_AT = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
SYLLABLES = ("ka", "re", "mi", "to", "lu", "ven", "sor", "da", "pel", "nim", "го", "ра", "ле", "ки")


def make_turns(count: int, chance: random.Random) -> list[Turn]:
    """Return turns of 8 to 30 words from a vocabulary in which few words are frequent, as in real text."""
    words = ["".join(chance.choices(SYLLABLES, k=3)) for _ in range(5000)]
    weights = [1 / place for place in range(1, len(words) + 1)]
    return [
        Turn(
            id=f"turn/{number}",
            session=f"session-{number % 50}",
            speaker="Anna",
            at=START_AT + dt.timedelta(minutes=number),
            text=" ".join(chance.choices(words, weights, k=chance.randint(8, 30))),
            ordinal=number,
        )
        for number in range(count)
    ]


def main() -> None:
    """Print turns indexed a second, and milliseconds a search."""
    parser = argparse.ArgumentParser(prog="scripts/bench recall", description=__doc__)
    parser.add_argument("--turns", type=int, default=20_000)
    parser.add_argument("--questions", type=int, default=200)
    options = parser.parse_args()
    chance = random.Random(7)
    turns = make_turns(options.turns, chance)
    with tempfile.TemporaryDirectory() as folder, EdgeVectorIndex(Path(folder), None) as index:
        started = time.perf_counter()
        for first in range(0, len(turns), BATCH):
            index.upsert([turn_document(turn) for turn in turns[first : first + BATCH]])
        index.advance(1)
        print(f"indexed {len(turns)} turns, {len(turns) / (time.perf_counter() - started):.0f} a second, words only")
        taken = []
        for _ in range(options.questions):
            question = " ".join(chance.sample(chance.choice(turns).text.split(), k=5))
            started = time.perf_counter()
            index.search(question, SearchFilter(), limit=200)
            taken.append((time.perf_counter() - started) * 1000)
    print(f"search, 200 candidates: median {statistics.median(taken):.1f} ms, 95 of 100 below {quantile(taken):.1f} ms")


def quantile(taken: list[float]) -> float:
    """Return the value that 95 of 100 stay below."""
    return sorted(taken)[int(len(taken) * 0.95)]


if __name__ == "__main__":
    main()
