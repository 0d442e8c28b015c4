"""Dialogues and diaries in markdown: one turn for each block, with its speaker where one is named."""

import datetime as dt
import re
from functools import cache

from engram.base.text import has_control
from engram.base.text import slugify
from engram.language.dates.clock import read_stamp
from engram.language.dates.note_days import entry_day
from engram.language.matching.patterns import joined
from engram.language.matching.patterns import phrases
from engram.language.text.markdown_notes import note_day
from engram.language.text.markdown_notes import split_note
from engram.language.text.markdown_notes import strip_markdown
from engram.language.text.note_lines import without_unread_lines
from engram.services.extract.turn_commands import MAX_TURN_CHARS
from engram.services.extract.turn_commands import BadLine
from engram.services.extract.turn_commands import RawTurn
from engram.services.extract.turn_commands import Transcript

_MARKED_SPEAKER = re.compile(r"\s*(?:[-*+]\s+)?(?:\*\*|__)([^*_:\n]{1,60}?)(?:(?:\*\*|__)\s*:|:\s*(?:\*\*|__))\s*")
_PLAIN_SPEAKER = re.compile(r"\s*(?:[-*+]\s+)?([^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,2}):[ \t]+(?=\S)")
_CLOCK = re.compile(r"\s*(?:[-*+]\s+)?\[?(\d{1,2}):(\d{2})\]?\s")
_STAMPED = re.compile(r"\s*(?:[-*+]\s+)?(?:\*\*)?[\[(]([^\[\]()]{6,60}(?:\([^()]{1,4}\)[^\[\]()]{0,30})?)[\])]")
_REPEATED = 2  # turns after which a plain name before a colon is believed to be a speaker


def read_markdown(data: bytes, *, name: str, session: str | None, zone: dt.tzinfo) -> Transcript:
    """Return one turn per block of a note; the day is that of the entry (see `entry_day`), the time comes from `HH:MM`.

    `Name: text` counts as a speaker when the name speaks at least twice; `**Name:** text` always does, unless it is a
    label such as Date. A line that is no text is left out. Raises MalformedInputError when most are none.
    """
    data, unread = without_unread_lines(data)
    entries = split_note(data)
    day = note_day(name, data.decode("utf-8-sig"))
    plain = [found[1] for entry in entries if (found := _PLAIN_SPEAKER.match(entry.text))]
    speakers = {who for who in plain if plain.count(who) >= _REPEATED and who.casefold() not in _labels()}
    silo = session or slugify(name.rpartition(".")[0] or name) or "notes"
    turns: list[RawTurn] = []
    bad = [BadLine(line.number, "", f"it {line.why}") for line in unread]
    for entry in entries:
        speaker, text = _spoken(entry.text, speakers)
        if has_control(text) or len(text) > MAX_TURN_CHARS:
            bad.append(BadLine(entry.line, "text", "holds a control character or is too long"))
        elif text:
            turns.append(
                RawTurn(
                    silo, text, None, speaker, _instant(entry.text, entry_day(entry.headings, entry.text, day), zone)
                )
            )
    return Transcript(turns, bad)


def _spoken(text: str, speakers: set[str]) -> tuple[str | None, str]:
    marked = _MARKED_SPEAKER.match(text)
    if marked and strip_markdown(marked[1]).casefold() not in _labels():
        return strip_markdown(marked[1]), text[marked.end() :].strip()
    plain = _PLAIN_SPEAKER.match(text)
    if plain and plain[1] in speakers:
        return plain[1], text[plain.end() :].strip()
    return None, text


def _instant(text: str, day: dt.date | None, zone: dt.tzinfo) -> dt.datetime | None:
    stamped = _STAMPED.match(text)
    stamp = read_stamp(stamped[1]) if stamped else None
    if stamp is not None and stamp.has_time:
        own_zone = zone if stamp.offset is None else dt.timezone(stamp.offset)
        return dt.datetime.combine(stamp.day, stamp.time, tzinfo=own_zone).astimezone(dt.UTC)
    if day is None:
        return None
    clock = _CLOCK.match(text)
    hour, minute = (int(clock[1]), int(clock[2])) if clock else (0, 0)
    at = dt.time(hour, minute) if hour < 24 and minute < 60 else dt.time.min
    return dt.datetime.combine(day, at, tzinfo=zone).astimezone(dt.UTC)


@cache
def _labels() -> frozenset[str]:
    """Return labels that are no speakers."""
    return frozenset(phrases(joined("lines", "labels")))
