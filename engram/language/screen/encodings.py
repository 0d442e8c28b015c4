"""Readings of encoded text: entities, escapes, percent signs, hexadecimal, base64, base32, bits and code numbers."""

import base64
import binascii
import re
from collections.abc import Callable
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from engram.language.matching.prefilter import compiled
from engram.language.text.normal_forms import Reading
from engram.language.text.normal_forms import plain
from engram.language.text.normal_forms import rewritten

_LEAST_TEXT = 0.85  # of the characters of what was decoded, for it to be text


def decoded(base: Reading, words: list[str]) -> Iterator[Reading]:
    """Yield the text with each kind of code that it holds decoded in place; `words` are its own, in lower case."""
    text = base.text
    long = " ".join([run for run in text.split() if len(run) >= _SHORTEST_CODE])
    unbroken = _UNBROKEN if compiled(_UNBROKEN_SIGN).search(long) else ()
    numbered = _NUMBERED if unbroken or len(words) - sum(map(str.isalpha, words)) >= _LEAST_NUMBERS else ()
    for code in (*_MARKED, *unbroken, *numbered):
        reading = None
        if compiled(code.sign).search(long if code in unbroken else text):
            reading = rewritten(base, " (encoded)", code.source, partial(_as_text, code.decode))
        if reading:
            yield reading


def _as_text(decode: Callable[[str], bytes], match: re.Match[str]) -> str | None:
    try:
        words = decode(match.group()).decode("utf-8")
    except (ValueError, OverflowError):  # not of this encoding, or not text
        return None
    known = sum(ch.isprintable() or ch.isspace() for ch in words)
    return plain(words).text if words and known >= _LEAST_TEXT * len(words) else None


def _from_hex(code: str) -> bytes:
    return binascii.unhexlify("".join(compiled(r"[0-9A-Fa-f]{2}").findall(code.replace("0x", ""))))


def _from_base64(code: str) -> bytes:
    first, _, rest = code.partition("\n")
    try:
        return _from_base64_line(code)
    except ValueError:  # what follows may be ordinary lines
        return _from_base64_line(first) + b"\n" + rest.encode("utf-8")


def _from_base64_line(code: str) -> bytes:
    bare = "".join(code.split()).rstrip("=").replace("-", "+").replace("_", "/")
    return base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True)


def _from_base32(code: str) -> bytes:
    return base64.b32decode(code.upper())


def _from_bits(code: str) -> bytes:
    return bytes(int(byte, 2) for byte in compiled("[01]{8}").findall(code))


def _from_numbers(code: str) -> bytes:
    return "".join(chr(int(number)) for number in compiled(r"\d+").findall(code)).encode("utf-8")


def _from_escapes(code: str) -> bytes:
    digits = compiled(r"[0-9A-Fa-f]{2,6}").findall(code.replace("\\x", " ").replace("\\u", " "))
    return "".join(chr(int(number, 16)) for number in digits).encode("utf-8")


def _from_percent(code: str) -> bytes:
    return bytes(int(byte, 16) for byte in code[1:].split("%"))


def _from_entities(code: str) -> bytes:
    from html import unescape  # noqa: PLC0415 - a table of 2,000 names, for few texts

    return unescape(code).encode("utf-8")


_SHORTEST_CODE = 20  # characters of an unbroken code
_LEAST_NUMBERS = 8  # words of a text that is written in numbers
_UNBROKEN_SIGN = "[A-Za-z0-9+/_-]{20}"


class _Code(NamedTuple):
    sign: str  # quickly found, and stands in every code of the kind
    source: str
    decode: Callable[[str], bytes]


_MARKED = (
    _Code("&[#a-zA-Z]", r"(?:&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,8});){1,4000}", _from_entities),
    _Code("%[0-9A-Fa-f]", r"(?:%[0-9A-Fa-f]{2}){1,4000}", _from_percent),
    _Code(r"\\[ux]", r"(?:\\u\{?[0-9a-fA-F]{4,6}\}?|\\x[0-9a-fA-F]{2}){3,4000}", _from_escapes),
    _Code("0x", r"(?:0x[0-9a-fA-F]{2}[ ,;]{1,2}){8,4000}0x[0-9a-fA-F]{2}", _from_hex),
)
_UNBROKEN = (
    _Code(
        _UNBROKEN_SIGN,
        r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/_-]{20,8000}(?:\n[A-Za-z0-9+/_-]{4,8000}){0,40}={0,2}",
        _from_base64,
    ),
    _Code("[A-Za-z2-7]{24}", r"(?<![A-Za-z0-9])[A-Za-z2-7]{24,8000}={0,6}(?![A-Za-z0-9])", _from_base32),
)
_NUMBERED = (
    _Code(  # in UTF-8 at least one half of the first bytes of letters is written as a digit
        "[0-9](?:[ ,:]{0,2}[0-9a-fA-F]){10}",
        r"(?<![0-9A-Za-z])(?:[0-9a-fA-F]{2}[ ,:]{0,2}){12,4000}(?![0-9A-Za-z])",
        _from_hex,
    ),
    _Code("[01]" * 8, r"(?:[01]{8}[\s,]{0,2}){8,2000}", _from_bits),
    _Code(
        r"\d\d[ ,;]{1,2}\d{2,6}[ ,;]{1,2}\d{2,6}[ ,;]{1,2}\d",
        r"(?<!\d)(?:\d{2,6}[ ,;]{1,2}){11,2000}\d{2,6}",
        _from_numbers,
    ),
)
