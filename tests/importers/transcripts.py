"""The transcripts in tests/data/transcripts, and reading them as `capture` does."""

import datetime as dt
import json
from pathlib import Path
from typing import Any

from engram.importers.transcripts.files import CapturedFile
from engram.importers.transcripts.files import Choices
from engram.importers.transcripts.files import FileReport
from engram.services.extract.turn_commands import RawTurn

DATA = Path(__file__).resolve().parent.parent / "data" / "transcripts"
AUTO = Choices("auto", None, None, dt.UTC)


def read(path: Path, choices: Choices = AUTO, known_sessions: frozenset[str] = frozenset()) -> list[RawTurn]:
    """Return the turns of a file."""
    return list(CapturedFile(str(path), choices, None, known_sessions).turns())


def report_of(path: Path, choices: Choices = AUTO) -> FileReport:
    """Return what is reported about a file."""
    file = CapturedFile(str(path), choices, None, frozenset())
    list(file.turns())
    return file.report(path.name)


def said(turns: list[RawTurn]) -> list[tuple[str | None, str]]:
    """Return who said what."""
    return [(turn.speaker, turn.text) for turn in turns]


def lines_of(name: str) -> list[dict[str, Any]]:
    """Return the objects of a transcript with one on each line."""
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def as_lines(rows: list[dict[str, Any]]) -> str:
    """Return objects as a file holds them."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
