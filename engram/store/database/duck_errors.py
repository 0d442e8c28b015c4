"""What an error of the database engine means for us: damage of the file, trouble around it, or a wrong statement."""

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from engram.errors import DamagedDatabaseError

if TYPE_CHECKING:
    import duckdb

# Whatever the engine says of these is said of the machine, and the file may be sound.
_AROUND = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.EFBIG)


@contextlib.contextmanager
def translated(path: Path) -> Iterator[None]:
    """Let no exception of the engine pass that is not the fault of our own statement.

    Raises OSError for what is wrong around the file, such as a full disk, and DamagedDatabaseError for all else.
    """
    import duckdb  # noqa: PLC0415 - heavy

    try:
        yield
    except duckdb.Error as problem:
        if is_own_fault(problem):
            raise
        if number := _trouble_around(problem):
            raise OSError(number, os.strerror(number), str(path)) from problem
        raise DamagedDatabaseError(f"{path.name}: {str(problem).splitlines()[0]}", path=path.name) from problem


def is_own_fault(problem: "duckdb.Error") -> bool:
    """Tell whether the engine speaks of the statement, and not of the file. A table that is gone is the file's."""
    import duckdb  # noqa: PLC0415 - heavy

    spoken_of = (
        duckdb.ProgrammingError,
        duckdb.DataError,
        duckdb.IntegrityError,
        duckdb.NotSupportedError,
        duckdb.InterruptException,
        duckdb.PermissionException,
    )
    return isinstance(problem, spoken_of) and not isinstance(problem, duckdb.CatalogException)


def _trouble_around(problem: "duckdb.Error") -> int:
    """Return the number of the system's error that the engine quotes; 0 when it quotes none."""
    import duckdb  # noqa: PLC0415 - heavy

    if isinstance(problem, duckdb.OutOfMemoryException):
        return errno.ENOMEM
    said = str(problem).lower()
    return next((number for number in _AROUND if os.strerror(number).lower() in said), 0)
