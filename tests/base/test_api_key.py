"""Keys of services: the environment before the key ring, and no key ring is no error."""

import sys
import types

import pytest

from engram.base.machine.api_key import find_api_key

URL = "https://example.org/v1"


class RingError(Exception):
    """What the package raises when the ring is locked or not there."""


@pytest.fixture
def ring(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """Put another program's package in its place: a key ring that knows one key."""
    ring, errors = types.ModuleType("keyring"), types.ModuleType("keyring.errors")
    ring.get_password = lambda service, user: {("engram", URL): "from-ring"}.get((service, user))  # type: ignore[attr-defined]
    errors.KeyringError = RingError  # type: ignore[attr-defined]
    ring.errors = errors  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keyring", ring)
    monkeypatch.setitem(sys.modules, "keyring.errors", errors)
    return ring


def test_the_environment_comes_before_the_key_ring(ring: types.ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "from-environment")

    assert find_api_key("MY_KEY", URL) == "from-environment"
    assert find_api_key("OTHER_KEY", URL) == "from-ring"
    assert find_api_key("OTHER_KEY", "https://example.com") == ""


def test_a_key_ring_that_is_locked_holds_nothing(ring: types.ModuleType) -> None:
    def refuse(service: str, user: str) -> str:
        raise RingError

    ring.get_password = refuse  # type: ignore[attr-defined]

    assert find_api_key("OTHER_KEY", URL) == ""


def test_without_the_package_there_is_no_key_ring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)

    assert find_api_key("OTHER_KEY", URL) == ""
