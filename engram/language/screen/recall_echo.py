"""Text that recall gave out and that comes back: known by the fence around it, else by the prints of its statements.

A print stands for one statement or line whatever marks it carries: a bullet, a bar, a quotation, emphasis, the name
of who said it, a citation of the fact behind it, what recall marks a line or a cut with. It is the beginning of a
SHA-256: the words cannot be read off it.
What is too short to be told from what anybody might say has none.
"""

import re
from collections.abc import Mapping
from typing import Final

from engram.base.text import KINDS
from engram.base.text import RECALLED_CLOSING
from engram.base.text import RECALLED_OPENING
from engram.base.text import fingerprint
from engram.base.text import sha256_hex

PRINT_CHARS: Final = 16  # hexadecimal digits of a print: 64 bits, so that a million of them hardly collide
MIN_WEIGHT: Final = 12  # letters and digits of the shortest text with a print; one that is a syllable counts twice
MAX_PRINTS: Final = 64  # of one text: what is longer is a document, and known by its beginning
_READ_CHARS = 4_000  # of one text, for its prints
_WEIGHED_CHARS = 60  # of a statement: what weighs little until then is hardly one

# Every recalled line begins with a bar, so only Engram's own line closes the fence; it may be quoted or indented.
_FENCED = re.compile(
    rf"{re.escape(RECALLED_OPENING)}.*?(?:^[ \t>]*{re.escape(RECALLED_CLOSING)}[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)
_ANSWER = re.compile(r'^[ \t>`]*\{(?:"id": ?[^{}\[\]\n]{0,80}, ?)?"hits": ?\[.*"answer": ?"\w+".*$', re.MULTILINE)
_LEAD = re.compile(r"^[\s>|*+\-•‣·»…]*(?:\d{1,3}[.)]\s+)?(?:\[[ xX]\]\s+)?(?:\[unverified\]\s+)?[\s>|*_`\"'“«]*")
_CUT = re.compile(r"\s+…$")  # where recall left out the rest of a text
_PATHS = "|".join(KINDS)
_CITATION = re.compile(rf"\s*[\[(](?:[\w ]{{1,20}}[:\s]\s?)?(?:{_PATHS})/[^\s\])]{{1,200}}-\d{{1,9}}[\])][\s.;,]*$")
_EMPHASIS = re.compile(r"\*+|`+|(?<!\w)_+|_+(?!\w)")
_SPEAKER = re.compile(r"^[^\s:：][^:：\n]{0,40}[:：]\s+")
# Where statements end, near enough: a piece that nobody would call a statement costs a print that nothing matches.
_SENTENCE_END = re.compile(r"(?<=[.!?…][\"'»”’)\]])\s+|(?<=[.!?…])\s+|(?<=[。！？])")
_FIRST_SYLLABLE = "\u1100"  # from here on a sign stands for a syllable or a word


def blank_recalled(text: str) -> str:
    """Return the text with what stands in Engram's fence, or in an answer in JSON, replaced by as many spaces."""
    for known in (_FENCED, _ANSWER):
        text = known.sub(lambda found: " " * len(found[0]), text)
    return text


def print_of(statement: str) -> str:
    """Return the print of a statement, or an empty string when it is too short to have one."""
    bare = _CITATION.sub("", _EMPHASIS.sub("", _CUT.sub("", _LEAD.sub("", statement))))
    words = fingerprint(bare)
    weight = sum(2 if ch >= _FIRST_SYLLABLE else 1 for ch in words[:_WEIGHED_CHARS] if ch.isalnum())
    return sha256_hex(words)[:PRINT_CHARS] if weight >= MIN_WEIGHT else ""


def prints_of(text: str) -> list[str]:
    """Return the prints of a text's statements and lines, each once, in the order of the text; at most 64."""
    lines = [line for line in text[:_READ_CHARS].splitlines() if line.strip()]
    said = [_SPEAKER.sub("", line, count=1) for line in lines[:1]]
    sentences = [sentence for line in (*lines, *said) for sentence in _SENTENCE_END.split(line)]
    parts = dict.fromkeys((" ".join(lines), *lines, *said, *sentences))
    return list(dict.fromkeys(filter(None, map(print_of, parts))))[:MAX_PRINTS]


class Recalled:
    """The prints of what was given out lately."""

    def __init__(self, prints: Mapping[str, str]) -> None:
        """Take print -> id of the fact, turn, note entry or line that it was given out as."""
        self._prints = prints

    def find(self, text: str) -> str | None:
        """Return the id as which the text was given out, the first one when each of its lines was; else None."""
        if not self._prints:
            return None
        if (found := self._prints.get(print_of(text))) is not None:
            return found
        lines = [line for line in text.splitlines() if line.strip()]
        ids = [self._prints.get(print_of(line)) for line in lines] if len(lines) > 1 else []
        return ids[0] if ids and None not in ids else None
