"""What a question is about, in somebody else's words: the error in "Why do I get 'connection refused on port 5432'?".

Whoever asks about such words does not say them. Found by form: a quotation in a question or right behind one, and the
quoted lines and errors below one.
"""

import functools
import re
from typing import Final

from engram.language.matching.patterns import joined

_BEHIND: Final = 200  # characters behind a quotation in which its sentence ends
_ENDS: Final = re.compile(r"[.!?。！？\n]")
_ENDS_LINE: Final = re.compile(r"[ \t.!]*(?:\n|$)")
_ASKS: Final = ("?", "？")
_LONGEST: Final = 400  # characters of a quotation
_QUOTATION: Final = re.compile(
    rf"\"[^\"\n]{{2,{_LONGEST}}}\"|“[^“”\n]{{2,{_LONGEST}}}”|«[^«»\n]{{2,{_LONGEST}}}»|„[^„“”\n]{{2,{_LONGEST}}}[“”]|"
    rf"「[^「」\n]{{2,{_LONGEST}}}」|(?<![\w'])'(?=\w)[^\n]{{2,{_LONGEST}}}?'(?!\w)|‘[^‘\n]{{2,{_LONGEST}}}?’(?!\w)"
)


def blank_asked_about(text: str) -> str:
    """Return a person's text with what its questions quote replaced by as many spaces."""
    if not any(sign in text for sign in _ASKS):
        return text
    text = _QUOTATION.sub(lambda found: " " * len(found[0]) if _is_asked_about(found) else found[0], text)
    lines, is_below = text.split("\n"), False
    for place, line in enumerate(lines):
        if is_below and _output().match(line):
            lines[place] = " " * len(line)
        elif line.strip():
            is_below = line.rstrip().endswith(_ASKS)
    return "\n".join(lines)


def _is_asked_about(quotation: re.Match[str]) -> bool:
    text = quotation.string
    if text[: quotation.start()].rstrip(" \t\n:").endswith(_ASKS) and _ENDS_LINE.match(text, quotation.end()):
        return True
    ends = _ENDS.search(text, quotation.end(), quotation.end() + _BEHIND)
    return ends is not None and ends[0] in _ASKS


@functools.cache
def _output() -> re.Pattern[str]:
    """Return what begins a quoted line, or one that a program has written of what failed."""
    return re.compile(
        rf"\s{{0,8}}(?:>|[\w.]{{0,60}}(?:Error|Exception)\b|(?i:{joined('machine', 'failure')})\b[^:：\n]{{0,40}}[:：])"
    )
