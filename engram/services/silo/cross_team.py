"""CROSS-TEAM.md: what the agents of a workspace tell each other, one file for all, with who wrote which line.

Lines are only ever appended, under the heading of their day. Every agent and the owner read it; a session that is kept
apart does not, for others may read along there.
"""

import datetime as dt
import re
from typing import Final
from typing import NamedTuple

from engram.base.clock import local_day
from engram.base.text import has_control
from engram.base.text import slug_problem
from engram.errors import BadValueError
from engram.errors import GivesOrdersError
from engram.errors import RefusedError
from engram.language.screen.injection import find_injection
from engram.language.screen.redaction import require_no_secret
from engram.language.screen.secrets import redact
from engram.ports.text_files import TextFiles
from engram.services.silo.daily_note import append_lines
from engram.services.silo.folder import read_silo_file
from engram.services.visibility import OWNER
from engram.services.visibility import Caller

CROSS_TEAM: Final = "memory/CROSS-TEAM.md"
_TITLE: Final = "Cross-team"  # the file's own name, which says nothing of its lines
_SIGNED: Final = re.compile(r"^(\s*-\s\d{2}:\d{2}\s)([^\s:]+)(:)(?=\s)")  # as `add_team_line` begins a line
_MOST_CHARS: Final = 2_000  # of one line


class TeamLine(NamedTuple):
    """One line as it was written."""

    path: str  # of the file, relative to the workspace
    by: str  # agent, or owner
    line: str  # the bullet as it stands there
    redactions: tuple[str, ...]  # kinds of secrets that were taken out


def add_team_line(
    files: TextFiles,
    text: str,
    caller: Caller | None,
    *,
    now: dt.datetime,
    zone: dt.tzinfo,
    patterns: tuple[str, ...] = (),
    dry_run: bool = False,
) -> TeamLine:
    """Append one line in the name of who asks. When this returns, it survives a crash. A dry run writes nothing.

    Raises BadValueError for text that is empty, too long or holds control characters and for an agent's name that is
    none, GivesOrdersError, and RefusedError in a session that is kept apart and for an agent that calls itself owner.
    """
    _refuse_apart(caller)
    cleaned = redact(" ".join(text.split()))
    if not cleaned.text or has_control(text):
        why = "holds a control character" if cleaned.text else "is empty"
        raise BadValueError(f"the line {why}", hint='such as engram note team "The schema is frozen until Friday"')
    if len(cleaned.text) > _MOST_CHARS:
        why = f"the line has {len(cleaned.text)} characters; {_MOST_CHARS} is the most"
        raise BadValueError(why, hint="put the long part in a file, and name it")
    if find_injection(cleaned.text, patterns) is not None:
        raise GivesOrdersError("the line tries to give orders to the agent")
    by = _name(caller)
    line = f"- {now.astimezone(zone):%H:%M} {by}: {cleaned.text}"
    if not dry_run:
        append_lines(files, files.paths.root / CROSS_TEAM, _TITLE, f"## {local_day(now, zone)}", line)
    return TeamLine(CROSS_TEAM, by, line, tuple(cleaned.kinds))


def read_team_lines(files: TextFiles, caller: Caller | None) -> str:
    """Return the whole file, empty when there is none. Raises RefusedError in a session that is kept apart."""
    _refuse_apart(caller)
    return read_silo_file(files, CROSS_TEAM)


def writer_of(line: str) -> str:
    """Return who signed a line of the file: an agent, or `owner`; empty when nobody did."""
    found = _SIGNED.match(line)
    return found[2] if found else ""


def without_writer(line: str) -> str:
    """Return a line of the file with blanks in the place of who wrote it, so that all else keeps its place."""
    return _SIGNED.sub(lambda found: found[1] + " " * len(found[2] + found[3]), line)


def _name(caller: Caller | None) -> str:
    """Return who writes; refuse an agent whose name would say something else, or that it is the owner."""
    if caller is None or caller.agent is None:
        return OWNER
    if problem := slug_problem(caller.agent):
        raise BadValueError(f"{caller.agent!r} is no agent's name: {problem}", hint="such as --agent builder")
    require_no_secret("the name of an agent", caller.agent)
    if caller.agent.casefold() == OWNER:
        raise RefusedError(f"{OWNER} stands before the lines of the owner", hint="write without --agent, or as another")
    return caller.agent


def _refuse_apart(caller: Caller | None) -> None:
    if caller is not None and (caller.apart or caller.group):
        raise RefusedError("this session is kept apart: it has no part in cross-team notes", hint="use another session")
