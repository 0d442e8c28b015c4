"""Every expression that Engram compiles, on long texts that almost fit it: time should grow with their length alone.

Each is searched for at all places. One that its code only asks at the beginning of a text, or of a short one, may be
slow here and harmless there: what is printed has to be looked at.
"""

import random
import re
import time
import tomllib
from pathlib import Path
from typing import Any

from fuzz_targets import LONGEST
from fuzz_targets import SLOW_S
from fuzz_targets import TARGETS

from engram.language import PATTERNS

_PIECES = (
    *("a", " ", "a ", "A", "1", "1.", "1 ", "-", "a-", ".", ",", "\n", "\n\n", "- ", "'", '"', "(", "[", "<", "`", "*"),
    *("я", "я ", "가", "中", "http://", "a@", "a.", "2026-", "=", "a=", "/", "_", "\t", "a,", "Anna ", "not ", "I "),
)
_SHORT = 4000
_SUSPECT_S = 0.02  # for a short text; what is linear then takes a third of a second for 60,000 characters


def fuzz_patterns(seconds: float, chance: random.Random) -> int:
    """Time expressions in any order for so long; print those that are too slow, and return how many there are."""
    patterns = compiled()
    chance.shuffle(patterns)
    until, count, found = time.monotonic() + seconds, 0, 0
    for pattern in patterns:
        if time.monotonic() > until:
            break
        count += 1
        if slow := slowness(pattern):
            found += 1
            print(f"  patterns: {slow}", flush=True)
    print(f"patterns: {count} of {len(patterns)} expressions, {found} take longer than {SLOW_S:.0f} s", flush=True)
    return found


def slowness(pattern: re.Pattern[str]) -> str:
    """Return on which text an expression takes too long, and how long; "" when it is fast on all of them."""
    words = re.findall(r"[^\W\d_]{2,}", pattern.pattern)[:3]
    for piece in (*_PIECES, *words, *(f"{word} " for word in words)):
        if _seconds(pattern, piece, _SHORT) > _SUSPECT_S and (took := _seconds(pattern, piece, LONGEST)) > SLOW_S:
            return f"{took:.1f} s for {LONGEST} characters of {piece!r}: {pattern.pattern[:200]!r}"
    return ""


def _seconds(pattern: re.Pattern[str], piece: str, length: int) -> float:
    text = (piece * (length // len(piece) + 1))[:length]
    began = time.process_time()
    for _ in pattern.finditer(text):
        pass
    return time.process_time() - began


def compiled() -> list[re.Pattern[str]]:
    """Return every expression that is compiled while texts of all kinds are read, and that modules keep."""
    found: dict[tuple[str, int], re.Pattern[str]] = {}
    real = re.compile

    def noting(source: Any, flags: int = 0) -> Any:
        pattern = real(source, flags)
        if isinstance(pattern.pattern, str):
            found[pattern.pattern, pattern.flags] = pattern
        return pattern

    re.compile = noting  # type: ignore[assignment]
    try:
        _read_everything()
    finally:
        re.compile = real
    import gc  # noqa: PLC0415 - only here: what modules compiled when they were loaded

    for one in gc.get_objects():
        if isinstance(one, re.Pattern) and isinstance(one.pattern, str):
            found[one.pattern, one.flags] = one
    return list(found.values())


def _read_everything() -> None:
    """Read texts in which all languages have their words."""
    from engram.services.extract.extract import extract  # noqa: F401, PLC0415 - loads what reads statements

    for file in sorted(Path(PATTERNS).rglob("*.toml")):
        data = tomllib.loads(file.read_text(encoding="utf-8"))
        text = " ".join(re.findall(r"[^\W\d_]{2,}", str(data)))[:20_000]
        TARGETS["markdown"]().read(f"{text}\n".encode())
