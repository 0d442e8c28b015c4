"""What the git repository of a folder says of commits and files, without a network call and within a time limit.

The repository may be anybody's work, so nothing that its settings name is run. A folder that git does not trust, such
as another user's, is answered with None, as is everything that takes too long.
"""

import os
import subprocess
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final

_MOST_BYTES: Final = 1 << 20  # of an answer
SAFELY: Final = (  # nothing of the repository's settings runs, and no object is fetched
    *("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never"),
    *("--no-pager", "--no-optional-locks"),
)
_ALONE: Final = {"GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "LC_ALL": "C"}
_COMMIT: Final = b"commit"


def is_repository(folder: str) -> bool:
    """Tell whether a folder is the top of a repository."""
    return os.path.lexists(os.path.join(folder, ".git"))  # noqa: PTH118 - hooks are spared pathlib


def find_commits(folder: str, hashes: Sequence[str], wait_s: float) -> Mapping[str, bool] | None:
    """Return for each hash whether the repository has such a commit; None when that cannot be told.

    A shallow copy cannot tell what it lacks, and of a short hash that fits several objects nothing is said.
    """
    asked = "".join(f"{one}^{{commit}}\n" for one in hashes)
    answer = _ask(folder, ["cat-file", "--batch-check=%(objecttype)"], wait_s, asked.encode())
    if answer is None:
        return None
    lines = answer.splitlines()
    if len(lines) != len(hashes):
        return None
    told = {one: line == _COMMIT for one, line in zip(hashes, lines, strict=True) if not line.endswith(b" ambiguous")}
    is_shallow = not all(told.values()) and os.path.lexists(os.path.join(folder, ".git", "shallow"))  # noqa: PTH118
    return {one: True for one, has in told.items() if has} if is_shallow else told


def list_tracked(folder: str, names: Sequence[str], wait_s: float) -> list[str] | None:
    """Return the paths of the tracked files with one of these names, in whatever folder; None when git cannot tell."""
    wanted = [f":(top,glob)**/{name}" for name in names]
    answer = _ask(folder, ["ls-files", "-z", "--", *wanted], wait_s)
    return None if answer is None else [one for one in answer.decode("utf-8", "replace").split("\0") if one]


def git_environment() -> dict[str, str]:
    """Return the variables to call git with: it asks nobody, and means the folder that it is called in.

    A hook of git, which may call us, has variables that name another repository.
    """
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    given = {name: os.environ[name] for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM") if name in os.environ}
    return {**own, **given, **_ALONE}


def _ask(folder: str, words: Sequence[str], wait_s: float, said: bytes = b"") -> bytes | None:
    """Return what git prints; None when it is not there, refuses, or does not answer in time."""
    if wait_s <= 0 or not is_repository(folder):
        return None
    above = {"GIT_CEILING_DIRECTORIES": os.path.dirname(folder)}  # noqa: PTH120 - as above
    try:
        done = subprocess.run(  # without a shell, and the program that the user's own PATH means
            ["git", *SAFELY, "-C", folder, *words],  # noqa: S607 - whichever git is on PATH
            input=said,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=wait_s,
            check=False,
            env={**git_environment(), **above},
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return None if done.returncode or len(done.stdout) > _MOST_BYTES else done.stdout
