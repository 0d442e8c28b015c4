"""What was compressed by gzip, unpacked up to a bound: a few kilobytes can stand for as many gigabytes."""

import zlib

_GZIP = 16 + zlib.MAX_WBITS  # with gzip's header and checksum


class TooLargeError(ValueError):
    """It is larger unpacked than it may be."""


def unpack(packed: bytes, most_bytes: int) -> bytes:
    """Return what was compressed into one member.

    Raises TooLargeError beyond so many bytes, EOFError when it was cut off, zlib.error when it is damaged.
    """
    engine = zlib.decompressobj(_GZIP)
    data = engine.decompress(packed, most_bytes + 1)
    if len(data) > most_bytes:
        raise TooLargeError(f"it is larger than {most_bytes >> 20} MiB unpacked")
    if not engine.eof:
        raise EOFError("it ends before its end")
    if engine.unused_data:
        raise zlib.error("something stands behind its end")
    return data
