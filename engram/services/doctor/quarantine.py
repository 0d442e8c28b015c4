"""What is kept and never served because it tries to give orders to the agent: how much of it, and where it stands."""

import datetime as dt
import shlex
from collections import defaultdict
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path

from engram.base.disk.safe_files import read_within
from engram.config.paths import Paths
from engram.errors import MalformedInputError
from engram.model.fact import Trust
from engram.model.finding import Finding
from engram.model.finding import Level
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.services.index.note_documents import Maker
from engram.services.index.note_files import look_at_notes
from engram.services.index.note_list import Recipe

IN_FACT = "orders-in-fact"
IN_TURN = "orders-in-turn"
IN_NOTE = "orders-in-note"


def find_quarantined(database: FactDatabase, root: Path, patterns: Sequence[str] = ()) -> Iterator[Finding]:
    """Yield one finding for all quarantined facts, one for each session, and one for each note that has such entries.

    The files of notes below `root` are read as they stand now, and by the rules of today. `patterns` are the settings'
    own signs of an order.
    """
    if facts := sum(1 for _ in database.iter_facts(FactFilter(status="quarantined"))):
        yield _finding(IN_FACT, "life", _said(facts, "fact"), "engram facts --status quarantined")
    turns: defaultdict[str, list[int]] = defaultdict(list)
    for session, ordinal in database.quarantined_turns():
        turns[session].append(ordinal + 1)
    for session, places in turns.items():
        what = f"{_said(len(places), 'turn')} (from the beginning: {_listed(places)})"
        yield _finding(IN_TURN, session, what, f"engram session show {shlex.quote(session)}")
    for path, lines in _lines_with_orders(root, patterns).items():
        what = f"{_said(len(lines), 'entry', 'entries')} (in line {_listed(lines)})"
        yield _finding(IN_NOTE, path, what, f"less +{lines[0]} {shlex.quote(path)}")


def _finding(code: str, path: str, what: str, command: str) -> Finding:
    message = f"{what}: kept, and never served"
    return Finding(code=code, level=Level.INFO, path=path, message=message, command=command)


def _said(count: int, one: str, many: str = "") -> str:
    return f"1 {one} tries to give orders" if count == 1 else f"{count} {many or f'{one}s'} try to give orders"


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))


def _lines_with_orders(root: Path, patterns: Sequence[str]) -> dict[str, list[int]]:
    """Return, by note, the first lines of its entries that try to give orders, as they stand now."""
    maker = Maker(Recipe("", dt.UTC, tuple(patterns)))
    found: defaultdict[str, list[int]] = defaultdict(list)
    for path in sorted(look_at_notes(root, Paths(root).memory.name)):
        try:
            path.encode()
            documents = maker.documents(path, read_within(root, path))
        except (OSError, MalformedInputError, UnicodeEncodeError):
            continue  # what cannot be read is not served, and the heartbeat tells of it
        for one in documents:
            if one.trust == Trust.QUARANTINED and one.lines:
                found[path].append(int(one.lines.partition("-")[0]))
    return found
