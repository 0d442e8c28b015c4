"""What became of a capture, for programs and for people."""

from collections import Counter
from typing import Any
from typing import NamedTuple

from engram.base.counts import counted
from engram.importers.transcripts.files import FileReport

_SHOWN_SESSIONS = 5  # names in the text for people
_SHOWN_FILES = 20  # with something to say about, as above
_WORDS = {
    "abandoned_branch": "messages on branches that were left",
    "attachment": "images and files",
    "command": "commands and their output",
    "copy": "second copies of messages",
    "empty": "empty messages",
    "injected_context": "blocks of context that the host added",
    "meta": "lines about the session itself",
    "notice": "notices of the program",
    "recalled": "blocks that Engram itself gave out",
    "subagent": "messages between agents",
    "summary": "summaries of what was said before",
    "system": "system messages",
    "thinking": "thoughts",
    "tool_call": "tool calls",
    "tool_output": "outputs of tools",
    "unknown": "things of an unknown kind",
}


class CaptureReport(NamedTuple):
    """What became of a capture."""

    captured: int  # new turns
    known: int  # turns that were stored before
    files: list[FileReport]
    sessions: list[str]  # names, sorted
    refused: list[str]  # reasons for which a whole command was refused
    dry_run: bool
    kept_apart: tuple[str, ...] = ()  # those of the sessions in which others than the owner may have spoken

    @property
    def has_bad_input(self) -> bool:
        """Tell whether any line or command was left out for what it holds."""
        return bool(self.refused) or any(file.bad for file in self.files)

    def complaints(self) -> list[str]:
        """Return a sentence for each line or command that was left out for what it holds."""
        lines = [
            f"{file.path}:{bad.line}: {bad.field or 'line'}: {bad.message}" for file in self.files for bad in file.bad
        ]
        return [*lines, *(f"refused: {reason}" for reason in self.refused)]

    def left_out(self) -> dict[str, int]:
        """Return by kind how much was left out because nobody said it, over all files."""
        counts: Counter[str] = Counter()
        for file in self.files:
            counts.update(file.left_out)
        return dict(sorted(counts.items()))

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the command line."""
        files = [{**file._asdict(), "bad": [line._asdict() for line in file.bad]} for file in self.files]
        return {**self._asdict(), "files": files, "left_out": self.left_out()}

    def as_text(self) -> str:
        """Return the report for people."""
        would = "would capture" if self.dry_run else "captured"
        shown = self.sessions if len(self.sessions) <= _SHOWN_SESSIONS else [f"{len(self.sessions)} sessions"]
        lines = [
            f"{would} {counted(self.captured, 'turn')}, {self.known} known already ({', '.join(shown) or 'no session'})"
        ]
        if self.kept_apart:
            why = "others than you may have spoken there; recall --session NAME answers from one"
            lines.append(f"kept apart: {counted(len(self.kept_apart), 'session')} ({why})")
        if counts := self.left_out():
            lines.append("left out: " + ", ".join(f"{count} {_WORDS[kind]}" for kind, count in counts.items()))
        said = [
            f"{file.path}: {counted(file.too_old, 'turn')} before --since left out"
            for file in self.files
            if file.too_old
        ]
        said += [
            f"{file.path}: the last line is still being written (torn); it waits" for file in self.files if file.torn
        ]
        more = [f"and {len(said) - _SHOWN_FILES} more such lines; see --json"] if len(said) > _SHOWN_FILES else []
        return "\n".join([*lines, *said[:_SHOWN_FILES], *more])
