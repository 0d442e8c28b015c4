"""The standard streams of a command: their encoding, and what becomes of them when the reader goes. Light."""

import os
import re
import sys
from collections.abc import Callable
from types import ModuleType

from engram.base.text import without_control
from engram.errors import EngramError

_ESCAPE = "\x1b"  # begins whatever a terminal takes for more than a sign
_STYLE = "(\x1b\\[(?:[0-3]|[39][0-7])m)"  # what `click.style` and tables write: dim, bold, italic and colours


def speak_utf8() -> None:
    """Write UTF-8 whatever the locale says; what no text can hold is written as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def open_missing() -> None:
    """Open a standard stream that the caller closed, so that no file of ours gets its number, and words into it."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False))


def silence_stdout() -> None:
    """Send what follows nowhere: the reader has gone, and the interpreter would complain when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def without_orders(words: str, *, styled: bool) -> str:
    """Return words that a terminal shows and does nothing else with, whoever wrote what is quoted in them.

    What makes words dim, bold or coloured stays where the answer is `styled`.
    """
    if words.isprintable():
        return words
    if not styled:
        return without_control(words)
    parts = re.split(_STYLE, words)  # every second part is a style
    return "".join(part if place % 2 else without_control(part) for place, part in enumerate(parts))


def print_answer(words: str) -> None:
    """Print an answer. Raises EngramError when it cannot be written: what was asked is done all the same."""
    _written(lambda: _print(words, to_stderr=False))


def print_piece(words: str) -> None:
    """Print a piece of an answer, which goes on in the same line; raises like `print_answer`."""
    _written(lambda: sys.stdout.write(words))


def _written(write: Callable[[], object]) -> None:
    try:
        write()
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise EngramError(
            f"the answer could not be written: {problem.strerror}",
            hint="what was asked is done; make room and ask again",
        ) from problem


def print_aside(words: str) -> None:
    """Print words for people that are not the answer: to standard error."""
    _print(words, to_stderr=True)


def _print(words: str, *, to_stderr: bool) -> None:
    if _ESCAPE in words:  # styles go where nobody looks on
        import click  # noqa: PLC0415 - most answers have no style, and a hook does without

        click.echo(words, err=to_stderr)
        return
    stream = sys.stderr if to_stderr else sys.stdout
    stream.write(f"{words}\n")
    stream.flush()


def line_breaks() -> ModuleType:
    """Return `cli.terminal.line_breaks`, for a terminal that a person reads."""
    from engram.cli.terminal import line_breaks as loaded  # noqa: PLC0415 - it loads a part of rich

    return loaded
