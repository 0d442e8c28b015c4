"""Whatever reads words, on long text behind words that mean something to it: "no longer " and 60,000 letters.

An expression may be slow and harmless, since its code never gives it such a text; here the code decides. The words are
those with which the expressions begin that are compiled while texts of all languages are read.
"""

import random
import time

from fuzz_patterns import BEHIND
from fuzz_patterns import MOST_S
from fuzz_patterns import beginnings
from fuzz_patterns import stopped_after
from fuzz_readers import READERS
from fuzz_targets import SLOW_S
from noted_expressions import compiled


def fuzz_long(seconds: float, chance: random.Random) -> int:
    """Give readers long texts in any order for so long; print what is too slow, and return how many readers are."""
    begun = sorted({one for pattern in compiled() for one in beginnings(pattern)})
    texts = [(words, piece) for words in begun for piece in BEHIND]
    chance.shuffle(texts)
    until, count, slow = time.monotonic() + seconds, 0, dict[str, str]()
    for words, piece in texts:
        if time.monotonic() > until:
            break
        count += 1
        slow |= {name: told for name in READERS.keys() - slow.keys() if (told := slowness_of(name, words, piece))}
    for told in slow.values():
        print(f"  long: {told}", flush=True)
    print(f"long: {count} of {len(texts)} texts, {len(slow)} of {len(READERS)} readers are too slow", flush=True)
    return len(slow)


def slowness_of(name: str, words: str, piece: str) -> str:
    """Return how long a reader takes for long text behind some words; "" when it is fast."""
    length, read = READERS[name]
    text = (words + piece * (length // len(piece)))[:length]
    took = stopped_after(MOST_S, lambda: read(text))
    return f"{name}: {took:.1f} s for {length} characters of {piece!r} behind {words!r}" if took > SLOW_S else ""
