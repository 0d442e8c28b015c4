"""The statements of a text as they were said: a short one that leads to the next is said with it."""

from functools import lru_cache

from engram.base.text import clean_statement
from engram.language.compare.corrections.corrections import MAX_CHARS
from engram.language.compare.corrections.corrections import read_correction
from engram.language.text.markdown_notes import strip_markdown
from engram.language.text.statements import BULLET
from engram.language.text.statements import SENTENCE
from engram.language.text.statements import Statement
from engram.language.text.statements import split_statements

_SAID = frozenset({SENTENCE, BULLET})
_LONGEST_LEAD = 30  # characters of a sentence that only leads to the next one: "No, wait."


@lru_cache(maxsize=8192)  # asked for each text of a batch, and again for each fact of it
def spoken_statements(text: str) -> tuple[tuple[Statement, str], ...]:
    """Return the statements of a text, each as it was said; a short one that leads to the next is said with it."""
    spoken: list[tuple[Statement, str]] = []
    lead = ""
    for statement in split_statements(text):
        if statement.kind not in _SAID or len(statement.text) > MAX_CHARS:
            lead = ""
            continue
        plain = clean_statement(" ".join(strip_markdown(line) for line in statement.text.splitlines()))
        words = f"{lead} {plain}" if lead else plain
        led = read_correction(words) if lead else None
        spoken.append((statement, words if led is not None and led.is_meant else plain))
        lead = plain if len(plain) <= _LONGEST_LEAD else ""
    return tuple(spoken)
