"""What the files of one silo could show in a start block: MEMORY.md, handoff, working memory, decisions and notes."""

import datetime as dt
import re
from collections.abc import Iterator
from typing import Final

from engram.base.counts import counted
from engram.config.paths import SELF_FILE
from engram.config.paths import SELF_FILE_TEXT
from engram.config.settings import Settings
from engram.errors import MalformedInputError
from engram.language.screen.fence import barred
from engram.language.screen.fence import safe_lines
from engram.language.text.markdown_notes import split_note
from engram.ports.text_files import TextFiles
from engram.rules.context import Item
from engram.services.silo.decision_log import DECISIONS
from engram.services.silo.folder import read_silo_file
from engram.services.silo.folder import silo_folder
from engram.services.silo.handoff import read_handoff
from engram.services.silo.memory_file import read_memory
from engram.services.silo.working_memory import WORKING_MEMORY
from engram.services.visibility import Caller

_LOGGED: Final = "as logged, not confirmed"  # beside decisions: whoever writes the log may say whose they are
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)


class Wording:
    """How lines look in the block: behind a bar, without what gives orders or is secret."""

    def __init__(self, settings: Settings) -> None:
        """Take the workspace's own signs of an order."""
        self._patterns = settings.screen.patterns

    def item(self, shown: str, key: str, kind: str, text: str, *, is_persons: bool = True) -> Item:
        """Return an item of one text, which may have several lines; `is_persons`: a fact was screened by its origin."""
        lines = self._safe(shown, is_persons=is_persons)
        return Item(tuple(barred(line) for line in lines if line.strip()), key, kind, text)

    def heading(self, words: str) -> str:
        """Return a heading within a part."""
        return barred(f"[{next(self._safe(words), '')}]")

    def line_items(self, text: str, path: str, kind: str, *, is_persons: bool = False) -> list[Item]:
        """Return the lines that say something, without comments and the first heading, which is the file's title."""
        plain = _COMMENT.sub("", text).strip()
        title, _, rest = plain.partition("\n")
        body = rest if title.startswith("# ") else plain
        safe = enumerate(self._safe(body, is_persons=is_persons), 1)
        return [Item((barred(line),), f"{path}#{number}", kind, line) for number, line in safe if line.strip()]

    def _safe(self, text: str, *, is_persons: bool = True) -> Iterator[str]:
        return safe_lines(text, self._patterns, is_persons=is_persons)


class SiloFiles:
    """The files that one caller may read."""

    def __init__(self, files: TextFiles, settings: Settings, caller: Caller, wording: Wording) -> None:
        """Take whose they are; raise BadValueError for a session that can have no folder."""
        self._files = files
        self._caller = caller
        self._wording = wording
        self._folder = silo_folder(settings.agent, caller.session)

    def memory(self) -> list[Item]:
        """Return the lines of MEMORY.md; nothing of the text that it begins with."""
        text = read_memory(self._files) if self._caller.sees_self else ""
        if text.strip() == SELF_FILE_TEXT.strip():
            return []
        return self._wording.line_items(text, SELF_FILE, "self", is_persons=True)

    def handoff(self, now: dt.datetime) -> tuple[str, list[Item]]:
        """Return how old the handoff is, in words, and its lines."""
        handoff = read_handoff(self._files, self._folder)
        if handoff is None:
            return "", []
        days = handoff.age_days(now)
        age = (
            "nobody knows when"
            if days is None
            else "less than a day old"
            if not days
            else f"{counted(days, 'day')} old"
        )
        return f" (version {handoff.version}, {age})", self._wording.line_items(handoff.text, handoff.path, "handoff")

    def working_memory(self) -> list[Item]:
        """Return the lines of the working memory."""
        path = f"{self._folder}/{WORKING_MEMORY}"
        return self._wording.line_items(read_silo_file(self._files, path), path, "working-memory")

    def decisions(self) -> list[Item]:
        """Return the entries of the log of decisions, oldest first."""
        return self._entries(f"{self._folder}/{DECISIONS}", "decision", _LOGGED)

    def notes(self, day: dt.date) -> list[Item]:
        """Return the entries of the notes of a day, oldest first."""
        places = [f"{self._folder}/{day}.md"]
        if self._caller.is_owner:
            places.append(f"memory/{day}.md")  # of no session
        return [item for path in places for item in self._entries(path, "note")]

    def _entries(self, path: str, kind: str, mark: str = "") -> list[Item]:
        """Return the entries of a note, each under the heading that it stands under, with a mark beside it."""
        try:
            entries = split_note(read_silo_file(self._files, path).encode())
        except MalformedInputError:
            return []  # a NUL: doctor and the heartbeat tell of it
        return [self._entry(f"{path}#{one.line}", kind, one.text, one.headings, mark) for one in entries]

    def _entry(self, key: str, kind: str, text: str, headings: tuple[str, ...], mark: str) -> Item:
        item = self._wording.item(text, key, kind, text, is_persons=False)
        inner = headings[1:]  # the first is the file's title
        heading = f"{inner[-1] if inner else f'{kind}s'.capitalize()}: {mark}" if mark else "".join(inner[-1:])
        return item._replace(heading=self._wording.heading(heading) if heading else "")
