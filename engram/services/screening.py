"""What is kept and never served because it tries to give orders to the agent: how much of it, and where it stands."""

import shlex
from collections import defaultdict
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path

from engram.language.injection import find_injection
from engram.language.secrets import redact
from engram.model.fact import Trust
from engram.model.finding import Finding
from engram.model.finding import Level
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter

IN_FACT = "orders-in-fact"
IN_TURN = "orders-in-turn"
IN_NOTE = "orders-in-note"


def find_quarantined(database: FactDatabase, root: Path, patterns: Sequence[str] = ()) -> Iterator[Finding]:
    """Yield one finding for all quarantined facts, one for each session, and one for each note that has such entries.

    Entries that no longer stand in their note, a file below `root`, are left out; the others are looked at anew, by the
    rules of today. `patterns` are the settings' own signs of an order.
    """
    if facts := len(database.list_facts(FactFilter(status="quarantined"))):
        yield _finding(IN_FACT, "life", _said(facts, "fact"), "engram facts --status quarantined")
    turns: defaultdict[str, list[int]] = defaultdict(list)
    for turn in database.list_turns():
        if turn.trust == Trust.QUARANTINED:
            turns[turn.session].append(turn.ordinal + 1)
    for session, places in turns.items():
        what = f"{_said(len(places), 'turn')} (from the beginning: {_listed(places)})"
        yield _finding(IN_TURN, session, what, f"engram session show {shlex.quote(session)}")
    for path, lines in _lines_with_orders(database, root, patterns).items():
        what = f"{_said(len(lines), 'entry', 'entries')} (in line {_listed(lines)})"
        yield _finding(IN_NOTE, path, what, f"less +{lines[0]} {shlex.quote(path)}")


def _finding(code: str, path: str, what: str, command: str) -> Finding:
    message = f"{what}: kept, and never served"
    return Finding(code=code, level=Level.INFO, path=path, message=message, command=command)


def _said(count: int, one: str, many: str = "") -> str:
    return f"1 {one} tries to give orders" if count == 1 else f"{count} {many or f'{one}s'} try to give orders"


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))


def _lines_with_orders(database: FactDatabase, root: Path, patterns: Sequence[str]) -> dict[str, list[int]]:
    """Return, by note, the first lines of its entries that try to give orders, as they stood when they were read."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    texts: dict[str, str] = {}
    for note in database.list_notes():
        if find_injection(note.text, patterns) is None:
            continue
        if note.path not in texts:
            texts[note.path] = _read_as_kept(root / note.path)
        if note.text in texts[note.path]:
            found[note.path].append(note.line)
    return found


def _read_as_kept(path: Path) -> str:
    """Return the text of a note as its entries are kept, without secrets; nothing when it is gone."""
    try:
        return redact(path.read_text(encoding="utf-8", errors="replace")).text
    except OSError:
        return ""
