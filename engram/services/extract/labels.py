"""What a line says of itself, or the headings above it do: a lesson, an open question, a task."""

import functools
import re
from typing import Final

from engram.base.text import MAX_FACT_CHARS
from engram.base.text import clean_statement
from engram.language.names.named_by_role import named_by_role
from engram.language.text.lead_ins import without_stamp
from engram.language.text.markdown_notes import strip_markdown
from engram.language.text.markdown_tables import are_columns
from engram.language.text.note_sections import section_category
from engram.language.text.note_sections import takes_promise_back
from engram.services.extract.lines.line import Line

LABEL: Final = re.compile(r"\W{0,4}([^\W\d_][^:：.!?。！？\n]{1,40})[:：](?!//)\s*(?=\S)")
_HANGUL: Final = re.compile("[가-힣]+")
_FEWEST_WORDS: Final = 3  # behind a label: fewer say that there is nothing yet, "none", "see below"


def promised_category(line: Line) -> str:
    """Return the category that a heading in the line itself, or the one above a note's line, promises; "" for none."""
    if line.speaker:
        return ""
    label = LABEL.match(plain(line.text))
    return (section_category((label[1],)) if label else "") or section_category(line.headings)


def is_labelled(line: Line) -> bool:
    """Tell whether a note's line says itself what it is, and then something: "Lesson: never rebase main"."""
    text = plain(line.text)
    label = None if line.speaker else LABEL.match(text)
    if label is None or not section_category((label[1],)):
        return False
    return count_words(text[label.end() :]) >= _FEWEST_WORDS


def says_who_is_what(line: Line) -> bool:
    """Tell whether a person says by the whole name who somebody is: "Karl Bode = my supervisor"; no question does."""
    if line.is_agent or line.text.rstrip().endswith(("?", "？")):
        return False
    return any(named_by_role(line.text).values())


def is_open(line: Line) -> bool:
    """Tell whether a label says that a line is still to be done or decided: "Open question: ..."."""
    label = LABEL.match(plain(line.text))
    return label is not None and takes_promise_back(label[1])


def is_unsettled(line: Line) -> bool:
    """Tell whether a note's line is a task: said to somebody, or below To do, Open questions, Files changed.

    Of what the judge is sure of, readers marked seven lines in ten, but three in ten of those below such a heading and
    four in ten of those that begin with an @name.
    """
    if line.speaker:
        return False
    return line.text.lstrip("*_ ").startswith("@") or any(
        takes_promise_back(one) for one in line.headings if not are_columns(one)
    )


@functools.lru_cache(maxsize=4096)
def plain(quote: str) -> str:
    """Return a quote as people say it: on one line, without list markers, emphasis and the stamp of a chat."""
    said = clean_statement(" ".join(strip_markdown(part) for part in quote.splitlines()))
    return without_stamp(said)[:MAX_FACT_CHARS]


def count_words(text: str) -> int:
    """Return the number of words; two Chinese signs count as one more, and so do two Korean words, with particles."""
    korean = len(_HANGUL.findall(text)) // 2
    return len(text.split()) + sum("\u3400" <= ch <= "\u9fff" for ch in text) // 2 + korean
