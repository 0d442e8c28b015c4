"""Where the register of a fleet lies: on the server of its journals."""

from typing import TYPE_CHECKING
from typing import Final

from engram.base.machine.install_hints import install_command
from engram.errors import SettingsError

if TYPE_CHECKING:
    from engram.store.postgres.fleet_registry import FleetRegistry

_CONNECT_S: Final = 5.0


def open_registry(url: str) -> "FleetRegistry":
    """Return the register; nobody connects before it is used. Raises SettingsError without its driver."""
    try:
        from engram.store.postgres.fleet_registry import FleetRegistry  # noqa: PLC0415 - an extra, and 0.1 s
    except ImportError as problem:
        raise SettingsError("a fleet needs the package psycopg", hint=install_command("postgres")) from problem
    return FleetRegistry(url, _CONNECT_S)
