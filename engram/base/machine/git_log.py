"""Who committed what below a folder, as its repository tells it: read-only, without a network, within a time limit."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from typing import NamedTuple

from engram.base.machine.git_questions import SAFELY
from engram.base.machine.git_questions import git_environment

TIMEOUT_S: Final = 5.0  # of one question; a repository that takes longer is not waited for
MOST_COMMITS: Final = 200  # that are told, the newest
_FORMAT: Final = "%x00".join(("%H", "%an", "%ae", "%cI"))  # no name can hold what stands between
_MOST_BYTES: Final = 1024 * 1024


class Commit(NamedTuple):
    """One commit that changed something below a folder."""

    id: str  # in full
    author: str  # as git writes it
    mail: str
    at: str  # when it was committed, ISO 8601 with an offset


def tip_of(folder: Path, *, timeout_s: float = TIMEOUT_S) -> str:
    """Return the commit that the repository of a folder stands at, in full; empty when there is none to tell."""
    said = _ask(folder, ["rev-parse", "--verify", "--quiet", "HEAD"], timeout_s)
    return said[:_MOST_BYTES].decode("ascii", "replace").strip() if isinstance(said, bytes) else ""


def commits_below(folder: Path, since: str, *, after: str = "", timeout_s: float = TIMEOUT_S) -> list[Commit] | str:
    """Return the commits that changed something below a folder, newest first; else why they cannot be told.

    The reason is a sentence without a full stop: it is no repository, git is not there, or it took too long.

    Args:
        folder: where they are looked for.
        since: instant (ISO 8601) from which on they count, by when they were committed.
        after: instead of that, as far as the repository knows it: the commit that it stood at. What was committed
            before and has arrived since counts, too.
        timeout_s: seconds that one question may take.
    """
    words = ["log", "-z", f"--max-count={MOST_COMMITS}", f"--format={_FORMAT}", "--no-ext-diff", "--no-textconv"]
    said: bytes | str = _ask(folder, [*words, "HEAD", f"^{after}", "--", "."], timeout_s) if after else ""
    if isinstance(said, str):
        said = _ask(folder, [*words, f"--since={since}", "--", "."], timeout_s)
    if isinstance(said, str):
        return said
    fields = said[:_MOST_BYTES].decode("utf-8", "replace").rstrip("\0").split("\0")
    width = len(Commit._fields)
    return [Commit(*fields[at : at + width]) for at in range(0, len(fields) - width + 1, width)]


def _ask(folder: Path, words: Sequence[str], timeout_s: float) -> bytes | str:
    """Return what git prints, or in words why it tells nothing."""
    try:
        done = subprocess.run(
            ["git", *SAFELY, "-c", "log.showSignature=false", *words],  # noqa: S607 - whichever git is on PATH
            cwd=folder,
            env=git_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"git took longer than {timeout_s:g} s"
    except FileNotFoundError:
        return "git is not installed" if folder.is_dir() else "the folder is gone"
    except (OSError, subprocess.SubprocessError) as problem:
        return f"git could not be asked: {problem}"
    if not done.returncode:
        return done.stdout
    said = done.stderr.decode("utf-8", "replace")
    if "not a git repository" in said:
        return "it is no git repository"
    # A repository in which nobody committed yet has no history to tell of.
    return b"" if "does not have any commits" in said else "git refuses to tell"
