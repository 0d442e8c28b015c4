"""Who works here: the person's name as git or the login knows it."""

import getpass
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from typing import NamedTuple

from engram.base.text import clean_statement
from engram.base.text import has_control
from engram.base.text import slugify

MOST_NAME_CHARS: Final = 80  # longer is no person's name
_GIT_TIMEOUT_S = 2.0
_MOST_GIT_BYTES = 4096

# Accounts that a system, an image or a runner makes, and what manuals tell one to type: they say who nobody is. What is
# missing here costs a name that looks odd, which `engram config owner` mends.
_NOBODY: Final = frozenset(
    (
        *("admin", "administrator", "agent", "app", "azureuser", "bot", "build", "builder", "centos", "ci"),
        *("circleci", "codespace", "coder", "container", "debian", "default", "dev", "developer", "docker"),
        *("ec2-user", "fedora", "github-actions", "gitlab-runner", "gitpod", "git", "guest", "jenkins"),
        *("jovyan", "name", "nobody", "node", "opc", "owner", "pi", "postgres", "root", "runner"),
        *("runneradmin", "sandbox", "service", "system", "test", "ubuntu", "user", "username", "vagrant"),
        *("vscode", "www-data", "your-name", "your-username"),
    )
)


class Person(NamedTuple):
    """A name and where it is from."""

    slug: str  # folder under people/
    title: str | None  # as people write it; None: as the slug says
    found: str  # for people: "as git says", ...


OWNER_UNKNOWN: Final = Person("owner", "Owner", "neither git nor the login names a person")


def named_persons(folder: Path) -> Iterator[Person]:
    """Yield who git says works in a folder, then whose login it is; a service account is nobody."""
    if (person := _person(_git_name(folder), "as git says")) is not None:
        yield person
    if (person := _person(_login(), "as the login says")) is not None:
        yield person._replace(title=None)


def _person(name: str, found: str) -> Person | None:
    """Return the person of a name that a program gave, None for what is none; of an address the part before the @."""
    title = clean_statement(name.partition("@")[0])
    slug = slugify(title)
    if not slug or slug in _NOBODY or len(title) > MOST_NAME_CHARS:
        return None
    return None if has_control(name) or "/" in title else Person(slug, title, found)


def _git_name(folder: Path) -> str:
    """Return git's user.name, or "" when git is not there, is not asked to know, or does not answer in time."""
    try:
        done = subprocess.run(  # without a shell, and the program that the user's own PATH means
            ["git", "config", "--get", "user.name"],  # noqa: S607 - whichever git is on PATH
            cwd=folder if folder.is_dir() else None,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_GIT_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    if done.returncode or len(done.stdout) > _MOST_GIT_BYTES:
        return ""
    return done.stdout.decode("utf-8", "replace").strip()


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # an account without a name: KeyError until Python 3.12
        return ""
