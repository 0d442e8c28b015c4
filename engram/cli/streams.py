"""The standard streams of a command: their encoding, and what becomes of them when the reader goes. Light."""

import os
import sys


def speak_utf8() -> None:
    """Write UTF-8 whatever the locale says; what no text can hold is written as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def silence_stdout() -> None:
    """Send what follows nowhere: the reader has gone, and the interpreter would complain when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
