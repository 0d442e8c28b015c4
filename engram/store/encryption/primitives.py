"""The two ways of `cipher` in terms of the package `cryptography`. Raises ValueError for what cannot be decrypted."""

import os
import zlib
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hpke import AEAD
from cryptography.hazmat.primitives.hpke import KDF
from cryptography.hazmat.primitives.hpke import KEM
from cryptography.hazmat.primitives.hpke import Suite

NONCE: Final = 12  # bytes before what is encrypted with a secret key
_SUITE: Final = Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.AES_256_GCM)
_EFFORT: Final = 6  # of packing, 1 to 9
_WRONG: Final = "it was encrypted with another key, for another place, or has changed since"


def encrypt(key: bytes, data: bytes, place: bytes) -> bytes:
    """Return what only the key opens, and only at its place."""
    nonce = os.urandom(NONCE)
    return nonce + AESGCM(key).encrypt(nonce, data, place)


def decrypt(key: bytes, data: bytes, place: bytes) -> bytes:
    """Return what was encrypted."""
    try:
        return AESGCM(key).decrypt(data[:NONCE], data[NONCE:], place)
    except InvalidTag as problem:
        raise ValueError(_WRONG) from problem


def encrypt_packed(key: bytes, data: bytes, place: bytes) -> bytes:
    """Return what `encrypt` does, of the data in fewer bytes."""
    return encrypt(key, zlib.compress(data, _EFFORT), place)


def decrypt_packed(key: bytes, data: bytes, place: bytes) -> bytes:
    """Return what was encrypted by `encrypt_packed`."""
    return zlib.decompress(decrypt(key, data, place))


def encrypt_for(public_key: bytes, data: bytes, place: bytes) -> bytes:
    """Return what only the private key opens, and only at its place."""
    return _SUITE.encrypt(data, X25519PublicKey.from_public_bytes(public_key), place)


def decrypt_with(private_key: bytes, data: bytes, place: bytes) -> bytes:
    """Return what was encrypted for the key."""
    try:
        return _SUITE.decrypt(data, X25519PrivateKey.from_private_bytes(private_key), place)
    except InvalidTag as problem:
        raise ValueError(_WRONG) from problem


def public_key_of(private_key: bytes) -> bytes:
    """Return the public key of a private one."""
    return X25519PrivateKey.from_private_bytes(private_key).public_key().public_bytes_raw()
