"""What somebody passes on in a message instead of saying it: quoted, fenced, long, or written for an agent to read.

A person who pastes a page, a log or a mail says none of it. What they type around it is theirs. Light: hooks pass here.
"""

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Final
from typing import NamedTuple

from engram.language.matching.language_files import read_languages
from engram.language.matching.prefilter import compiled

LONG_BLOCK: Final = 1000  # characters between two blank lines from which nobody typed them
LONG_TEXT: Final = 4000  # characters of a message of which only the first and the last block are typed
_LONG_QUOTATION: Final = 120  # characters: longer ones are a text, shorter ones a word or a name

_FENCE: Final = r"(?m)^[ \t]{0,3}(```|~~~)"
_QUOTE_LINES: Final = r"(?m)^[ \t]{0,3}(?:>|\|)[^\n]*(?:\n[ \t]{0,3}(?:>|\|)[^\n]*)*"
_ELEMENT: Final = r"(?m)^[ \t]*<([A-Za-z][\w.-]{0,40})(?:[ \t][^<>\n]{0,300})?>"
_QUOTATION: Final = "|".join(
    f"{first}[^{first}{last}]{{{_LONG_QUOTATION},8000}}[{last}]"
    for first, last in ('""', "“”", "«»", ("„", "“”"), "「」", "『』")
)
_CHANGED_LINES: Final = r"(?m)^[+-][^\n]*(?:\n[+-][^\n]*)+"
_RULES: Final = r"^[ \t]*(?:-{3,}|={3,}|\*{3,}|_{3,}|#{3,}|-+ ?8< ?-+)[^\n]*$"
_LEAD_END: Final = r"[^\n:：]{0,40}[:：][ \t]*$"


class Span(NamedTuple):
    """A stretch of a text."""

    start: int  # characters from its beginning
    end: int  # exclusive


def find_pasted(text: str) -> list[Span]:
    """Return the stretches that were passed on, in order and apart from each other. Linear in the text's length."""
    found = [Span(*match.span()) for source in (_QUOTE_LINES, _QUOTATION) for match in compiled(source).finditer(text)]
    return _joined([*found, *_fenced(text), *_elements(text), *_mails(text), *_diffs(text), *_long_or_addressed(text)])


def is_pasted(text: str, start: int, end: int) -> bool:
    """Tell whether a stretch of a text lies, as a whole or in part, in what was passed on."""
    return any(span.start < end and start < span.end for span in find_pasted(text))


def _fenced(text: str) -> Iterator[Span]:
    """Yield what stands between fences; one that nobody closes reaches to the end."""
    opened: tuple[str, int] | None = None
    for match in compiled(_FENCE).finditer(text):
        if opened is None:
            opened = match[1], match.start()
        elif match[1] == opened[0]:
            yield Span(opened[1], match.end())
            opened = None
    if opened is not None:
        yield Span(opened[1], len(text))


def _elements(text: str) -> Iterator[Span]:
    """Yield the elements that begin a line and are closed."""
    end = 0
    open_for_good: set[str] = set()
    for match in compiled(_ELEMENT).finditer(text):
        if match.start() < end or match[1] in open_for_good:
            continue
        close = text.find(f"</{match[1]}>", match.end())
        if close < 0:
            open_for_good.add(match[1])
            continue
        end = close + len(match[1]) + 3
        yield Span(match.start(), end)


def _mails(text: str) -> Iterator[Span]:
    """Yield what stands from the head of a mail on."""
    line = rf"[ \t]*(?:{_words()['header']})[ \t]?[:：][^\n]*\n"
    if (head := compiled(f"(?m)^{line}{line}").search(text)) is not None:
        yield Span(head.start(), len(text))


def _diffs(text: str) -> Iterator[Span]:
    """Yield lines in a row of which each was added or taken away, and not all of one kind."""
    for match in compiled(_CHANGED_LINES).finditer(text):
        if {"+", "-"} <= {line[:1] for line in match[0].split("\n")}:
            yield Span(*match.span())


def _long_or_addressed(text: str) -> Iterator[Span]:
    """Yield the blocks that nobody typed, or that speak to an agent; and what stands below a rule or a lead."""
    blocks, words = _blocks(text), _words()
    lead = f"(?:{words['lead']}){_LEAD_END}"
    for place, block in enumerate(blocks):
        said = text[block.start : block.end]
        inner = 0 < place < len(blocks) - 1
        if len(said) > LONG_BLOCK or (inner and len(text) > LONG_TEXT) or compiled(words["to_an_agent"]).search(said):
            yield block
    for before, block in pairwise(blocks):
        last_line = text[before.start : before.end].rpartition("\n")[2]
        if compiled(lead).search(last_line):
            yield block
    for match in compiled(f"(?m){lead}").finditer(text):
        end = text.find("\n\n", match.end())
        yield Span(match.end(), len(text) if end < 0 else end)


@cache
def _words() -> dict[str, str]:
    """Return the expressions of all languages in one, by what they find."""
    files = read_languages("pasted").values()
    return {name: "|".join(f"(?:{one[name]})" for one in files) for name in ("lead", "header", "to_an_agent")}


def _blocks(text: str) -> list[Span]:
    """Return what stands between blank lines and lines that divide."""
    breaks = [match.span() for match in compiled(rf"\n[ \t]*(?:\n[ \t]*)+|(?m:{_RULES})").finditer(text)]
    starts = [0, *(end for _, end in breaks)]
    ends = [*(start for start, _ in breaks), len(text)]
    return [Span(start, end) for start, end in zip(starts, ends, strict=True) if text[start:end].strip()]


def _joined(spans: list[Span]) -> list[Span]:
    joined: list[Span] = []
    for span in sorted(spans):
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(span.end, joined[-1].end))
        elif span.end > span.start:
            joined.append(span)
    return joined
