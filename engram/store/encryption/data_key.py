"""The data key of a store: 32 random bytes from which every other key is derived, wrapped with the person's own.

So the person's key can be changed without writing anything else anew.
"""

import base64
import functools
import hmac
import secrets
from typing import Final

from engram.errors import EncryptionKeyError
from engram.store.encryption.cipher import UndecryptableError
from engram.store.encryption.cipher import decrypt
from engram.store.encryption.cipher import encrypt
from engram.store.encryption.cipher import public_key_of

_BYTES: Final = 32
_WRAPPING: Final = "engram key wrapping v1"
_SPOOL: Final = "engram spool v1"


class DataKey:
    """The secret of a store, and the keys that come of it."""

    def __init__(self, secret: bytes) -> None:
        """Take the 32 bytes."""
        self._secret = secret

    @functools.cached_property
    def id(self) -> str:
        """Sixteen hexadecimal digits that tell nothing of the secret."""
        return self.derive("engram data key id v1").hex()[:16]

    @functools.cached_property
    def public_key(self) -> bytes:
        """With which whoever has no key may write what only this key opens."""
        return public_key_of(self.spool_key)

    @functools.cached_property
    def spool_key(self) -> bytes:
        """The private key of the spool."""
        return self.derive(_SPOOL)

    @functools.cache  # noqa: B019 - there are as many data keys in a process as there are stores
    def derive(self, purpose: str) -> bytes:
        """Return the key for a purpose: HKDF-Expand (RFC 5869) with SHA-256, of one block."""
        return _derive(self._secret, purpose)

    def wrap(self, own_key: bytes) -> bytes:
        """Return the secret as only the person's key gives it back."""
        return encrypt(_derive(own_key, _WRAPPING), self._secret, self._bound())

    def _bound(self) -> bytes:
        return f"{self.id} {base64.b64encode(self.public_key).decode()}".encode()


def make_data_key() -> DataKey:
    """Return a new key."""
    return DataKey(secrets.token_bytes(_BYTES))


def unwrap(wrapped: bytes, own_key: bytes, key_id: str, public_key: str) -> DataKey:
    """Return the data key. Raises EncryptionKeyError when the person's key is another one."""
    try:
        key = DataKey(decrypt(_derive(own_key, _WRAPPING), wrapped, f"{key_id} {public_key}".encode()))
    except UndecryptableError as problem:
        raise EncryptionKeyError(
            "the key that was found does not open this store",
            hint="put the right key back; nothing was lost, and commands wait in the spool until it is there",
        ) from problem
    if key.id != key_id or base64.b64encode(key.public_key).decode() != public_key:
        raise EncryptionKeyError("the key that was found does not open this store")
    return key


def _derive(secret: bytes, purpose: str) -> bytes:
    return hmac.digest(secret, purpose.encode() + b"\x01", "sha256")
