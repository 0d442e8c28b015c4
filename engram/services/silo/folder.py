"""The files of a session's silo: memory/AGENT/SESSION/, one folder for each session of each agent."""

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from engram.base.disk.faults import fault_point
from engram.base.text import has_control
from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.language.screen.secrets import redact
from engram.ports.text_files import TextFiles
from engram.rules.notes.rollup import KINDS
from engram.rules.notes.rotation import ARCHIVES
from engram.services.silo.archives import latest_archive
from engram.services.silo.archives import next_archive
from engram.services.visibility import MAIN_SESSION

MOST_BYTES: Final = 1024 * 1024  # of one file of a silo; more is no text that an agent reads
MOST_CHARS: Final = 20_000  # of one handoff or working memory; it is loaded at every start
_RESERVED = frozenset({"domains", "cross-team.md"})  # what lies in memory/ and belongs to no agent
_BESIDE_NOTES = frozenset([ARCHIVES, *KINDS])  # folders that lie beside notes and are no agent


def silo_folder(own_agent: str, session: str | None) -> str:
    """Return the folder of a session, relative to the workspace; None: the agent's main one.

    Raises BadValueError for a name of more than two parts: two sessions would have one folder.
    """
    agent, slash, name = (session or MAIN_SESSION).rpartition("/")
    if "/" in agent or (agent if slash else own_agent).casefold() in _RESERVED:
        raise BadValueError(
            f"session {session!r} can have no folder of its own",
            hint="a session with notes is called NAME or AGENT/NAME",
        )
    return f"memory/{agent or own_agent}/{name}"


def session_of_note(path: str, own_agent: str) -> str | None:
    """Return the session of a note in memory/AGENT/SESSION/: just SESSION for the workspace's own agent.

    None for a note that belongs to no session: one that lies higher up, also when it was rolled up or archived there.
    """
    parts = path.split("/")[1:]
    if len(parts) < 3 or parts[0] in _BESIDE_NOTES:
        return None
    return parts[1] if parts[0] == own_agent else f"{parts[0]}/{parts[1]}"


def read_silo_file(files: TextFiles, path: str) -> str:
    """Return the text of a file, given by its path in the workspace; empty when it is not there.

    Raises RefusedError for a link and for what is no file or too large: nothing outside is ever read.
    """
    try:
        return files.read_within(files.paths.root / path, MOST_BYTES).decode("utf-8-sig", errors="replace")
    except FileNotFoundError:
        return ""
    except OSError as problem:
        if problem.errno in {errno.ENOTDIR, errno.ELOOP, errno.EINVAL, errno.EFBIG}:
            raise RefusedError(f"{path} is not read: {problem.strerror}", hint="put the file there itself") from problem
        raise


def plain_text(data: bytes) -> str:
    """Return what a file says whose line breaks may be those of another system, without a mark at its beginning."""
    return data.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").replace("\r", "\n")


@contextlib.contextmanager
def writing_silo(files: TextFiles, folder: str) -> Iterator[Path]:
    """Hold a silo's folder for writing, made when it is missing; others wait. Raises RefusedError for a link."""
    place = files.paths.root / folder
    with files.holding(place):
        yield place


def replace_file(files: TextFiles, file: Path, text: str, *, keep: bool = True) -> Path | None:
    """Write a file of a silo that is held, and return where the old one lies now; None when there was none.

    The old file itself goes into `archives/NAME-0001.md`, as a rotated note does, unless `keep` is off because all that
    it says stands in the new text, too. At every moment there is a whole file under the name.
    """
    archive = _archived(files, file) if keep and files.is_file(file) else None
    fault_point("before-silo-file")
    files.write(file, text.encode())
    return archive


def clean_text(text: str, what: str) -> str:
    """Return a text for a file of a silo without secrets; raise BadValueError for one that cannot stand there."""
    cleaned = redact(text.strip()).text
    if not cleaned or has_control(cleaned):
        why = "holds a control character" if cleaned else "is empty"
        raise BadValueError(f"the text of the {what} {why}", hint="pass its text, or - to read it from standard input")
    if len(cleaned) > MOST_CHARS:
        raise BadValueError(
            f"the text of the {what} has {len(cleaned)} characters; {MOST_CHARS} is the most",
            hint="keep what the next session needs; the rest is for notes and facts",
        )
    return cleaned


def _archived(files: TextFiles, file: Path) -> Path:
    """Give a file its place in the archives, where it has one already if a writer died right after."""
    latest = latest_archive(files, file)
    if latest is not None and files.read(latest) == files.read(file):
        return latest
    archive = next_archive(files, file)
    files.keep(file, archive)
    return archive
