"""Words before and behind a statement that are no part of it: "by the way", "Quick note:", "lol"."""

import functools
import re
from typing import Final

from engram.language.matching.kept_expressions import kept
from engram.language.matching.patterns import joined

_BEHIND: Final = r"(?:\s*[,:，：;—–-]+\s*|\s*[!.！。…]+\s+|(?<=[\u3400-\u9fff])|(?<=[가-힣])\s+)"
_SHORTEST: Final = 8  # bytes that must be left when a lead-in goes: three signs of Chinese or Korean say as much
_MOST: Final = 3  # one after another
_STAMP: Final = kept(
    r"(?P<who>(?:[^\W\d_]\w{0,20}: )?)"
    r"\[(?=[^\]]{0,200}[^\W\d_])[^\[\]]{0,160}\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d\b[^\[\]]{0,40}\]\s*(?=\S)"
)


def without_asides(text: str) -> str:
    """Return a statement without words such as "by the way" before or behind it.

    What is left begins with a capital when something before it has gone.
    """
    found = _behind().search(text)
    if found and len(text[: found.start()].encode()) >= _SHORTEST:
        text = f"{text[: found.start()]}{found['end']}"
    for _ in range(_MOST):
        found = _lead_ins().match(text)
        rest = text[found.end() :] if found else ""
        if not found or len(rest.encode()) < _SHORTEST:
            break
        text = rest[0].upper() + rest[1:]
    return text


def without_stamp(text: str) -> str:
    """Return a message without what its chat put before it: "[Telegram Ida id:4471 +3m 2026-02-05 10:52 GMT+1]"."""
    found = _STAMP.match(text)
    return f"{found['who']}{text[found.end() :]}" if found else text


@functools.cache
def _behind() -> re.Pattern[str]:
    words = joined("lead_ins", "behind")
    return kept(rf"(?:[\s,，(（]{{1,3}}|(?<=[\u3400-\u9fff]))(?:{words})[)）]?(?P<end>[.!。！]?)$", re.IGNORECASE)


@functools.cache
def _lead_ins() -> re.Pattern[str]:
    bare, words = joined("lead_ins", "bare"), joined("lead_ins", "words")
    return kept(rf"\W{{0,3}}(?:(?:{words})(?: (?:{words}))?{_BEHIND}|(?:{bare})\s+)", re.IGNORECASE)
