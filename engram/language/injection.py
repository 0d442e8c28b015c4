"""Text that tries to give orders to the agent that reads it: found by rules, through disguises and encodings."""

import base64
import binascii
import codecs
import os
import re
import tomllib
import unicodedata
from collections.abc import Callable
from functools import cache
from typing import Any
from typing import NamedTuple

from engram.language.expressions import compiled

_SHORTEST_CODE = 24  # characters of an encoded order
_MOST_CODES = 20  # encoded runs of one text that are looked into
_TAGS = "[\U000e0020-\U000e007f]{3,}"
_OVERRIDES = "[\u202d\u202e]"
_HIDDEN = "[\u200b\u200c\u2060\u2061-\u2064\ufeff]{8,}"
_HEX = r"(?<![0-9A-Za-z])(?:[0-9a-fA-F]{2}){12,4000}(?![0-9A-Za-z])"
_BASE64 = r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/_-]{24,8000}={0,6}"
_SPACED = r"(?<!\w)(?:\w[ ._*-]){5,400}\w(?!\w)"
_BINARY = r"(?:[01]{8}\s?){12,2000}"
_ESCAPED = r"(?:\\u[0-9a-fA-F]{4}){8,2000}"
_LEET = str.maketrans("013457", "oieast")
_LOOKALIKES = str.maketrans("аеорсухіјѕԁһкмтвнАЕОРСУХІЈЅКМТВН", "aeopcyxijsdhkmtbhaeopcyxijskmtbh")
_MOST_READ = 200_000  # characters of one text that are looked at


class Injection(NamedTuple):
    """An order to the agent, and where it stands."""

    start: int  # characters from the beginning of the text
    end: int  # characters, exclusive
    text: str  # the order as it stands in the text
    rule: str  # what gave it away, in words


class _Rule(NamedTuple):
    name: str  # in words, as a predicate
    near: tuple[str, ...]  # one of them stands in every text that can match
    source: str  # the expression; a blank in the file is any run of white space


class _View(NamedTuple):
    text: str  # what the rules see
    places: list[int] | None  # for each character its place in the original; None: the same


def find_injection(text: str) -> Injection | None:
    """Return the first order to the agent that a rule finds, or None.

    Looks through NFKC, invisible characters, letters of another script, spaced-out letters, reversed text and
    hexadecimal, base64, base32 and rot13. Linear in the length of the text.
    """
    text = text[:_MOST_READ]
    hidden = _find_hidden(text)
    if hidden is not None:
        return hidden
    plain = _find_plain(_view(text), text)
    return plain or next((found for find in _DISGUISES if (found := find(text)) is not None), None)


def _find_plain(view: _View, text: str, how: str = "") -> Injection | None:
    for rule in _rules():
        if any(word in view.text for word in rule.near):
            match = compiled(rule.source).search(view.text)
            if match:
                start, last = match.start(), match.end() - 1
                if view.places is not None:
                    start, last = view.places[start], view.places[last]
                return Injection(start, last + 1, text[start : last + 1], rule.name + how)
    return None


@cache
def _rules() -> tuple[_Rule, ...]:
    folder = __file__.removesuffix("injection.py") + "patterns/injection"
    rules = []
    for name in sorted(os.listdir(folder)):  # noqa: PTH208 - hook path: without pathlib
        with open(f"{folder}/{name}", "rb") as file:  # noqa: PTH123 - the same
            rules += [_rule(entry) for entry in tomllib.load(file)["rule"]]
    return tuple(rules)


def _rule(entry: dict[str, Any]) -> _Rule:
    source = compiled(r"\[(?:\\.|[^\]\\])*\]| \?| ").sub(_any_space, entry["pattern"])
    return _Rule(entry["name"], tuple(entry["near"]), source)


def _any_space(match: re.Match[str]) -> str:
    return {" ": r"\s{1,20}", " ?": r"\s{0,20}"}.get(match.group(), match.group())


def _view(text: str) -> _View:
    if text.isascii():
        return _View(text.lower(), None)
    chars: list[str] = []
    places: list[int] = []
    for place, ch in enumerate(text):
        if ch.isascii():
            chars.append(ch.lower())
            places.append(place)
        elif unicodedata.category(ch) != "Cf":
            simple = unicodedata.normalize("NFKC", ch).lower().replace("\u2019", "'").replace("ё", "е")
            chars.append(simple)
            places += [place] * len(simple)
    return _View("".join(chars), places)


# --- disguises: each returns the order in the text, or None ------------------------------------------------------


def _find_hidden(text: str) -> Injection | None:
    if text.isascii():
        return None
    for source, name in ((_TAGS, "hides text in tag characters"), (_OVERRIDES, "turns the direction of text round"),
                         (_HIDDEN, "hides text in invisible characters")):  # fmt: skip
        match = compiled(source).search(text)
        if match:
            return Injection(match.start(), match.end(), match.group(), name)
    return None


def _find_lookalike(text: str) -> Injection | None:
    if text.isascii():
        return None
    view = _view(text)
    return _find_plain(view._replace(text=view.text.translate(_LOOKALIKES)), text, " (letters of another script)")


def _find_spaced(text: str) -> Injection | None:
    for run in compiled(_SPACED).finditer(text):
        order = "".join(ch for ch in run.group() if ch.isalnum()).lower()
        if order.startswith(("ignore", "disregard", "forgetall", "забудь", "игнорир")):
            return Injection(run.start(), run.end(), run.group(), "tells to ignore instructions (spaced out)")
    return None


def _find_reversed(text: str) -> Injection | None:
    return _whole(text, text[::-1], " (reversed)")


def _find_leet(text: str) -> Injection | None:
    return _whole(text, text.translate(_LEET), " (digits for letters)") if any(map(str.isdigit, text)) else None


def _find_rot13(text: str) -> Injection | None:
    return _whole(text, codecs.encode(text, "rot13"), " (in rot13)")


def _find_encoded(text: str) -> Injection | None:
    codes = [match for source in (_HEX, _BASE64, _BINARY, _ESCAPED) for match in compiled(source).finditer(text)][
        :_MOST_CODES
    ]
    for code in codes:
        for decode in (binascii.unhexlify, _from_base64, base64.b32decode, _from_binary, _from_escapes):
            found = _find_decoded(decode, code.group())
            if found:
                return Injection(code.start(), code.end(), code.group(), f"{found.rule} (encoded)")
    return None


def _find_decoded(decode: Callable[[str], bytes], code: str) -> Injection | None:
    try:
        order = decode(code).decode("utf-8")
    except ValueError:  # not of this encoding, or not text
        return None
    return _find_plain(_view(order), order)


def _from_base64(code: str) -> bytes:
    bare = code.rstrip("=").replace("-", "+").replace("_", "/")
    return base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True)


def _from_binary(code: str) -> bytes:
    return bytes(int(byte, 2) for byte in compiled("[01]{8}").findall(code))


def _from_escapes(code: str) -> bytes:
    return "".join(chr(int(digits, 16)) for digits in compiled(r"\\u([0-9a-fA-F]{4})").findall(code)).encode("utf-8")


def _whole(text: str, order: str, how: str) -> Injection | None:
    found = _find_plain(_view(order), order, how)
    return Injection(0, len(text), text, found.rule) if found else None


_DISGUISES = (_find_lookalike, _find_spaced, _find_encoded, _find_reversed, _find_leet, _find_rot13)
