"""Where the person's own key is: in the key ring, in a file, or printed by a command.

The key is 32 random bytes, written as 64 hexadecimal digits. A passphrase is none: what wraps a data key with it
could be tried out at leisure.
"""

import hashlib
import importlib
import os
import secrets
import shlex
import subprocess
from pathlib import Path
from typing import Any
from typing import Final

from engram.base.disk.home import at_home
from engram.base.disk.own_files import open_own
from engram.base.disk.own_files import open_own_bytes
from engram.base.disk.own_files import read_own_text
from engram.base.log import warn
from engram.base.machine.install_hints import install_command
from engram.config.paths import config_folder
from engram.errors import BadValueError
from engram.errors import EncryptionKeyError

KEYRING: Final = "keyring"
FILE: Final = "file:"
COMMAND: Final = "command:"
_BYTES: Final = 32
_SERVICE, _USER = "engram", "store encryption key"
_COMMAND_S: Final = 60.0  # that a command may take: a person may have to unlock something
_FORM: Final = "a key is 64 hexadecimal digits, as openssl rand -hex 32 prints them"
_SOURCES: Final = "engram config store.encryption_key file:PATH; or keyring, or command:PROGRAM"


def require_source(source: str, root: Path) -> None:
    """Raise BadValueError for what names no place of a key, and for a file within the workspace."""
    if source == KEYRING or (source.startswith(COMMAND) and _words(source)):
        return
    if not source.startswith(FILE):
        raise BadValueError(f"{source!r} does not say where the key is" if source else "no key is named", hint=_SOURCES)
    path = _path(source)
    if not path.is_absolute():
        raise BadValueError(f"the file of the key needs a whole path, not {str(path)!r}", hint=_SOURCES)
    if path.resolve().is_relative_to(root.resolve()):
        raise BadValueError(
            f"{path} lies within the workspace: whoever takes that would have the key, too",
            hint="name a file outside, best on another disk",
        )


def find_key(source: str) -> bytes:
    """Return the person's key. Raises EncryptionKeyError with one sentence where it cannot be had."""
    text = _read(source)
    if not text:
        raise EncryptionKeyError(f"there is no key in {_words_for(source)}", hint=_hint(source))
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != _BYTES:
        raise EncryptionKeyError(f"what is in {_words_for(source)} is no key", hint=_FORM)
    return key


def ensure_key(source: str) -> bytes:
    """Return the person's key, made now where a key ring or a file has none; approve the command of one."""
    approve(source)
    if not source.startswith(COMMAND) and not _read(source):
        _keep(source, secrets.token_hex(_BYTES))
    return find_key(source)


def approve(source: str) -> None:
    """Let the command of a source be run from now on; a file or a key ring needs no leave."""
    if not source.startswith(COMMAND) or is_approved(source):
        return
    path = _approvals()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os.fdopen(open_own(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), "w", encoding="ascii") as file:
        file.write(f"{_digest(source)}\n")


def is_approved(source: str) -> bool:
    """Tell whether this person has had the command run before: a workspace must not bring commands of its own."""
    try:
        return _digest(source) in read_own_text(_approvals()).split()
    except (OSError, UnicodeDecodeError):
        return False


def _approvals() -> Path:
    return config_folder() / "key-commands"


def _digest(source: str) -> str:
    return hashlib.sha256(source.encode()).hexdigest()


def _read(source: str) -> str:
    if source == KEYRING:
        return _from_keyring()
    return _from_command(source) if source.startswith(COMMAND) else _from_file(_path(source))


def _keep(source: str, text: str) -> None:
    if source == KEYRING:
        _into_keyring(text)
        return
    path = _path(source)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(f"{text}\n")
        file.flush()
        os.fsync(file.fileno())


def _from_file(path: Path) -> str:
    try:
        with open_own_bytes(path) as file:
            if os.fstat(file.fileno()).st_mode & 0o077:
                warn(f"others may read {path}: chmod 600 it")
            return file.read().decode("ascii").strip()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        return "?"
    except OSError as problem:
        why = problem.strerror or str(problem)
        raise EncryptionKeyError(f"the key in {path} cannot be read: {why}", hint=_hint(FILE)) from problem


def _from_command(source: str) -> str:
    if not is_approved(source):
        raise EncryptionKeyError(
            "the command that prints the key has never been approved here",
            hint="look at it with engram encrypt status, then engram encrypt on approves it",
        )
    try:
        done = subprocess.run(
            _words(source),
            cwd=config_folder(),  # what it names without a whole path is never a file that a workspace brought
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            timeout=_COMMAND_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise EncryptionKeyError(f"the command that prints the key failed: {problem}", hint=_hint(source)) from problem
    if done.returncode:
        raise EncryptionKeyError(f"the command that prints the key ended with {done.returncode}", hint=_hint(source))
    return done.stdout.decode("ascii", "replace").strip()


def _from_keyring() -> str:
    keyring = _keyring()
    try:
        return keyring.get_password(_SERVICE, _USER) or ""
    except Exception as problem:
        raise EncryptionKeyError(f"the key ring cannot be opened: {problem}", hint=_hint(KEYRING)) from problem


def _into_keyring(text: str) -> None:
    keyring = _keyring()
    try:
        keyring.set_password(_SERVICE, _USER, text)
    except Exception as problem:
        raise EncryptionKeyError(f"the key ring keeps nothing: {problem}", hint=_hint(KEYRING)) from problem


def _keyring() -> Any:
    try:
        return importlib.import_module("keyring")  # an extra, and 80 ms
    except ImportError as problem:
        raise EncryptionKeyError("the key ring needs the package keyring", hint=install_command("keyring")) from problem


def _path(source: str) -> Path:
    return at_home(source.removeprefix(FILE))


def _words(source: str) -> list[str]:
    try:
        return shlex.split(source.removeprefix(COMMAND))
    except ValueError as problem:
        raise BadValueError(f"the command of the key does not read: {problem}", hint=_SOURCES) from problem


def _words_for(source: str) -> str:
    if source == KEYRING:
        return "the key ring"
    return "what the command prints" if source.startswith(COMMAND) else str(_path(source))


def _hint(source: str) -> str:
    if source == KEYRING:
        return "unlock the key ring; nothing was lost, and commands wait in the spool until the key is back"
    where = "let the command print the key" if source.startswith(COMMAND) else "put the file with the key back"
    return f"{where}; nothing was lost, and commands wait in the spool until it is there"
