"""What a power loss may leave of a folder: the file operations of a trace, under the rules of a file system.

posix: flushing a file makes its bytes durable, flushing a folder its entries; nothing else is promised.
ext4: flushing anything also makes all earlier changes of names durable, in their order.

Left out are locks, and the index: it is written through memory, where no trace shows it; see `index_pages`.
"""

import os
import random
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

RULES = ("posix", "ext4")
SURVIVORS = ("nothing", "names", "everything", "removals", "torn", "prefix")  # of what was not flushed
_SECTOR = 512  # bytes that a disk writes together
_LEFT_OUT = ("/.engram/index", "/.engram/locks")


class Event(NamedTuple):
    """One file operation."""

    kind: str
    path: str
    other: str  # to which a name was moved or linked
    offset: int
    data: bytes


class _Patch(NamedTuple):
    """Bytes that are not flushed: what was written, what is not there though the file has the size, or a new size."""

    kind: str  # write, hole or cut
    offset: int
    data: bytes = b""


class _File:
    def __init__(self, data: bytes = b"", *, is_folder: bool = False) -> None:
        self.durable = data
        self.pending: list[_Patch] = []
        self.is_folder = is_folder


class _Name(NamedTuple):
    """A change of names that is not flushed."""

    folder: str  # whose entry it is
    gone: str  # path that is taken away, or ""
    path: str  # path that is there then, or ""
    file: _File


def read_trace(trace: Path) -> list[Event]:
    """Return the events of a trace."""
    raw, at, events = trace.read_bytes(), 0, []
    while at < len(raw):
        end = raw.index(b"\n", at)
        kind, path, other, offset, size = raw[at:end].decode("utf-8", "replace").split("\t")
        at = end + 1 + int(size)
        events.append(Event(kind, path, other, int(offset), raw[end + 1 : at]))
        at += 1
    return [event for event in events if not any(part in event.path for part in _LEFT_OUT)]


class Disk:
    """A folder as its processes see it, and what of it is durable."""

    def __init__(self, root: Path, before: Path, rules: str) -> None:
        """Begin with a folder that is durable in all its parts; it lay at `before` then."""
        self._root = str(root)
        self._rules = rules
        self._pending: list[_Name] = []
        self._now: dict[str, _File] = {}
        for path in sorted(before.rglob("*")) if before.exists() else []:
            place = f"{root}/{path.relative_to(before)}"
            if not any(part in place for part in _LEFT_OUT) and not path.is_symlink():
                self._now[place] = _File(is_folder=True) if path.is_dir() else _File(path.read_bytes())
        self._durable = dict(self._now)

    def play(self, event: Event) -> None:
        """Let one more operation happen."""
        file = self._now.get(event.path)
        match event.kind:
            case "create" | "folder" if event.path != self._root:
                self._name("", event.path, _File(is_folder=event.kind == "folder"))
            case "write" if file is not None:
                file.pending.append(_Patch("write", event.offset, event.data))
            case "cut" if file is not None:
                file.pending.append(_Patch("cut", event.offset))
            case "rename" if file is not None:
                self._name(event.path, event.other, file)
            case "link" if file is not None:
                self._name("", event.other, file)
            case "remove" if file is not None:
                self._name(event.path, "", file)
            case "sync":
                self._flush(event.path, file)
            case "lost" if file is not None:  # a failed flush: the kernel takes the pages for clean, and drops them
                file.pending = [one._replace(kind="hole") if one.kind == "write" else one for one in file.pending]

    def _name(self, gone: str, path: str, file: _File) -> None:
        change = _Name(str(Path(path or gone).parent), gone, path, file)
        _rename(self._now, change)
        self._pending.append(change)

    def _flush(self, path: str, file: _File | None) -> None:
        if file is not None and not file.is_folder:
            for patch in file.pending:
                file.durable = _patched(file.durable, patch)
            file.pending = []
        is_folder = path == self._root or (file is not None and file.is_folder)
        done = [one for one in self._pending if self._rules == "ext4" or (is_folder and one.folder == path)]
        for change in done:
            _rename(self._durable, change)
        self._pending = [one for one in self._pending if one not in done]

    def after_power_loss(self, survivors: str, chance: random.Random) -> dict[str, bytes | None]:
        """Return path -> bytes, None for a folder, as a power loss may leave them."""
        names = dict(self._durable)
        pending = self._pending[: chance.randint(0, len(self._pending))] if survivors == "prefix" else self._pending
        for change in pending:
            if (
                survivors in {"names", "everything", "prefix"}
                or (survivors == "removals" and not change.path)
                or (survivors == "torn" and chance.random() < 0.5)
            ):
                _rename(names, change)
        return {path: None if file.is_folder else _left(file, survivors, chance) for path, file in names.items()}


def lay_out(files: Mapping[str, bytes | None], root: Path, target: Path) -> None:
    """Write what was left of a folder; what lies in a folder that is gone is gone."""
    target.mkdir(parents=True)
    for path in sorted(files):
        place, data = target / os.path.relpath(path, root), files[path]
        if not place.parent.is_dir():
            continue
        if data is None:
            place.mkdir(exist_ok=True)
        else:
            place.write_bytes(data)


def _rename(names: dict[str, _File], change: _Name) -> None:
    if change.gone:
        names.pop(change.gone, None)
        below = f"{change.gone}/"
        if change.file.is_folder and change.path:  # what lies in a folder goes with it
            for path in [path for path in names if path.startswith(below)]:
                names[f"{change.path}/{path.removeprefix(below)}"] = names.pop(path)
    if change.path:
        names[change.path] = change.file


def _left(file: _File, survivors: str, chance: random.Random) -> bytes:
    data = file.durable
    for patch in file.pending:
        for left in _pieces(patch, survivors, chance):
            data = _patched(data, left)
    return data


def _pieces(patch: _Patch, survivors: str, chance: random.Random) -> Sequence[_Patch]:
    """Return what arrives of a patch that was not flushed."""
    if survivors == "everything" or (survivors == "prefix" and chance.random() < 0.7):
        return [patch]
    if survivors != "torn":
        return []
    if patch.kind != "write":
        return [patch] if chance.random() < 0.7 else []
    hole = patch._replace(kind="hole")  # the size came, and these bytes did not
    sectors = range(0, len(patch.data), _SECTOR)
    there = [
        _Patch("write", patch.offset + at, patch.data[at : at + _SECTOR]) for at in sectors if chance.random() < 0.5
    ]
    return [hole, *there]


def _patched(data: bytes, patch: _Patch) -> bytes:
    end = patch.offset + len(patch.data)
    if patch.kind == "cut":
        return data[: patch.offset].ljust(patch.offset, b"\0")
    if patch.kind == "hole":
        return data.ljust(end, b"\0")
    return data[: patch.offset].ljust(patch.offset, b"\0") + patch.data + data[end:]
