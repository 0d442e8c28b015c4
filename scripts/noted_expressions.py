"""The expressions that Engram compiles: noted while it is loaded, and while it reads texts of all languages.

Nothing of Engram is loaded here: whoever wants to know them all notes before that.
"""

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

_PACKAGE = str(Path(__file__).resolve().parent.parent / "engram")
_PATTERNS = Path(_PACKAGE) / "language" / "patterns"
_MOST_EXAMPLES = 30  # of one file that are read
_PIECE = 1000  # characters of the words of a file that are read at once
_MOST_WORDS = 20_000  # characters of them that are read
_found: dict[tuple[str, int], re.Pattern[str]] = {}
_compile = re.compile


def note_expressions() -> None:
    """Note every expression that is compiled from now on: before what is to be noted is loaded."""
    re.compile = _noting  # type: ignore[assignment]
    from engram.language.matching import kept_expressions  # noqa: PLC0415 - what it loads is noted, too

    kept_expressions.kept = _noting  # which hands what it has kept to the engine of `re` itself


def _noting(source: Any, flags: int = 0) -> Any:
    pattern = _compile(source, flags)
    is_ours = _PACKAGE in sys._getframe(1).f_code.co_filename
    if is_ours and isinstance(pattern.pattern, str):
        _found[pattern.pattern, pattern.flags] = pattern
    return pattern


def compiled() -> list[re.Pattern[str]]:
    """Return every expression that was compiled, also while texts of all languages were read."""
    note_expressions()
    from fuzz_readers import READERS  # noqa: PLC0415 - what it loads is noted, too

    readers = [read for _, read in READERS.values()]
    for file in sorted(Path(_PATTERNS).rglob("*.toml")):
        data = file.read_text(encoding="utf-8")
        text = " ".join(re.findall(r"[^\W\d_]{2,}", str(tomllib.loads(data))))
        examples = re.findall(r"^# [+-] (.+)", data, re.MULTILINE)[:_MOST_EXAMPLES]
        for said in (*examples, *(text[at : at + _PIECE] for at in range(0, min(len(text), _MOST_WORDS), _PIECE))):
            for read in readers:
                read(said)
    re.compile = _compile
    return list(_found.values())
