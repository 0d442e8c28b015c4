"""The decision log of a silo: what was settled, in the order in which it was; only ever appended to.

One bullet is one decision, under the heading of its day, its tags behind it: extraction reads it as a note, and the
heading says what it is. When the file is divided, `archives/decisions-0001.md` holds the earlier ones.
"""

import datetime as dt
import re
import unicodedata
from collections.abc import Iterable
from typing import Final
from typing import NamedTuple

from engram.base.clock import local_day
from engram.base.text import slug_problem
from engram.errors import BadValueError
from engram.errors import MalformedInputError
from engram.language.screen.redaction import require_no_secret
from engram.language.text.markdown_notes import split_note
from engram.ports.text_files import TextFiles
from engram.rules.notes.rotation import ARCHIVES
from engram.services.silo.archives import list_archives
from engram.services.silo.daily_note import append_lines
from engram.services.silo.daily_note import make_bullet
from engram.services.silo.folder import clean_text
from engram.services.silo.folder import read_silo_file
from engram.services.silo.folder import writing_silo

DECISIONS: Final = "decisions.md"
_TITLE = "Decisions"
_HEADING = "## Decisions of"
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_BULLET = re.compile(r"- (?:(\d{2}:\d{2}) )?(.*?)((?: #[\w-]+)*)\s*", re.DOTALL)
_TAG = re.compile(r"[\w-]{1,50}")
_BY = re.compile(r"(.*) \(decided by (\S+)\)", re.DOTALL)


class Decision(NamedTuple):
    """One decision."""

    day: str  # YYYY-MM-DD in the workspace's time zone; empty when nobody knows
    time: str  # HH:MM, or empty
    text: str
    tags: tuple[str, ...]
    by: str = ""  # agent or person who decided, a slug; empty when nobody said


def log_decision(
    files: TextFiles,
    folder: str,
    text: str,
    tags: Iterable[str] = (),
    *,
    now: dt.datetime,
    zone: dt.tzinfo,
    by: str = "",
) -> Decision:
    """Append one decision to a silo's log, given by its folder, and return it as `list_decisions` does.

    Words with # at its end are tags of it, too; `by` is who decided. When this returns, it survives a crash.
    Raises BadValueError for text that is empty, too long or holds control characters, and for a tag or a name that is
    none.
    """
    cleaned = clean_text(text, "decision")
    labels = tuple(dict.fromkeys(tag.removeprefix("#") for tag in tags))
    for label in labels:
        if not _TAG.fullmatch(label):
            raise BadValueError(f"{label!r} is no tag", hint="letters, digits, - and _, such as --tag billing")
        require_no_secret("a tag", label)
    if by and (problem := slug_problem(by)):
        raise BadValueError(f"{by!r} is no name: {problem}", hint="such as --by reviewer")
    require_no_secret("a name", by)
    said = f"{cleaned} (decided by {by})" if by else cleaned
    at, day = now.astimezone(zone), local_day(now, zone).isoformat()
    bullet = _as_bullet(" ".join([said, *(f"#{label}" for label in labels)]), at)
    heading = f"{_HEADING} {day}"
    with writing_silo(files, folder) as place:
        append_lines(files, place / DECISIONS, _TITLE, heading, bullet)
    return _decision(bullet, (heading,))


def list_decisions(
    files: TextFiles, folder: str, *, tag: str = "", last: int | None = None, by: str = ""
) -> list[Decision]:
    """Return a silo's decisions, oldest first: those with a tag or of somebody, and of these the last ones.

    Raises RefusedError.
    """
    older = [f"{folder}/{ARCHIVES}/{file.name}" for file in list_archives(files, files.paths.root / folder / DECISIONS)]
    found = [one for path in [*older, f"{folder}/{DECISIONS}"] for one in _decisions(read_silo_file(files, path))]
    once = list(dict.fromkeys(found))  # what stayed when the file was divided stands in the archive, too
    whose = _folded(by)
    wanted = [one for one in once if (not tag or tag.removeprefix("#") in one.tags) and whose in {"", _folded(one.by)}]
    return wanted if last is None else wanted[max(0, len(wanted) - last) :]


def _as_bullet(text: str, at: dt.datetime) -> str:
    """Return a text as a bullet that is read as one again: in one line, when its lines would be read otherwise."""
    bullet = make_bullet(text, at)
    read = [entry.text for entry in split_note(bullet.encode())]
    return bullet if read == [bullet] else make_bullet(" ".join(text.split()), at)


def _decisions(content: str) -> list[Decision]:
    try:
        entries = split_note(content.encode())
    except MalformedInputError:  # a NUL
        return []
    return [_decision(entry.text, entry.headings) for entry in entries]


def _decision(text: str, headings: tuple[str, ...]) -> Decision:
    day = next((found[0] for heading in reversed(headings) if (found := _DAY.search(heading))), "")
    found = _BULLET.fullmatch(text)
    if found is None:
        return Decision(day, "", text, ())
    said = "\n".join(line.removeprefix("  ") for line in found[2].splitlines())
    tags = dict.fromkeys(found[3].replace("#", "").split())
    named = _BY.fullmatch(said.strip())
    text, by = (named[1], named[2]) if named and not slug_problem(named[2]) else (said.strip(), "")
    return Decision(day, found[1] or "", text, tuple(tags), by)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
