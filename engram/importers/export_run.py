"""Exporting: the store as one archive, as a vault of notes, or as files of Engram v2.

A folder is made beside its place and put there by renaming, so it is there whole or not at all. It takes the place only
of nothing, of an empty folder, or of a folder that an earlier export made and nobody added to.
"""

import contextlib
import hashlib
import os
import shutil
import sys
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from typing import BinaryIO
from typing import NamedTuple

from engram.base.counts import counted
from engram.base.disk.files import fsync_folder
from engram.base.disk.given_files import open_given
from engram.base.disk.open_flags import restrict
from engram.base.disk.own_files import read_own_text
from engram.base.ids import new_id
from engram.base.text import sha256_hex
from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.importers.archive_import import export_archive
from engram.importers.export.archive import write_facts
from engram.importers.export.items import is_exported
from engram.importers.export.items import render_items_v2
from engram.importers.export.packed_facts import PackedFacts
from engram.importers.export.packed_facts import read_packed
from engram.importers.export.packed_facts import read_packed_with_use
from engram.importers.export.pool import is_lesson
from engram.importers.export.pool import pool_of
from engram.importers.export.shared import Shared
from engram.importers.export.shared import for_others
from engram.importers.export.shared import is_open
from engram.importers.export.vault import note_path
from engram.importers.export.vault import render_note
from engram.importers.export.vault import render_start
from engram.model.entity import Entity
from engram.model.fact import EXPERIENCE
from engram.model.fact import Fact
from engram.model.fact import Usage
from engram.ports.database import FactFilter
from engram.rules.temporal import holds_now
from engram.workspace import Workspace

FORMATS = ("jsonl", "markdown", "json")
STDOUT = "-"
MARKER = ".engram-export"  # a file in the folder of an export: the hash and name of every file in it
_START = "Memory.md"
_OBSIDIAN = ".obsidian"  # what Obsidian keeps in a vault that it opened


class ExportReport(NamedTuple):
    """What an export wrote."""

    path: str  # file or folder; "-" for standard output
    format: str
    counts: dict[str, int]  # what it holds, by kind
    left_out: int  # facts in quarantine, which no other reader should believe, or that others are not to see
    dry_run: bool
    redacted: bool = False  # for others to see

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the command line."""
        return self._asdict()

    def as_text(self) -> str:
        """Return the report for people."""
        held = ", ".join(f"{count} {what}" for what, count in self.counts.items())
        lines = [f"{'would export' if self.dry_run else 'exported'} {held} to {self.path} ({self.format})"]
        why = "that others are not to see" if self.redacted else "in quarantine"
        lines += [f"left out: {counted(self.left_out, 'fact')} {why}"] if self.left_out else []
        return "\n".join(lines)


def export_store(workspace: Workspace, path: str, form: str, *, redacted: bool = False, dry_run: bool) -> ExportReport:
    """Export to a file, a folder, or standard output (an archive only), and return what was written.

    `redacted` leaves out what others are not to see: see `importers.export.shared`. Raises BadValueError when the
    format needs a folder and there is none, RefusedError for a place that is taken.
    """
    if form == "jsonl":
        return _export_archive(workspace, path, redacted=redacted, dry_run=dry_run)
    if path == STDOUT:
        raise BadValueError(f"--format {form} writes a folder", hint="engram export FOLDER --format " + form)
    target = Path(path)
    _check_target(target)
    if redacted:
        shown = _shared(workspace)
        files = _files(workspace, form, shown, lambda _path: {})
    else:
        entities, facts = _read(workspace, FactFilter(status="all"), is_exported, with_use=form == "json")
        shown = Shared(entities, facts.of, facts.count, facts.left_out)
        files = _files(workspace, form, shown, facts.usages_of)
    if not dry_run:
        _write_folder(target, files)
    return ExportReport(str(target), form, _counted(shown), shown.left_out, dry_run, redacted)


def export_pool(workspace: Workspace, path: str, *, dry_run: bool) -> ExportReport:
    """Export the lessons of the pool as an archive, and return what was written; see `importers.export.pool`."""
    now = workspace.now()
    pool = pool_of(*_read(workspace, FactFilter(scopes=(EXPERIENCE,)), lambda fact: is_lesson(fact, now)))
    with _archive(path, dry_run=dry_run) as out:
        write_facts(out, pool.entities, pool.facts_of, at=workspace.now())
    return ExportReport(path, "jsonl", _counted(pool), pool.left_out, dry_run)


@contextlib.contextmanager
def _archive(path: str, *, dry_run: bool) -> Iterator[BinaryIO]:
    """Give the file, or standard output, that an archive goes to; a plan goes nowhere."""
    if path == STDOUT and not dry_run:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with Path(os.devnull).open("wb") if dry_run else _replacing(Path(path)) as out:
        yield out
        out.flush()


def _export_archive(workspace: Workspace, path: str, *, redacted: bool, dry_run: bool) -> ExportReport:
    with _archive(path, dry_run=dry_run) as out:
        if redacted:
            shared = _shared(workspace)
            write_facts(out, shared.entities, shared.facts_of, at=workspace.now())
            counts, left_out = _counted(shared), shared.left_out
        else:
            counts, left_out = export_archive(workspace, out, with_uses=not dry_run)._asdict(), 0
    return ExportReport(path, "jsonl", counts, left_out, dry_run, redacted)


def _shared(workspace: Workspace) -> Shared:
    now = workspace.now()
    return for_others(*_read(workspace, FactFilter(status="all"), lambda fact: is_open(fact, now)))


def _read(
    workspace: Workspace, wanted: FactFilter, is_shown: Callable[[Fact], bool], *, with_use: bool = False
) -> tuple[list[Entity], PackedFacts]:
    """Return all entities and the facts that are shown, of one state of the store, which is let go of then."""
    read = read_packed_with_use if with_use else read_packed
    workspace.store.apply_waiting()
    with workspace.reading() as database:
        return database.list_entities(), read(database, wanted, is_shown)


def _counted(shared: Shared) -> dict[str, int]:
    return {"entities": len(shared.entities), "facts": shared.fact_count}


@contextlib.contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """Give a file to write to that takes the place of `path` when it is whole; an archive may be written anew."""
    if path.is_dir():
        raise BadValueError(f"{path} is a folder", hint="name a file, such as memory.jsonl")
    if path.is_symlink() and not path.exists():  # such as one to a disk that is not there now
        raise RefusedError(f"{path} is a link that leads nowhere", hint="name another file, or mend the link")
    if path.exists() and not _is_archive(path):
        raise RefusedError(f"{path} is there and is no archive of Engram", hint="name another file")
    temporary = path.with_name(f".tmp-{new_id()}")
    try:
        with temporary.open("xb") as out:
            restrict(out.fileno(), 0o600)  # a memory is private
            yield out
            out.flush()
            os.fsync(out.fileno())
        temporary.replace(path)
        fsync_folder(path.parent)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _is_archive(path: Path) -> bool:
    try:
        with open_given(path, takes_pipes=False) as file:
            return file.read(64).startswith(b'{"kind":"engram-archive"')
    except OSError as problem:
        raise RefusedError(f"cannot write {path}: {problem.strerror or problem}", hint="name another file") from problem


def _files(
    workspace: Workspace, form: str, shown: Shared, usages_of: Callable[[str], Mapping[str, Usage]]
) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a folder, each by its name."""
    titles = {entity.path: entity.title for entity in shown.entities}
    live: dict[str, int] = {}
    for entity in shown.entities:
        own = shown.facts_of(entity.path)
        if form == "json":
            yield render_items_v2(entity, own, usages_of(entity.path))
            continue
        live[entity.path] = sum(holds_now(fact, workspace.now()) for fact in own)
        note = render_note(entity, own, titles, now=workspace.now(), zone=workspace.settings.zone)
        yield note_path(entity.path), note
    if form == "markdown":
        yield _START, render_start(titles, live)


def _check_target(target: Path) -> None:
    """Refuse a place that holds anything but an export as it was written."""
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise RefusedError(f"{target} is there and is no folder", hint="name another folder")
    if not target.exists() or not any(target.iterdir()):
        return
    marker = target / MARKER
    if not marker.is_file():
        raise RefusedError(f"{target} is not empty and was not made by an export", hint="name an empty folder")
    lines = read_own_text(marker).splitlines()
    written = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    for name, file in _files_in(target):
        if name != MARKER and (name not in written or _hash_of(file) != written[name]):
            raise RefusedError(
                f"{file} was changed or added since the export was written", hint="name another folder, or move it away"
            )


def _hash_of(file: Path) -> str:
    """Return the hash of a file, "" for what is none, such as a pipe: no export made it."""
    try:
        with open_given(file, takes_pipes=False) as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError:
        return ""


def _files_in(folder: Path) -> Iterator[tuple[str, Path]]:
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder).as_posix()
        if not file.is_dir() and not name.startswith(f"{_OBSIDIAN}/"):
            yield name, file


def _write_folder(target: Path, files: Iterable[tuple[str, bytes]]) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_name(f".tmp-{new_id()}")
    old = target.with_name(f".tmp-{new_id()}")
    try:
        digests = {}
        for name, content in files:
            file = beside / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            digests[name] = sha256_hex(content)
        beside.mkdir(mode=0o700, exist_ok=True)
        marks = "".join(f"{digest}  {name}\n" for name, digest in sorted(digests.items()))
        (beside / MARKER).write_text(marks, encoding="utf-8")
        if (target / _OBSIDIAN).is_dir():  # how a person arranged the vault stays with it
            shutil.copytree(target / _OBSIDIAN, beside / _OBSIDIAN, symlinks=True)
        if target.exists():
            target.rename(old)
        beside.rename(target)
        fsync_folder(target.parent)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
        if old.exists() and target.exists():
            shutil.rmtree(old)
        elif old.exists():
            old.rename(target)
