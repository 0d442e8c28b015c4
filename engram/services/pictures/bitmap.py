"""A drawing as a PNG, if the extra `pictures` is installed."""

import struct
import zlib
from typing import Final

from engram.base.machine.install_hints import install_command
from engram.errors import UsageError
from engram.services.pictures.canvas import MADE_BY

_SCALE: Final = 2  # pixels for each of the drawing, so that it is sharp on any screen
_HEADER: Final = 33  # bytes of a PNG's signature and of its first part


def png_of(svg: bytes) -> bytes:
    """Return the picture of a drawing; raise UsageError without a library that draws it."""
    try:
        import resvg_py  # noqa: PLC0415 - an extra
    except ImportError as problem:
        hint = f"write an .svg, or {install_command('pictures')}"
        raise UsageError("nothing that makes a PNG of a drawing is installed", hint=hint) from problem
    drawn = bytes(resvg_py.svg_to_bytes(svg_string=svg.decode(), zoom=_SCALE))
    return drawn[:_HEADER] + _words(f"Software\0{MADE_BY}".encode()) + drawn[_HEADER:]


def _words(said: bytes) -> bytes:
    """Return a part of a PNG that holds text."""
    part = b"tEXt" + said
    return struct.pack(">I", len(said)) + part + struct.pack(">I", zlib.crc32(part))
