"""The key with which heads of journals and backups are signed, in a file of the person's own.

HMAC-SHA256: who can check a signature can make one. Decision 0016 says why, and what that costs.
"""

import hashlib
import hmac
import os
import secrets
from typing import Final
from typing import NamedTuple

from engram.base.disk.own_files import open_own_bytes
from engram.base.log import warn
from engram.config.paths import config_folder

_BYTES: Final = 32
_FILE: Final = "signing.key"


class SigningKey(NamedTuple):
    """A secret, and the name by which signatures say that it made them."""

    secret: bytes

    @property
    def id(self) -> str:
        """Sixteen hexadecimal digits that tell nothing of the secret."""
        return self.sign("engram key id")[:16]

    def sign(self, said: str) -> str:
        """Return the signature of a text, in hexadecimal digits."""
        return hmac.new(self.secret, said.encode(), hashlib.sha256).hexdigest()

    def holds(self, said: str, signature: str) -> bool:
        """Tell whether the signature is this key's, of that text."""
        return hmac.compare_digest(self.sign(said).encode(), signature.encode())


def find_key() -> SigningKey | None:
    """Return the person's key; None where there is none, or it cannot be read."""
    try:
        secret = bytes.fromhex(_from_file().strip())
    except ValueError:
        secret = b""
    return SigningKey(secret) if len(secret) == _BYTES else None


def find_key_of(key_id: str) -> SigningKey | None:
    """Return the key of that id; None when it is not here."""
    key = find_key()
    return key if key is not None and key.id == key_id else None


def ensure_key() -> SigningKey | None:
    """Return the person's key, made now if there was none; None where none can be kept."""
    if find_key() is None:
        try:
            _into_file(secrets.token_hex(_BYTES))
        except OSError as problem:
            warn(f"no key for signatures can be kept: {problem.strerror or problem}")
    return find_key()


def _from_file() -> str:
    path = config_folder() / _FILE
    try:
        with open_own_bytes(path) as file:
            if os.fstat(file.fileno()).st_mode & 0o077:
                warn(f"others may read {path}: chmod 600 it")
            return file.read().decode("ascii")
    except (OSError, UnicodeDecodeError):
        return ""


def _into_file(text: str) -> None:
    path = config_folder() / _FILE
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = path.with_name(f"{_FILE}.{secrets.token_hex(4)}")
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(f"{text}\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(temporary, path)  # never over a key: what that one signed would be worth nothing
    except FileExistsError:
        pass  # another process was first
    finally:
        temporary.unlink()
