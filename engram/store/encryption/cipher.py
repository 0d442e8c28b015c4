"""The two ways in which something is encrypted, both of the package `cryptography`, which is imported when it is used.

With a secret key: AES-256-GCM, a fresh random nonce before what it gives. With a public one: HPKE (RFC 9180) with
X25519, HKDF-SHA256 and AES-256-GCM. Both bind what is encrypted to where it belongs.
"""

import os
from typing import TYPE_CHECKING
from typing import Final

from engram.errors import EncryptionKeyError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.hpke import Suite

_NONCE: Final = 12
OVERHEAD: Final = _NONCE + 16  # bytes by which what is encrypted with a secret key is longer


class UndecryptableError(ValueError):
    """It was encrypted with another key, for another place, or has changed since."""


def encrypt(key: bytes, data: bytes, place: bytes) -> bytes:
    """Return what only the key opens, and only at its place."""
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - an extra, and tens of ms
    except ImportError as problem:
        raise _not_installed() from problem
    nonce = os.urandom(_NONCE)
    return nonce + AESGCM(key).encrypt(nonce, data, place)


def decrypt(key: bytes, data: bytes, place: bytes) -> bytes:
    """Return what was encrypted; raise UndecryptableError."""
    try:
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - as above
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - as above
    except ImportError as problem:
        raise _not_installed() from problem
    try:
        return AESGCM(key).decrypt(data[:_NONCE], data[_NONCE:], place)
    except (InvalidTag, ValueError) as problem:
        raise UndecryptableError("it cannot be decrypted") from problem


def encrypt_for(public_key: bytes, data: bytes, place: bytes) -> bytes:
    """Return what only the private key opens, and only at its place."""
    suite = _suite()
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey  # noqa: PLC0415 - as above

    return suite.encrypt(data, X25519PublicKey.from_public_bytes(public_key), place)


def decrypt_with(private_key: bytes, data: bytes, place: bytes) -> bytes:
    """Return what was encrypted for the key; raise UndecryptableError."""
    suite = _suite()
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - as above
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey  # noqa: PLC0415 - as above

    try:
        return suite.decrypt(data, X25519PrivateKey.from_private_bytes(private_key), place)
    except (InvalidTag, ValueError) as problem:
        raise UndecryptableError("it cannot be decrypted") from problem


def public_key_of(private_key: bytes) -> bytes:
    """Return the public key of a private one."""
    try:
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey  # noqa: PLC0415 - as above
    except ImportError as problem:
        raise _not_installed() from problem
    return X25519PrivateKey.from_private_bytes(private_key).public_key().public_bytes_raw()


def _suite() -> "Suite":
    try:
        from cryptography.hazmat.primitives.hpke import AEAD  # noqa: PLC0415 - as above
        from cryptography.hazmat.primitives.hpke import KDF  # noqa: PLC0415 - as above
        from cryptography.hazmat.primitives.hpke import KEM  # noqa: PLC0415 - as above
        from cryptography.hazmat.primitives.hpke import Suite  # noqa: PLC0415 - as above
    except ImportError as problem:
        raise _not_installed() from problem
    return Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.AES_256_GCM)


def _not_installed() -> EncryptionKeyError:
    from engram.base.machine.install_hints import install_command  # noqa: PLC0415 - seldom

    return EncryptionKeyError("encryption needs the package cryptography", hint=install_command("encryption"))
