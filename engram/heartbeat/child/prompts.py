"""The prompts of agents: what a phase asks, as rows of JSON in the slots of its template, within a budget of tokens.

Pure but for the template's file. Every row is one line that begins with a brace, so nothing in a text can close the
fence around it, pass for a slot or begin a hand-off block; no text holds a secret that can be told.
"""

import json
import re
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from engram.base.templates import fill_template
from engram.base.templates import slots_of
from engram.base.text import INVISIBLE
from engram.language.screen.redaction import redact_value

BYTES_PER_TOKEN = 3
"""UTF-8 bytes that are counted as one token: English prose has about 4.5, Russian about 5, Chinese about 3 to 4, JSON
punctuation, digits and rare names about 3. So a prompt is overestimated rather than too long."""

_ENTITY_SHARE = 4  # one part in so many of the prompt is for the list of known entities
_LEAST_BYTES = 1500  # of rows, whatever the template takes
_INVISIBLE = re.compile(f"[{INVISIBLE}]")

Row = Mapping[str, Any]


class Prompt(NamedTuple):
    """What an agent is given."""

    text: str
    given: str = ""  # what others wrote in it, as plain text: a hand-off block in there is a quotation
    asked: Mapping[str, int] = {}  # by slot: how many of its rows are in it, from the first
    left: int = 0  # rows that had no room: they are for the next run
    shortened: bool = False  # the first row was larger than the room, so its longest text is cut


def most_tokens(text: str) -> int:
    """Return how many tokens a text has at most, near enough."""
    return -(-len(text.encode()) // BYTES_PER_TOKEN)


def extraction_prompt(question: Mapping[str, Any], tokens: int) -> Prompt:
    """Return the prompt for `passages`, about `entities` (`path`, `names`) and `owner`; see `answering.extraction`.

    Passages come first; of the entities, those that they name, then others while there is room.
    """
    named = " ".join(passage["text"] for passage in question["passages"]).casefold()
    entities = sorted(question["entities"], key=lambda one: not any(name.casefold() in named for name in one["names"]))
    plain = {"owner": question["owner"]}
    asked = _fill({"entries": question["passages"]}, passage_room(tokens))
    room = _room("HB-EXTRACT", tokens, plain) - len(asked.slots["entries"].encode())
    known = _take({"entities": entities}, max(room, 0))
    return _prompt("HB-EXTRACT", {**plain, **asked.slots, **known.slots}, asked)


def passage_room(tokens: int) -> int:
    """Return how many bytes the rows of passages may take in a prompt of so many tokens; see `row_bytes`."""
    room = _room("HB-EXTRACT", tokens, {})
    return room - room // _ENTITY_SHARE


def row_bytes(row: Row) -> int:
    """Return the bytes that a row takes in a prompt."""
    return len(_line(row).encode()) + 1


def synthesis_prompt(question: Mapping[str, Any], tokens: int) -> Prompt:
    """Return the prompt for `rollups` and `proposals`, which are candidates there; see `answering.synthesis`."""
    rows = {"rollups": question.get("rollups", ()), "candidates": question.get("proposals", ())}
    return _simple("HB-SYNTHESIS", rows, ("rollups", "candidates"), tokens)


def domains_prompt(question: Mapping[str, Any], tokens: int) -> Prompt:
    """Return the prompt for `domains`; see `answering.domain_scan`."""
    return _simple("HB-DOMAINS", question, ("domains",), tokens)


def maintenance_prompt(question: Mapping[str, Any], tokens: int) -> Prompt:
    """Return the prompt for `findings`, rows of what was seen of the store; see `answering.maintenance`."""
    return _simple("HB-MAINTENANCE", question, ("findings",), tokens)


def review_prompt(question: Mapping[str, Any], tokens: int) -> Prompt:
    """Return the prompt for `tensions` and `observations` that wait; see `answering.review`."""
    return _simple("HB-REVIEW", question, ("tensions", "observations"), tokens)


# --- rows into slots ---------------------------------------------------------------------------------------------


class _Taken(NamedTuple):
    slots: dict[str, str]
    rows: list[Row]
    counts: dict[str, int]
    left: int
    shortened: bool


def _simple(template: str, question: Mapping[str, Any], slots: Sequence[str], tokens: int) -> Prompt:
    taken = _fill({slot: question.get(slot, ()) for slot in slots}, _room(template, tokens, {}))
    return _prompt(template, taken.slots, taken)


def _fill(lists: Mapping[str, Sequence[Row]], room: int) -> _Taken:
    taken = _take(lists, room)
    if taken.rows or not taken.left:
        return taken
    # Not even the first row fits: it is shortened, so that it does not stand in the way of all others for ever.
    slot = next(name for name, rows in lists.items() if rows)
    cut = _shortened(lists[slot][0], room)
    return _take({slot: [cut], **{name: () for name in lists if name != slot}}, room)._replace(
        left=taken.left - 1, shortened=True
    )


def _take(lists: Mapping[str, Sequence[Row]], room: int) -> _Taken:
    """Take rows in their order while there is room; a list that is cut leaves what is behind it to the next run."""
    slots, counts, used, left = {}, {}, [], 0
    for slot, rows in lists.items():
        lines: list[str] = []
        for row in rows:
            line = _line(row)
            size = len(line.encode()) + 1
            if size > room:
                break
            room -= size
            lines.append(line)
            used.append(row)
        slots[slot] = "\n".join(lines)
        counts[slot] = len(lines)
        left += len(rows) - len(lines)
    return _Taken(slots, used, counts, left, shortened=False)


def _prompt(template: str, slots: Mapping[str, str], taken: _Taken) -> Prompt:
    given = "\n".join(text for row in taken.rows for text in _texts(redact_value(row)))
    return Prompt(fill_template(template, slots), given, taken.counts, taken.left, taken.shortened)


def _room(template: str, tokens: int, plain: Mapping[str, str]) -> int:
    empty = dict.fromkeys(slots_of(template), "")
    used = len(fill_template(template, {**empty, **plain}).encode())
    return max(tokens * BYTES_PER_TOKEN - used, _LEAST_BYTES)


def _line(row: Row) -> str:
    # What cannot be seen is written as an escape: it neither breaks the line nor hides from a reader.
    return _INVISIBLE.sub(_escaped, json.dumps(redact_value(row), ensure_ascii=False))


def _escaped(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1]


def _texts(value: object) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for member in value.values():
            yield from _texts(member)
    elif isinstance(value, list | tuple):
        for member in value:
            yield from _texts(member)


def _shortened(row: Row, room: int) -> Row:
    """Return a row of which the longest text is cut so that the row has room."""
    name = max((name for name, value in row.items() if isinstance(value, str)), key=lambda name: len(row[name]))
    text: str = row[name]
    keep, cut = len(text), row
    while keep and row_bytes(cut) > room:
        keep = keep * 9 // 10
        cut = {**row, name: f"{text[:keep]} [...]"}
    return cut
