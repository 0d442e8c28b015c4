"""The files of an embedded index: what it says of itself, read without the engine and without a lock; its shards."""

import os
import shutil
from pathlib import Path

from engram.base.disk.files import write_durably
from engram.base.disk.own_files import read_own
from engram.store.index.state import State
from engram.store.index.state import read_state

STATE_FILE = "state.json"
_STALE_FILE = "stale"


def read_state_file(folder: Path) -> bytes | None:
    """Return what the file beside the points holds; None when it is not there."""
    try:
        return read_own(folder / STATE_FILE)
    except FileNotFoundError:
        return None


def index_state(folder: Path) -> State | None:
    """Return what the index in a folder knows of itself, without opening it; None when there is none, or a stale one.

    Raises DegradedIndexError when the file that says so is damaged.
    """
    raw = None if is_stale(folder) else read_state_file(folder)
    return None if raw is None else read_state(raw, str(folder / STATE_FILE))


def index_position(folder: Path) -> int | None:
    """Return the journal position of the index in a folder; see `index_state`."""
    state = index_state(folder)
    return None if state is None else state.position


def find_special(folder: Path) -> Path | None:
    """Return what is neither file nor folder below a folder, such as a pipe, for which an engine waits; or None."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if (found := find_special(Path(entry.path))) is not None:
                    return found
            elif not entry.is_file():
                return Path(entry.path)
    return None


def shards(folder: Path) -> list[Path]:
    """Return the folders of points, the one that is named and what crashes left."""
    return [path for path in folder.glob("shard*") if path.is_dir()]


def mark_stale(folder: Path) -> None:
    """Note durably that the index in a folder has to go: whoever opens it next removes it, under the index lock."""
    if folder.is_dir():
        write_durably(folder / _STALE_FILE, b"")


def is_stale(folder: Path) -> bool:
    """Tell whether the index in a folder has to go before anybody opens it."""
    return (folder / _STALE_FILE).exists()


def remove_index(folder: Path) -> None:
    """Remove everything that lies in the folder, so that the next opening begins at position 0."""
    (folder / STATE_FILE).unlink(missing_ok=True)
    for shard in shards(folder):
        shutil.rmtree(shard, ignore_errors=True)
    (folder / _STALE_FILE).unlink(missing_ok=True)  # last: a crash before leaves the mark
