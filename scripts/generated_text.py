"""Generated conversations for benchmarks of speed: frequent words few, short turns many, long replies some.

Nothing is measured on these but time, memory and space: what a question should find is decided on real text only.
"""

import datetime as dt
import hashlib
import itertools
import json
import random
import time
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path
from typing import Any

DIMENSIONS = 384  # of the usual small multilingual models
WORDS = 50_000  # of the vocabulary
SHIFT = 50  # the n-th word comes as often as 1/(n + 50): Zipf's law for what is left without stop words
TURNS_PER_SESSION = 25
REPLY_SHARE = 0.3  # of turns that are long replies
START_AT = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
# Latin letters only: a Russian word that no dictionary knows is guessed at, which takes longer than any real word does.
_SYLLABLES = ["ka", "re", "mi", "to", "lu", "ven", "sor", "da", "pel", "nim", "gra", "sti", "bo", "ke", "ran"]
_SEED = 7


class Conversations:
    """Turns by number: the same number always gives the same turn."""

    def __init__(self) -> None:
        """Make the vocabulary."""
        chance = random.Random(_SEED)
        made = ("".join(chance.choices(_SYLLABLES, k=chance.randint(2, 5))) for _ in range(8 * WORDS))
        self._words = list(dict.fromkeys(made))[:WORDS]
        self._weights = list(itertools.accumulate(1 / (SHIFT + place) for place in range(1, WORDS + 1)))

    def text(self, number: int) -> str:
        """Return a turn's text: 4 to 40 words, or 80 to 240 in a reply."""
        chance = random.Random(number)
        count = chance.randint(80, 240) if chance.random() < REPLY_SHARE else chance.randint(4, 40)
        return " ".join(chance.choices(self._words, cum_weights=self._weights, k=count))

    def question(self, number: int) -> str:
        """Return a question: four to eight words of some turn, frequent ones among them."""
        chance = random.Random(-number - 1)
        said = self.text(chance.randrange(10_000)).split()
        return " ".join(chance.sample(said, k=min(len(said), chance.randint(4, 8))))

    def lines(self, numbers: Sequence[int]) -> Iterator[str]:
        """Yield turns as lines for `engram capture`."""
        for number in numbers:
            row: dict[str, Any] = {
                "id": f"m{number}",
                "session": f"chat-{number // TURNS_PER_SESSION}",
                "speaker": "assistant" if number % 2 else "Anna",
                "at": (START_AT + dt.timedelta(seconds=30 * number)).isoformat(),
                "text": self.text(number),
            }
            yield json.dumps(row, ensure_ascii=False) + "\n"

    def write(self, file: Path, numbers: Sequence[int]) -> Path:
        """Write turns to a file and return it."""
        with file.open("w", encoding="utf-8") as out:
            out.writelines(self.lines(numbers))
        return file


class RandomEmbedder:
    """`ports.index.Embedder` that costs nothing: a random direction per text, the same for the same text."""

    name = "random directions"
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        """Make the table that directions are mixed from; needs numpy."""
        import numpy as np  # noqa: PLC0415 - comes with the embedding models, which a benchmark may lack

        self._table = np.random.default_rng(_SEED).standard_normal((4096, DIMENSIONS), dtype=np.float32)
        self._norm = np.linalg.norm

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a unit vector per text."""
        return [self.embed_query(text) for text in texts]

    def embed_within(
        self, texts: Sequence[str], budget_s: float | None, clock: Callable[[], float] = time.monotonic
    ) -> list[list[float] | None]:
        """Return a unit vector per text, however little time there is."""
        del budget_s, clock
        return [self.embed_query(text) for text in texts]

    def closeness(self, question: str, cosine: float) -> float:
        """Return the cosine: random directions are unrelated at 0."""
        del question
        return cosine

    def embed_query(self, text: str) -> list[float]:
        """Return the unit vector of a text: the sum of four rows that its hash names."""
        digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
        rows = [int.from_bytes(digest[place : place + 2]) % 4096 for place in range(0, 8, 2)]
        mixed = self._table[rows].sum(axis=0)
        vector: list[float] = (mixed / self._norm(mixed)).tolist()
        return vector


def quantile(taken: Sequence[float], share: float) -> float:
    """Return the value that this share of the values does not exceed."""
    ordered = sorted(taken)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
