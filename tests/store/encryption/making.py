"""An encrypted store for tests: its state file, and the person's key in a file outside."""

import base64
import secrets
from pathlib import Path

from engram.config.encryption_state import ON
from engram.config.encryption_state import EncryptionState
from engram.config.encryption_state import write_encryption
from engram.store.encryption.data_key import DataKey
from engram.store.encryption.data_key import make_data_key

SECRET = "Anna hides the blue ledger behind the third shelf"


def make_key_file(path: Path) -> bytes:
    """Write a fresh key of a person into a file and return it."""
    key = secrets.token_bytes(32)
    path.write_text(key.hex(), encoding="ascii")
    path.chmod(0o600)
    return key


def make_encrypted(state_file: Path, key_file: Path, *, phase: str = ON) -> DataKey:
    """Make a store encrypted, with a key of a person in that file; return its data key."""
    key = make_data_key()
    write_encryption(state_file, state_of(key, make_key_file(key_file), key_file, phase=phase))
    return key


def state_of(key: DataKey, own: bytes, key_file: Path, *, phase: str = ON) -> EncryptionState:
    """Return what the file says of a data key that is wrapped with a person's own."""
    wrapped, public_key = (base64.b64encode(part).decode() for part in (key.wrap(own), key.public_key))
    return EncryptionState(phase, key.id, f"file:{key_file}", wrapped, public_key, place="0123456789abcdef")
