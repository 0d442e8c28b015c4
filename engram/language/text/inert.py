"""Lines of notes that state nothing: what is still to be filled in, what is done, and what is struck out.

A *template* is what stands in a file before anybody has written into it: a label without a value, a placeholder, an
instruction to the writer that is set in italics by itself or beside a label.
"""

import re
from functools import cache
from typing import Final

from engram.language.matching.patterns import joined
from engram.language.matching.prefilter import compiled
from engram.language.text.markdown_notes import strip_markdown

_KIND: Final = "sentences"
DONE: Final = "done"
STRUCK: Final = "struck out"
TEMPLATE: Final = "a template"
EMPTY: Final = "no words"

_DONE = re.compile(r"[\s>]*(?:(?:[-*+•‣]|\d{1,3}[.)])\s+)?\[[xX✓✔]\](?:\s|$)")
_STRUCK = re.compile(r"~~(?=\S)(?:(?!~~).)+~~", re.DOTALL)
_MARKER = re.compile(r"[\s>]*(?:(?:[-*+•‣]|\d{1,3}[.)])\s+)?(?:\[ \]\s+)?")
_LABEL = re.compile(r"(?:\*\*|__)[^*_\n]{1,60}?(?:(?:\*\*|__)\s*[:：]|[:：]\s*(?:\*\*|__))\s*")
_PLAIN_LABEL = re.compile(r"[^\W\d_][^:：.!?\n]{0,40}[:：](?:\s+|$)")
_ITALICS = re.compile(r"(?P<mark>[_*])(?![_*\s])(?:(?!(?P=mark)).)+(?P=mark)", re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_QUOTES = ('"', "'", "“", "‘", "«", "„", "「")


def without_struck(text: str) -> str:
    """Return a text without what is struck out in it."""
    return _STRUCK.sub("", text)


def why_inert(text: str) -> str:
    """Return why an entry of a note states nothing (done, struck out, a template, no words); "" when it does."""
    if _DONE.match(text):
        return DONE
    left = without_struck(text)
    if not any(map(str.isalnum, left)):
        return STRUCK if left != text else EMPTY
    said = left[_found_end(_MARKER, left) :].strip()
    value = said[_found_end(_LABEL, said) or _found_end(_PLAIN_LABEL, said) :].strip()
    is_labelled = value != said
    if compiled(_slot()).search(_CODE.sub("`", said)) or compiled(_placeholder()).fullmatch(value):
        return TEMPLATE
    if compiled(_nothing()).fullmatch(value) and (is_labelled or not strip_markdown(value)):
        return TEMPLATE
    italics = _ITALICS.fullmatch(value)
    return TEMPLATE if italics and (is_labelled or _is_prompt(value)) else ""


def _is_prompt(italics: str) -> bool:
    """Tell whether a text in italics speaks to who is to write: it asks, or stands in brackets, or says two things."""
    inner = italics.strip("_*").strip()
    is_bracketed = inner.startswith(("(", "（")) and inner.endswith((")", "）"))
    return inner.endswith(("?", "？")) or is_bracketed or (". " in inner and not inner.startswith(_QUOTES))


def _found_end(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.match(text)
    return found.end() if found else 0


@cache
def _nothing() -> str:
    """Return the expression of what stands where nothing was filled in."""
    return rf"[\s\-–—.?/…_*()]*|(?i:\W*(?:{joined(_KIND, 'empty')})\W*)"


@cache
def _slot() -> str:
    """Return the expression of what waits to be filled in, anywhere in a line."""
    return rf"(?i:\{{\{{.*?\}}\}}|{joined(_KIND, 'slot')})"


@cache
def _placeholder() -> str:
    return rf"(?i:<[^<>\n]{{1,60}}>|\[(?:{joined(_KIND, 'placeholder')})\b[^\]\n]*\]|YYYY-MM-DD)"
