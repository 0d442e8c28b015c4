"""Where the key of a service is found: in the environment, else in the key ring of the desktop."""

import os


def find_api_key(variable: str, url: str) -> str:
    """Return the key of the service at a URL; empty when there is none.

    The key ring is asked only where the package keyring is installed (the extra of that name), for the password of the
    user URL in the service `engram`. One that is locked or not there, as on a machine without a desktop, holds nothing.
    """
    if found := os.environ.get(variable, ""):
        return found
    try:
        import keyring.errors  # noqa: PLC0415 - an extra, and 80 ms
    except ImportError:
        return ""
    try:
        return keyring.get_password("engram", url) or ""
    except keyring.errors.KeyringError:
        return ""
