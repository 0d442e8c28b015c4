"""MEMORY.md: what is always loaded. People write it; Engram only adds lines under its own heading, when told to.

A line that Engram added ends in a comment with the id of what it says (`<!-- engram:people/anna-001 -->`), so that the
same is never added twice and a line can be found whose fact does not hold any more. Nothing is changed; a line is taken
out only where it stands just as it was added, when the decision that added it is taken back.
"""

import re
from typing import Final
from typing import NamedTuple

from engram.base.disk.faults import fault_point
from engram.base.text import clean_statement
from engram.base.text import fingerprint
from engram.base.text import has_control
from engram.config.settings import Settings
from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.language.screen.injection import find_injection
from engram.language.screen.secrets import redact
from engram.language.text.markdown_notes import strip_markdown
from engram.ports.text_files import TextFiles
from engram.services.silo.folder import plain_text

HEADING: Final = "## Learned"
_MARKER = re.compile(r"<!-- engram:([^\s<>]+) -->")
_ID = re.compile(r"[^\s<>]+")


class MemoryLine(NamedTuple):
    """What became of a line."""

    line: str  # as it stands in the file
    added: bool  # False: it stood there already


def add_memory_line(
    files: TextFiles, settings: Settings, text: str, marker: str, *, dry_run: bool = False
) -> MemoryLine:
    """Append one line under Engram's heading at the end of MEMORY.md; when this returns, it survives a crash.

    `marker` is the id of the fact or observation that the line says. A line with that marker, or that says just the
    same, is left as it is. Raises BadValueError for text that cannot be a line, and RefusedError when it would give
    orders to the agent or when the file would grow beyond `synthesis.memory_bytes`.
    """
    said = _checked(text, marker, settings)
    if dry_run:
        return _plan(read_memory(files), said, marker, settings)[0]
    with files.appending(files.paths.self_file, follows=True) as memory:
        before = memory.read().decode("utf-8", errors="replace")
        done, addition = _plan(before, said, marker, settings)
        fault_point("memory line")
        memory.append(addition.encode())
    return done


def remove_memory_line(files: TextFiles, text: str, marker: str) -> bool:
    """Take out the one line that `add_memory_line` wrote for this; False when it is not there just so.

    All other bytes stay, and the file is replaced in one step.
    """
    wanted = f"- {_as_line(text)} <!-- engram:{marker} -->"
    try:
        with files.locking(files.paths.self_file, follows=True):
            lines = files.read(files.paths.self_file).splitlines(keepends=True)
            places = [place for place, line in enumerate(lines) if line.rstrip(b"\r\n") == wanted.encode()]
            if len(places) != 1:
                return False
            kept = b"".join(line for place, line in enumerate(lines) if place != places[0])
            files.write(files.paths.self_file, kept)
    except FileNotFoundError:
        return False
    return True


def lines_by_id(text: str) -> dict[str, str]:
    """Return id -> line for the lines of MEMORY.md that Engram added."""
    return {found[1]: line for line in text.splitlines() if (found := _MARKER.search(line))}


def statements_in(text: str) -> frozenset[str]:
    """Return the fingerprints of what the lines of MEMORY.md say, whoever wrote them."""
    return frozenset(_said(line) for line in text.splitlines() if line.strip())


def read_memory(files: TextFiles) -> str:
    """Return the text of MEMORY.md; empty when there is none."""
    try:
        return plain_text(files.read(files.paths.self_file))
    except FileNotFoundError:
        return ""


def _plan(before: str, said: str, marker: str, settings: Settings) -> tuple[MemoryLine, str]:
    """Return what becomes of a line, and what is appended for it: nothing when it stands there."""
    known = _find(before, said, marker)
    if known:
        return MemoryLine(known, added=False), ""
    line = f"- {said} <!-- engram:{marker} -->"
    addition = _addition(before, line)
    size, budget = len(before.encode()) + len(addition.encode()), settings.synthesis.memory_bytes
    if size > budget:
        raise RefusedError(
            f"MEMORY.md would have {size} bytes with this line, more than the {budget} that it may have",
            hint="shorten MEMORY.md by hand, or raise synthesis.memory_bytes",
        )
    return MemoryLine(line, added=True), addition


def _checked(text: str, marker: str, settings: Settings) -> str:
    said = _as_line(text)
    if not said or has_control(said):
        raise BadValueError("a line of MEMORY.md is one statement without control characters", hint="pass its text")
    if not _ID.fullmatch(marker):
        raise BadValueError(f"{marker!r} is no id of a fact or an observation", hint="such as people/anna-001")
    if find_injection(said, settings.screen.patterns):
        raise RefusedError(
            "the line would give orders to the agent, so it does not go into MEMORY.md",
            hint="write it there by hand if it is meant",
        )
    return said


def _as_line(text: str) -> str:
    return redact(clean_statement(text).replace("<!--", "‹!--").replace("-->", "--›")).text


def _find(text: str, said: str, marker: str) -> str:
    wanted = fingerprint(said)
    lines = (line for line in text.splitlines() if f"<!-- engram:{marker} -->" in line or _said(line) == wanted)
    return next(lines, "")


def _said(line: str) -> str:
    return fingerprint(strip_markdown(_MARKER.sub("", line).strip()))


def _addition(before: str, line: str) -> str:
    """Return what is appended: the heading comes again when people wrote another one below it."""
    headings = [one.strip() for one in before.splitlines() if one.startswith("#")]
    parts = ["\n"] if before and not before.endswith("\n") else []
    if not headings or headings[-1] != HEADING:
        parts.append(f"\n{HEADING}\n\n" if before.strip() else f"{HEADING}\n\n")
    return "".join([*parts, line, "\n"])
