"""Who committed what below a folder, as its repository tells it: read-only, without a network, within a time limit."""

import os
import subprocess
from pathlib import Path
from typing import Final
from typing import NamedTuple

TIMEOUT_S: Final = 5.0  # of one question; a repository that takes longer is not waited for
MOST_COMMITS: Final = 200  # that are told, the newest
_SEPARATOR: Final = "\x1f"
_FORMAT: Final = _SEPARATOR.join(("%H", "%an", "%ae", "%cI"))
_MOST_BYTES: Final = 1024 * 1024
# Nothing that a repository's own settings name is run, nothing is fetched, and no index is refreshed.
_QUIET: Final = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "LC_ALL": "C",
}


class Commit(NamedTuple):
    """One commit that changed something below a folder."""

    id: str  # in full
    author: str  # as git writes it
    mail: str
    at: str  # when it was committed, ISO 8601 with an offset


def commits_below(folder: Path, since: str, *, timeout_s: float = TIMEOUT_S) -> list[Commit] | str:
    """Return the commits that changed something below a folder since an instant (ISO 8601), newest first; else why not.

    The reason is a sentence without a full stop: it is no repository, git is not there, or it took too long.
    """
    asked = ["git", "-c", "log.showSignature=false", "-c", "core.fsmonitor=false", "log", f"--since={since}"]
    asked += [f"--max-count={MOST_COMMITS}", f"--format={_FORMAT}", "--no-ext-diff", "--no-textconv", "--", "."]
    try:
        done = subprocess.run(
            asked,
            cwd=folder,
            env={**os.environ, **_QUIET},
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
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace")
        if "not a git repository" in said:
            return "it is no git repository"
        # A repository in which nobody committed yet has no history to tell of.
        return [] if "does not have any commits" in said else "git refuses to tell"
    lines = done.stdout[:_MOST_BYTES].decode("utf-8", "replace").splitlines()
    rows = [line.split(_SEPARATOR) for line in lines]
    return [Commit(*row) for row in rows if len(row) == len(Commit._fields)]
