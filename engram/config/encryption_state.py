"""What `.engram/encryption.json` says: that a store is encrypted, and with which key. Light: every hook asks.

The file holds no secret. The data key in it is wrapped with the person's own key, which lies elsewhere.
"""

import json
from pathlib import Path
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.disk.files import make_folder
from engram.base.disk.files import write_durably
from engram.base.disk.own_files import read_own
from engram.base.json_values import load_json
from engram.errors import DamagedStateError
from engram.errors import NewerFormatError

FILE: Final = "encryption.json"
TURNING_ON: Final = "turning_on"
ON: Final = "on"
TURNING_OFF: Final = "turning_off"
_PHASES: Final = (TURNING_ON, ON, TURNING_OFF)
_VERSION: Final = 1


class EncryptionState(NamedTuple):
    """How a store is encrypted."""

    phase: str  # turning_on and turning_off: a change that is not done yet
    key_id: str  # of the data key
    source: str  # where the person's key is, as in store.encryption_key
    wrapped: str  # the data key, encrypted with the person's key; base64
    public_key: str  # with which whoever has no key may still spool; base64
    place: str  # names the folder in memory; another one for every store

    @property
    def encrypts(self) -> bool:
        """Whether what is written now is encrypted; what is read may be either."""
        return self.phase != TURNING_OFF


def read_encryption(path: Path) -> EncryptionState | None:
    """Return how the store is encrypted; None where it is not.

    Raises DamagedStateError for a file that does not read, and NewerFormatError for one of a newer version: never is
    such a store taken for one in the clear.
    """
    try:
        data = read_own(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        said: Any = load_json(data)
        if said["v"] > _VERSION:
            raise NewerFormatError(f"{path.name} was written by a newer Engram: it is of version {said['v']}")
        state = EncryptionState(**{name: str(said[name]) for name in EncryptionState._fields})
    except (ValueError, TypeError, KeyError) as problem:
        raise _damaged(path) from problem
    if state.phase not in _PHASES or not state.place.isalnum():
        raise _damaged(path)
    return state


def write_encryption(path: Path, state: EncryptionState) -> None:
    """Write the file durably."""
    make_folder(path.parent)
    write_durably(path, json.dumps({"v": _VERSION, **state._asdict()}, ensure_ascii=False, indent=1).encode() + b"\n")


def _damaged(path: Path) -> DamagedStateError:
    return DamagedStateError(
        f"{path.name} does not read as what says how the store is encrypted",
        hint=f"put .engram/{path.name} back from a backup, or from the copy in ~/.config/engram/encryption",
        path=str(path),
    )
