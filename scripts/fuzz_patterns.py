"""Every expression that Engram compiles, on long texts that almost fit it: time must grow with their length alone."""

import re
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fuzz_targets import TARGETS

from engram.language import PATTERNS

_PIECES = (
    *("a", " ", "a ", "A", "1", "1.", "1 ", "-", "a-", ".", ",", "\n", "\n\n", "- ", "'", '"', "(", "[", "<", "`", "*"),
    *("я", "я ", "가", "中", "http://", "a@", "a.", "2026-", "=", "a=", "/", "_", "\t", "a,", "Anna ", "not ", "I "),
)
_SHORT = 4000
_SUSPECT_S = 0.02  # for a short text; what is linear then takes a third of a second for 60,000 characters


def slow_patterns(longest: int, slow_s: float) -> Iterator[str]:
    """Yield each expression that Engram compiles and that takes longer than so many seconds for so long a text."""
    for pattern in _compiled():
        words = re.findall(r"[^\W\d_]{2,}", pattern.pattern)[:3]
        for piece in (*_PIECES, *words, *(f"{word} " for word in words)):
            if _seconds(pattern, piece, _SHORT) > _SUSPECT_S and (took := _seconds(pattern, piece, longest)) > slow_s:
                yield f"patterns: {took:.1f} s for {longest} characters of {piece!r}: {pattern.pattern[:200]!r}"
                break


def _seconds(pattern: re.Pattern[str], piece: str, length: int) -> float:
    text = (piece * (length // len(piece) + 1))[:length]
    began = time.process_time()
    for _ in pattern.finditer(text):
        pass
    return time.process_time() - began


def _compiled() -> list[re.Pattern[str]]:
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
