"""A backup as it is written down: which files it holds, and up to which record of the journal."""

from collections import Counter
from pathlib import PurePosixPath
from typing import Annotated
from typing import Literal

from pydantic import AfterValidator
from pydantic import Field

from engram.base.text import is_utf8
from engram.model.value import Instant
from engram.model.value import Value


def _within(path: str) -> str:
    """A backup lies where others may write: none of its paths leads out of the folder that it is laid out in."""
    if PurePosixPath(path).is_absolute() or not {"", ".", ".."}.isdisjoint(path.split("/")) or "\0" in path:
        raise ValueError("a path of a backup stays within the workspace")
    if not is_utf8(path) or any(len(part.encode()) > _MAX_NAME_BYTES for part in path.split("/")):
        raise ValueError("a path of a backup is one that a file can have")
    return path


def _apart(files: "tuple[BackedUpFile, ...]") -> "tuple[BackedUpFile, ...]":
    """Each file is laid out once, and none stands where the folder of another one is."""
    taken = Counter(file.path for file in files)
    for path in taken:
        if taken[path] > 1 or any(str(folder) in taken for folder in PurePosixPath(path).parents):
            raise ValueError(f"two files of a backup cannot both be there: {path}")
    return files


_MAX_NAME_BYTES = 255  # what file systems take
_MAX_NS = 2**63  # what a system's time in nanoseconds stays below
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class BackedUpFile(Value):
    """One file of a workspace at the moment of a backup: its pieces, one after the other, are its bytes."""

    path: Annotated[str, AfterValidator(_within)]  # relative to the workspace
    size: Annotated[int, Field(ge=0)]  # bytes
    sha256: Digest  # of the whole file
    pieces: tuple[Digest, ...]  # SHA-256 of each piece, which is also its name; a file that grew got one more
    mode: Annotated[int, Field(ge=0, le=0o777)]  # permissions
    changed_ns: Annotated[int, Field(ge=-_MAX_NS, lt=_MAX_NS)]  # time of its last change, in nanoseconds since 1970


class BackupManifest(Value):
    """One whole backup. It is written last, so a backup without one was cut short and is none."""

    kind: Literal["engram-backup"] = "engram-backup"
    v: Literal[1] = 1  # format version
    id: str  # name of the backup; sorts by time
    at: Instant  # when it was made
    engram: str  # version that made it
    workspace: str  # folder that it was made of
    position: int  # last record of the journal
    head: str  # hash of the line of that record
    digests: dict[str, str]  # table -> digest of the database that this journal gives
    database_format: str  # by which those digests were made; another one gives others
    waiting: int  # commands in the spool
    left_out: tuple[str, ...] = ()  # files that are not in it, each with the reason
    files: Annotated[tuple[BackedUpFile, ...], AfterValidator(_apart)]  # in the order of their paths
    key: str = ""  # id of the key that signed the manifest; empty: none did
    signature: str = ""  # of `sha256`
    sha256: str = ""  # of the manifest itself, without this field and the two before
