"""What an error of the database engine means for us: damage of the file, trouble around it, or a wrong statement."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from engram.errors import DamagedDatabaseError
from engram.store.database.engine.duck_import import duck_engine


@contextlib.contextmanager
def translated(path: Path) -> Iterator[None]:
    """Let no exception of the engine pass that is not the fault of our own statement.

    Raises OSError for what is wrong around the file, such as a full disk, and DamagedDatabaseError for all else.
    """
    engine = duck_engine()

    try:
        yield
    except engine.Error as problem:
        if engine.is_own_fault(problem):
            raise
        if number := engine.trouble_around(problem):
            raise OSError(number, os.strerror(number), str(path)) from problem
        raise DamagedDatabaseError(f"{path.name}: {str(problem).splitlines()[0]}", path=path.name) from problem
