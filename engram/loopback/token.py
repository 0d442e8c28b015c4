"""The token that a client of the HTTP door shows: made once for a workspace, in a file that only its owner reads."""

import hmac
import os
import secrets
from pathlib import Path

from engram.base.disk.own_files import open_own_bytes
from engram.errors import RefusedError

_BYTES = 32


def read_token(file: Path) -> str:
    """Return the token, made first when there is none.

    Raises RefusedError when the file is empty, or others may read it.
    """
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _read(file)
    with os.fdopen(handle, "w") as out:
        out.write(secrets.token_urlsafe(_BYTES) + "\n")
    return _read(file)


def is_token(token: str, said: bytes) -> bool:
    """Tell whether what a client says is the token, in a time that tells nothing of it."""
    return hmac.compare_digest(token.encode(), said)


def _read(file: Path) -> str:
    with open_own_bytes(file) as found:
        mode = os.fstat(found.fileno()).st_mode
        token = found.read().decode(errors="replace").strip()
    if mode & 0o077:
        raise RefusedError(f"others may read {file}", hint=f"chmod 600 {file}; or remove it, and a new token is made")
    if not token:
        raise RefusedError(f"{file} holds no token", hint="remove it, and a new token is made")
    return token
