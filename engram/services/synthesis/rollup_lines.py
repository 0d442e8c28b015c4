"""Which lines of daily notes a week remembers, and which lines of its weeks a month does. Pure.

Decisions first, then preferences, milestones, lessons, what is still open, and a few lines more that tell much. Each is
said as it stands in its note and names where that is. A line that says what another one says already is left out.
"""

import datetime as dt
import re
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from functools import lru_cache
from typing import Final
from typing import NamedTuple

from engram.base.text import fingerprint
from engram.language.compare.contradiction.compare import words
from engram.language.matching.patterns import expression
from engram.language.screen.injection import find_injection
from engram.language.screen.recall_echo import blank_recalled
from engram.language.signal.turn_worth import worth
from engram.language.text.machine_text import MachineText
from engram.language.text.markdown_notes import RawEntry
from engram.language.text.markdown_notes import split_note
from engram.language.text.markdown_tables import are_columns
from engram.language.text.note_sections import section_category
from engram.language.text.note_sections import takes_promise_back
from engram.language.text.statements import BULLET
from engram.language.text.statements import SENTENCE
from engram.language.text.statements import Statement
from engram.language.text.statements import split_statements
from engram.model.fact import Category
from engram.rules.notes.rollup import Item
from engram.rules.notes.rollup import day_label
from engram.rules.notes.rollup import link_to
from engram.services.extract.selection import Kept
from engram.services.extract.selection import find_kept
from engram.services.extract.selection import is_noise
from engram.services.synthesis.rollup_words import is_prose
from engram.services.synthesis.rollup_words import is_record
from engram.services.synthesis.rollup_words import is_telling
from engram.services.synthesis.rollup_words import one_line
from engram.services.synthesis.rollup_words import shown
from engram.services.synthesis.rollup_words import unlabelled

DECISIONS, PREFERENCES, MILESTONES, LESSONS, OPEN, ALSO = (
    "Decisions",
    "Preferences",
    "Milestones",
    "Lessons",
    "Open",
    "Also",
)
_SECTION_OF: Final[Mapping[Category, str]] = {
    Category.DECISION: DECISIONS,
    Category.CORRECTION: DECISIONS,
    Category.PREFERENCE: PREFERENCES,
    Category.MILESTONE: MILESTONES,
    Category.STATUS: MILESTONES,
    Category.CONTEXT: LESSONS,
    Category.RELATIONSHIP: ALSO,
    Category.INSTRUCTION: PREFERENCES,
    Category.IDENTITY: ALSO,
    Category.COMMITMENT: OPEN,
    Category.LESSON: LESSONS,
}
# Shares of a roll-up's lines that each section may take before the rest is given to whatever tells most.
_SHARES: Final[Mapping[str, float]] = {
    DECISIONS: 0.25,
    PREFERENCES: 0.1,
    MILESTONES: 0.2,
    LESSONS: 0.2,
    OPEN: 0.15,
    ALSO: 0.1,
}
_MOST = 2  # times its share that a section may take when others have less to say
_BOUNDED = frozenset([OPEN, ALSO])  # these take no more than their share
_LATER = 0.1  # what is open later in the week is more likely to be open still
_WHOLE_CHARS = 220  # of an entry that is shown whole; of a longer one, the statement
_LEAST_WORTH = 0.2  # of such a line
_SIGNAL_BONUS = 0.5  # a statement of high signal goes before one that only its heading speaks for
_ALIKE = 0.75  # share of common words from which two lines say the same
_ROUNDS = 3  # of choosing, each without the orders that were found; then every line is looked through
_DONE = re.compile(r"^[\s>]*(?:[-*+\u2022]\s+)?\[[xX]\]")
_TO_DO = re.compile(r"^[\s>]*(?:[-*+\u2022]\s+)?\[ \]")


class DailyNote(NamedTuple):
    """One daily note of a week."""

    day: dt.date
    link: str  # from the folder of the roll-up
    text: str


class Choice(NamedTuple):
    """What a roll-up says."""

    items: list[Item]
    left_out: int  # further lines that would have fitted in


class _Line(NamedTuple):
    place: tuple[str, str, int]  # day, file and line: the order of a section
    weight: float
    item: Item


def choose_of_notes(
    notes: Sequence[DailyNote], limit: int, *, carried: Sequence[Item] = (), patterns: Sequence[str] = ()
) -> Choice:
    """Return what the notes of a week come to, at most `limit` lines.

    `carried` are lines of the week's former roll-up whose note is gone: they stay. `patterns` are the settings' own
    signs of an order to the agent; a line with an order in it is left out.
    """
    found = [line for note in notes for line in _lines_of_note(note)]
    kept = [_Line(("", item.target, 0), 2.0, item) for item in carried]
    return _choose([*kept, *found], limit, patterns)


def choose_of_rollups(rollups: Sequence[Sequence[Item]], limit: int, *, patterns: Sequence[str] = ()) -> Choice:
    """Return what the weeks of a month come to; of what was still open, only the last week tells."""
    lines = []
    for number, items in enumerate(rollups):
        is_last = number == len(rollups) - 1
        for place, item in enumerate(items):
            if item.section == OPEN and not is_last:
                continue
            section = item.section if item.section in _SHARES else ALSO
            lines.append(_Line((f"{number:03}", "", place), _weight(item.text), item._replace(section=section)))
    return _choose(lines, limit, patterns)


def _choose(lines: Sequence[_Line], limit: int, patterns: Sequence[str]) -> Choice:
    """Choose among the lines without an order; only what would be chosen is looked through, as long as few have one."""
    for _ in range(_ROUNDS):
        ranked = sorted(_distinct(lines), key=lambda line: (-line.weight, line.place))
        chosen = _pick(ranked, limit)
        orders = {line for line in chosen if find_injection(line.item.text, patterns)}
        if not orders:
            return Choice([line.item for line in chosen], len(ranked) - len(chosen))
        lines = [line for line in lines if line not in orders]
    return _choose([line for line in lines if not find_injection(line.item.text, patterns)], limit, patterns)


def _pick(ranked: Sequence[_Line], limit: int) -> list[_Line]:
    """Return at most so many of the lines, each section its share, in the order of their places."""
    chosen: list[_Line] = []
    rest: list[_Line] = []
    taken = dict.fromkeys(_SHARES, 0)
    for line in ranked:
        section = line.item.section
        room = max(1, int(_SHARES[section] * limit))
        (chosen if taken[section] < room else rest).append(line)
        taken[section] += 1
    chosen = sorted(chosen, key=lambda line: (list(_SHARES).index(line.item.section), line.place))[:limit]
    for line in rest:
        # What tells little fills no room that is left: a quiet week is a short roll-up, and no section drowns the rest.
        section = line.item.section
        count = sum(one.item.section == section for one in chosen)
        if len(chosen) < limit and section not in _BOUNDED and count < _MOST * _SHARES[section] * limit:
            chosen.append(line)
    return sorted(chosen, key=lambda line: line.place)


def _distinct(lines: Iterable[_Line]) -> Iterator[_Line]:
    """Yield the lines without those that say what an earlier one of their section says."""
    said: set[str] = set()
    known: dict[str, list[frozenset[str]]] = {section: [] for section in _SHARES}
    for line in sorted(lines, key=lambda line: line.place):
        text = line.item.text
        mark, own = fingerprint(text), words(text)
        alike = known[line.item.section]
        if line.item.section == ALSO:  # the same work on another day, by another count, is the same work
            own = frozenset(word for word in own if word.isalpha())
        if mark in said or any(_says_the_same(own, other) for other in alike):
            continue
        said.add(mark)
        alike.append(own)
        yield line


def _says_the_same(own: frozenset[str], other: frozenset[str]) -> bool:
    most, least = max(len(own), len(other)), min(len(own), len(other))
    if least < _ALIKE * most:  # nearly all pairs end here: a week of many sessions has many
        return False
    common = len(own & other)
    if common < _ALIKE * (most + least - common):
        return False
    return all(word.isalpha() for word in own ^ other)  # another number, version or date is another statement


# --- the lines of one note ---------------------------------------------------------------------------------------


def _lines_of_note(note: DailyNote) -> Iterator[_Line]:
    entries = split_note(note.text.encode())
    tops = {entry.headings[:1] for entry in entries}
    for entry in entries:
        topics = entry.headings[1:] if len(tops) == 1 else entry.headings  # one heading above all is the note's title
        for section, text, weight in _said(entry):
            line = entry.line + entry.text.count("\n", 0, max(0, entry.text.find(text)))
            item = Item(
                section, shown(unlabelled(text, section), topics), day_label(note.day), link_to(note.link, line)
            )
            later = _LATER * note.day.weekday() if section == OPEN else 0.0
            yield _Line((note.day.isoformat(), note.link, line), weight + later, item)


def _said(entry: RawEntry) -> Iterator[tuple[str, str, float]]:
    """Yield (section, text, weight) for what an entry says: the whole of a short one once, else its statements."""
    text = blank_recalled(entry.text)
    statements = split_statements(text)
    whole = one_line(text) if len(text) <= _WHOLE_CHARS else ""
    if _is_open(entry):
        if is_telling(whole or one_line(text)):
            yield OPEN, whole or one_line(statements[0].text if statements else ""), _weight(text)
        return
    kept = list(find_kept(text, statements, headings=entry.headings))
    if kept and whole and not are_columns(entry.headings[-1] if entry.headings else ""):
        best = max(kept, key=lambda one: one.confidence)
        yield _section(entry, best), whole, _weight(whole) + _SIGNAL_BONUS * best.has_signal
        return
    for one in kept:
        yield _section(entry, one), one.text, _weight(one.text) + _SIGNAL_BONUS * one.has_signal
    if not kept and not is_record(text) and (plain := _most_telling(text, whole, statements)):
        yield ALSO, plain, _weight(plain)


def _section(entry: RawEntry, kept: Kept) -> str:
    promised = section_category(entry.headings)  # whoever wrote the heading knows best
    return _SECTION_OF[Category(promised) if promised else kept.category]


def _most_telling(text: str, whole: str, statements: Sequence[Statement]) -> str:
    machine = MachineText(text)
    sound = [one for one in statements if not is_noise(one, machine)]
    if whole and sound and not any(machine.holds(one.start) for one in statements):
        texts = [whole]
    else:
        texts = [one_line(one.text) for one in sound if one.kind in {SENTENCE, BULLET}]
    fit = [text for text in texts if is_telling(text) and is_prose(text) and _weight(text) >= _LEAST_WORTH]
    return max(fit, key=_weight, default="")


def _is_open(entry: RawEntry) -> bool:
    if _TO_DO.match(entry.text):
        return True
    heading = entry.headings[-1] if entry.headings else ""
    return takes_promise_back(heading) and not _holds_no_tasks(heading) and not _DONE.match(entry.text)


@lru_cache(maxsize=8192)  # of the lines of a week, each is weighed when it is looked at and when it is ranked
def _weight(text: str) -> float:
    return round(worth(text), 4)


def _holds_no_tasks(heading: str) -> bool:
    return expression("lines", "no_tasks", "(?i:%s)").search(heading) is not None
