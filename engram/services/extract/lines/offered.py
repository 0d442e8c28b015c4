"""Options that an agent lists, and which of them its user chooses right behind: "the second one"."""

import re
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple

from engram.language.compare.slots.answers import QUESTION_ENDS
from engram.language.compare.slots.answers import asks_for_long
from engram.language.compare.slots.proposals import MOST_OF_AN_OPTION
from engram.language.compare.slots.proposals import Option
from engram.language.compare.slots.proposals import choice_text
from engram.language.compare.slots.proposals import find_choice
from engram.language.compare.slots.proposals import only_asks_consent
from engram.language.screen.injection import find_injection
from engram.language.screen.secrets import answers_with_secret
from engram.services.extract.lines.read_line import ReadLine
from engram.services.extract.lines.turns import Turn

_FEWEST: Final = 2  # options
_MOST: Final = 9
_LEADS: Final = 2  # statements before the options, of which one says what they are for
_BULLET: Final = re.compile(r"\s*(?:[-*+•‣·]|(\d{1,2})[.)])\s+[*_`]{0,3}")  # all that stands before an option
_BEGINS: Final = re.compile(r"\s*[*_`]{0,3}")  # the same where its label is in its text
_LABEL: Final = re.compile(r"(?:[^\W\d_]{2,10} ?)?([A-HА-Г]|[1-9])[*_]{0,3}(?:\s?[).:：]|\s[–—-])[*_]{0,3}\s*(?=\S)")


class _Listed(NamedTuple):
    place: int  # of its line
    option: Option
    form: int  # 0 with a label in its text, 1 numbered, 2 with a bullet


def take_choice(read: list[ReadLine], asked: Turn, replies: Sequence[str]) -> bool:
    """Put what these replies choose in the place of the option, behind what the options are for; tell whether they do.

    The place of two options is that of both and of what stands between them.
    """
    listed = _options(read, asked)
    lead = _lead(read, asked, listed) if listed and len(replies) == 1 else ""
    chosen = find_choice(lead, replies[0], [one.option for one in listed]) if lead else []
    names = [listed[place].option.name for place in chosen]
    text = choice_text(lead, names) if chosen else ""
    if not text or any(answers_with_secret(lead, word) for name in names for word in name.split()):
        return False
    first, last = read[listed[chosen[0]].place], read[listed[chosen[-1]].place]
    if find_injection(first.text):  # who chooses from a turn that gives orders has not read them
        return False
    begin, end = first.statement.start, last.statement.end
    statement = first.statement._replace(end=end, text=first.text[begin:end])
    line = first.line._replace(text=text, before="", is_agreed=True, is_answer=True)
    read[listed[chosen[0]].place] = first._replace(statement=statement, line=line)
    return True


def _options(read: Sequence[ReadLine], asked: Turn) -> list[_Listed]:
    """Return the one list of options of a turn; none where there are several lists, or it is none of options."""
    found = [one for place in asked if (one := _listed(read[place], place)) is not None]
    form = min((one.form for one in found), default=0)
    options = [one for one in found if one.form == form]
    labels = [one.option.label for one in options]
    is_whole = len(set(labels)) == len(labels) or not any(labels)
    are_named = all(0 < len(one.option.name) <= MOST_OF_AN_OPTION for one in options)
    return options if _FEWEST <= len(options) <= _MOST and is_whole and are_named else []


def _listed(one: ReadLine, place: int) -> _Listed | None:
    """Return a line as an option, where one begins with it."""
    bullet = _BULLET.fullmatch(one.line.lead)
    label = _LABEL.match(one.line.text) if bullet or _BEGINS.fullmatch(one.line.lead) else None
    if label is not None:
        return _Listed(place, Option(label[1].casefold(), one.line.text[label.end() :]), 0)
    if bullet is None or one.line.text.endswith(QUESTION_ENDS):
        return None
    return _Listed(place, Option(bullet[1] or "", one.line.text), 1 if bullet[1] else 2)


def _lead(read: Sequence[ReadLine], asked: Turn, listed: Sequence[_Listed]) -> str:
    """Return what says right before the options what they are for; "" where something else is asked, too."""
    before = [read[place].line.text for place in asked if place < listed[0].place][-_LEADS:]
    lead = next((one for one in reversed(before) if one.endswith(QUESTION_ENDS)), before[-1] if before else "")
    others = [text for place in asked if (text := read[place].line.text).endswith(QUESTION_ENDS) and text != lead]
    return lead if all(asks_for_long(one) or only_asks_consent(one) for one in others) else ""
