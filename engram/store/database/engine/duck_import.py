"""When DuckDB is loaded: by who touches the database, and by nobody else."""

from types import ModuleType


def duck_engine() -> ModuleType:
    """Return `store.database.engine.duck_engine`."""
    from engram.store.database.engine import duck_engine as loaded  # noqa: PLC0415 - 100 ms, for who touches the database

    return loaded
