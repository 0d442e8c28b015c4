"""Expressions that take a millisecond or more to compile, kept compiled as Python keeps its sources. Light.

A process of a hook lives for a tenth of a second, and spent a sixth of it on compiling the words of all languages that
may begin a statement. What `re` makes of an expression lies in `__pycache__` beside the patterns, under the rules of
`table_files`, and goes to the engine of `re`, which checks it once more. Another Python, another Engram or a changed
expression compiles it again; so does a Python that has no such engine.
"""

import binascii
import re
import sys
from typing import Any

import engram
from engram.base.disk.table_files import read_kept
from engram.language import PATTERNS


def kept(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return what `re.compile` does, at the cost of reading a small file: for what takes a millisecond to compile.

    Only for what the package says: what is kept lies outside of every memory, and nothing of one may stand there.
    """
    try:
        from re import _compiler  # type: ignore[attr-defined]  # noqa: PLC0415 - another Python may have none

        stamp = (engram.__version__, sys.version, _compiler.MAGIC, source, int(flags))
        place = (
            f"{PATTERNS}expression-{binascii.crc32(f'{int(flags)} {source}'.encode('utf-8', 'surrogatepass')):08x}.py"
        )
        parts = read_kept(place, stamp, lambda: _compiled_parts(_compiler, source, int(flags)))
        found: re.Pattern[str] = _compiler._sre.compile(source, *parts)
    except (ImportError, AttributeError, TypeError, ValueError, RuntimeError, OverflowError):
        return re.compile(source, flags)
    return found


def _compiled_parts(compiler: Any, source: str, flags: int) -> tuple[Any, ...]:
    """Return what `re` hands to its engine behind the source: flags, code, and the groups with their names."""
    parsed = compiler._parser.parse(source, flags)
    state = parsed.state
    names: list[str | None] = [None] * state.groups
    for name, number in state.groupdict.items():
        names[number] = name
    code = compiler._code(parsed, flags)
    return int(flags | state.flags), [int(word) for word in code], state.groups - 1, dict(state.groupdict), tuple(names)
