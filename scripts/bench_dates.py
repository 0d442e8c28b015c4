"""Measure from when and until when statements hold: how often the day that a careful reader marked is found.

scripts/bench dates [--data DIR] [--half first|second] [--wrong N]

The texts are marked notes and conversations, which are not part of the repository; without them this says so. Rules are
written with the first half of the agents and conversations in view, the second half tells what they are worth.
"""

import argparse
import datetime as dt
from collections import Counter
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from evaluation import DATA
from evaluation import Row
from evaluation import read_rows
from evaluation import share

from engram.language.dates.note_days import entry_day
from engram.language.text.markdown_notes import split_note
from engram.model.validity import Validity
from engram.services.extract.validity import find_validity

HALVES = ("first", "second")


class Marked(NamedTuple):
    """One statement that a reader marked."""

    source: str  # notes, or the kind of conversation
    language: str
    half: str  # first or second: all of one author is in one half
    quote: str
    category: str
    said_on: dt.date
    around: str  # the line or turn that it stands in
    when: str  # the day, month or year that was marked, or ""


def main() -> None:
    """Print the table, and the wrong ones when asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA / "extraction" / "learn")
    parser.add_argument("--half", choices=HALVES, help="one half only")
    parser.add_argument("--wrong", type=int, default=0, help="how many of the wrong ones to print, of the first half")
    options = parser.parse_args()
    marked = [one for one in read_marked(options.data) if options.half in {None, one.half}]
    if not marked:
        print(f"absent (no notes.jsonl or conversations.jsonl in {options.data}), not measured")
        return
    wrong = print_table(marked)
    for one, found in [row for row in wrong if row[0].half == HALVES[0]][: options.wrong]:
        print(f"  {one.said_on} [{one.category}] {one.quote[:160]!r}")
        print(f"      marked {one.when or '-'}, found {shown(found)}")


def print_table(marked: list[Marked]) -> list[tuple[Marked, Validity]]:
    """Print the shares by half, source and language; return what was wrong."""
    counts: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    wrong = []
    for one in marked:
        found = find_validity(one.quote, one.category, one.said_on, around=one.around)
        right = is_right(one, found)
        if not right:
            wrong.append((one, found))
        kind = "other" if one.when and one.when[:10] != one.said_on.isoformat() else "same" if one.when else "none"
        for key in ((one.half, one.source, one.language), (one.half, "all", "all")):
            counts[key].update({kind: 1, f"{kind} right": right})
    columns = f"{'dated':>7}{'right':>8}{'other day':>11}{'right':>8}{'undated':>9}{'alarms':>8}"
    print(f"{'half':8}{'source':14}{'lang':6}{columns}")
    for (half, source, language), seen in sorted(counts.items()):
        dated, hits = seen["same"] + seen["other"], seen["same right"] + seen["other right"]
        alarms = seen["none"] - seen["none right"]
        print(
            f"{half:8}{source:14}{language:6}{dated:>7}{share(hits, dated):>8}{seen['other']:>11}"
            f"{share(seen['other right'], seen['other']):>8}{seen['none']:>9}{share(alarms, seen['none']):>8}"
        )
    return wrong


def is_right(one: Marked, found: Validity) -> bool:
    """Tell whether the day marked is found, as precisely as it was marked; without one, that no other day is."""
    days = [day.isoformat() for day in (found.valid_from, found.valid_to) if day]
    if not one.when:
        return days == [one.said_on.isoformat()]
    return any(day.startswith(one.when[:10]) for day in days)


def shown(found: Validity) -> str:
    """Return a validity for people."""
    return f"{found.valid_from} ({found.from_precision}) to {found.valid_to} ({found.to_precision})"


def read_marked(folder: Path) -> Iterator[Marked]:
    """Yield the marked statements of notes and conversations that have a day of their own."""
    notes, talks = read_rows(folder, "notes"), read_rows(folder, "conversations")
    halves = _halves([("notes", row["lang"], row["agent"]) for row in notes])
    halves |= _halves([(row["set"], row["lang"], row["id"]) for row in talks])
    for row in notes:
        for fact in row["facts"]:
            day, around = _place_in_note(row, fact["quote"])
            if day:
                yield _marked("notes", row["lang"], halves[row["agent"]], fact, day, around)
    for row in talks:
        turns = {turn["id"]: turn["text"] for turn in row["turns"]}
        for fact in row["facts"]:
            if row.get("date"):
                day = dt.date.fromisoformat(row["date"][:10])
                yield _marked(row["set"], row["lang"], halves[row["id"]], fact, day, turns[fact["turn"]])


def _marked(source: str, language: str, half: str, fact: Row, day: dt.date, around: str) -> Marked:
    return Marked(source, language, half, fact["quote"], fact["category"][0], day, around, fact.get("when") or "")


def _halves(texts: list[tuple[str, str, str]]) -> dict[str, str]:
    """Return author or conversation -> half: of those of one source and language every second one."""
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    seen: set[str] = set()
    for source, language, name in texts:
        if name not in seen:
            groups[source, language].append(name)
            seen.add(name)
    return {name: HALVES[place % 2] for names in groups.values() for place, name in enumerate(sorted(names))}


def _place_in_note(row: Row, quote: str) -> tuple[dt.date | None, str]:
    day = dt.date.fromisoformat(row["date"]) if row["date"] else None
    entries = (entry for entry in split_note(row["text"].encode()) if quote in entry.text)
    entry = next(entries, None)
    return (entry_day(entry.headings, entry.text, day), entry.text) if entry else (day, "")


if __name__ == "__main__":
    main()
