"""The two ways in which something is encrypted, both of the package `cryptography`, which is imported when it is used.

With a secret key: AES-256-GCM, a fresh random nonce before what it gives. With a public one: HPKE (RFC 9180) with
X25519, HKDF-SHA256 and AES-256-GCM. Both bind what is encrypted to where it belongs.
"""

from collections.abc import Callable
from types import ModuleType

from engram.errors import EncryptionKeyError


class UndecryptableError(ValueError):
    """It was encrypted with another key, for another place, or has changed since."""


def encrypt(key: bytes, data: bytes, place: bytes) -> bytes:
    """Return what only the key opens, and only at its place."""
    encrypted: bytes = _primitives().encrypt(key, data, place)
    return encrypted


def decrypt(key: bytes, data: bytes, place: bytes) -> bytes:
    """Return what was encrypted; raise UndecryptableError."""
    return _opened(_primitives().decrypt, key, data, place)


def encrypt_packed(key: bytes, data: bytes, place: bytes) -> bytes:
    """Return what `encrypt` does, of the data in fewer bytes."""
    encrypted: bytes = _primitives().encrypt_packed(key, data, place)
    return encrypted


def decrypt_packed(key: bytes, data: bytes, place: bytes) -> bytes:
    """Return what was encrypted by `encrypt_packed`; raise UndecryptableError."""
    return _opened(_primitives().decrypt_packed, key, data, place)


def encrypt_for(public_key: bytes, data: bytes, place: bytes) -> bytes:
    """Return what only the private key opens, and only at its place."""
    encrypted: bytes = _primitives().encrypt_for(public_key, data, place)
    return encrypted


def decrypt_with(private_key: bytes, data: bytes, place: bytes) -> bytes:
    """Return what was encrypted for the key; raise UndecryptableError."""
    return _opened(_primitives().decrypt_with, private_key, data, place)


def public_key_of(private_key: bytes) -> bytes:
    """Return the public key of a private one."""
    found: bytes = _primitives().public_key_of(private_key)
    return found


def _opened(decrypting: Callable[[bytes, bytes, bytes], bytes], key: bytes, data: bytes, place: bytes) -> bytes:
    try:
        return decrypting(key, data, place)
    except ValueError as problem:
        raise UndecryptableError("it cannot be decrypted") from problem


def _primitives() -> ModuleType:
    try:
        from engram.store.encryption import primitives  # noqa: PLC0415 - cryptography is an extra, and takes tens of ms
    except ImportError as problem:
        from engram.base.machine.install_hints import install_command  # noqa: PLC0415 - 19 ms, and only where it lacks

        message = "encryption needs the package cryptography"
        raise EncryptionKeyError(message, hint=install_command("encryption")) from problem
    return primitives
