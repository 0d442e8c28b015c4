"""When DuckDB is loaded: by who touches the database, and by nobody else."""

from types import ModuleType


def duck_engine() -> ModuleType:
    """Return `store.database.duck_engine`."""
    from engram.store.database import duck_engine as loaded  # noqa: PLC0415 - 100 ms, for who touches the database

    return loaded
