"""Who committed what below a folder, as its repository tells it: read-only, without a network, within a time limit."""

import subprocess
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


def commits_below(folder: Path, since: str, *, timeout_s: float = TIMEOUT_S) -> list[Commit] | str:
    """Return the commits that changed something below a folder since an instant (ISO 8601), newest first; else why not.

    The reason is a sentence without a full stop: it is no repository, git is not there, or it took too long.
    """
    asked = ["git", *SAFELY, "-c", "log.showSignature=false", "log", "-z", f"--since={since}"]
    asked += [f"--max-count={MOST_COMMITS}", f"--format={_FORMAT}", "--no-ext-diff", "--no-textconv", "--", "."]
    try:
        done = subprocess.run(
            asked,
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
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace")
        if "not a git repository" in said:
            return "it is no git repository"
        # A repository in which nobody committed yet has no history to tell of.
        return [] if "does not have any commits" in said else "git refuses to tell"
    fields = done.stdout[:_MOST_BYTES].decode("utf-8", "replace").rstrip("\0").split("\0")
    width = len(Commit._fields)
    return [Commit(*fields[at : at + width]) for at in range(0, len(fields) - width + 1, width)]
