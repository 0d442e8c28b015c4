"""Texts of a source as files in memory/FORMAT/: never over what is there, never outside, never with a secret.

A text that one session alone may see lies in memory/FORMAT/SESSION/. A file that was there is left as it is, unless the
text of the source begins with all of it: a note that grew since it was imported gets what was added.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from engram.base.disk.files import make_folder
from engram.base.disk.files import write_durably
from engram.base.disk.given_files import read_given
from engram.base.text import sha256_hex
from engram.config.paths import Paths
from engram.importers.memories.items import Effect
from engram.importers.memories.items import NoteItem
from engram.importers.memories.items import Remark
from engram.language.screen.secrets import redact
from engram.services.imports.ledger import ImportEntry
from engram.services.imports.ledger import KeptFile

_UNSAFE = re.compile(r"[^\w. +()-]+")
_NAME_BYTES = 120  # of a file name, without what tells two of them apart
_ENDING = ".md"


class NotePlan(NamedTuple):
    """What will be written; nothing is written yet."""

    files: list[tuple[KeptFile, bytes]]  # whole content of each file
    known: int  # notes that are there already, or were imported before
    remarks: list[Remark]


def plan_notes(paths: Paths, form: str, notes: Sequence[NoteItem], earlier: Sequence[ImportEntry]) -> NotePlan:
    """Return what the notes of a source become, given the imports that were made before."""
    folder = paths.memory / form
    if not all(_is_inside(folder / note.session, paths.memory) for note in notes):
        reason = f"{paths.relative(folder)} leads out of memory/"
        return NotePlan([], 0, [Remark(note.file, "", reason) for note in notes])
    before = {(file.path, file.source) for entry in earlier if entry.undone_at is None for file in entry.files}
    plan = NotePlan([], 0, [])
    taken: dict[str, str] = {}
    for note in notes:
        name = _file_name(redact(note.name).text)
        if taken.setdefault(f"{note.session}/{name}".casefold(), note.file) != note.file:
            name = f"{name.removesuffix(_ENDING)}-{sha256_hex(note.file)[:8]}{_ENDING}"
        plan = _plan_note(paths, folder / note.session / name, note, before, plan)
    return plan


def write_notes(paths: Paths, files: Sequence[tuple[KeptFile, bytes]]) -> None:
    """Write planned files; each is there whole or not at all."""
    for kept, content in files:
        path = paths.root / kept.path
        make_folder(path.parent, root=paths.root)
        write_durably(path, content, root=paths.root)


def _plan_note(paths: Paths, path: Path, note: NoteItem, before: set[tuple[str, str]], plan: NotePlan) -> NotePlan:
    cleaned = redact(note.text)
    content = cleaned.text.encode("utf-8")
    where = paths.relative(path)
    kept = KeptFile(
        where, sha256_hex(note.text.encode("utf-8")), sha256_hex(content), home=note.home, home_title=note.home_title
    )
    there = _content(path)
    if there == content or (there is not None and (where, kept.source) in before):
        return plan._replace(known=plan.known + 1)
    if there is not None and not content.startswith(there):
        reason = f"{where} is there with another content, and is left as it is"
        return plan._replace(remarks=[*plan.remarks, Remark(note.file, "", reason)])
    remarks = list(plan.remarks)
    if cleaned.kinds:
        kinds = ", ".join(cleaned.kinds)
        remarks.append(Remark(note.file, "", f"secrets were taken out of it: {kinds}", Effect.CHANGED))
    return plan._replace(files=[*plan.files, (kept._replace(added=bool(there)), content)], remarks=remarks)


def _file_name(name: str) -> str:
    stem = _UNSAFE.sub("-", name)
    stem = stem[: -len(_ENDING)] if stem.casefold().endswith(_ENDING) else stem
    stem = stem.strip(" .-") or "note"
    while len(stem.encode()) > _NAME_BYTES:
        stem = stem[:-1]
    return f"{stem.rstrip(' .-')}{_ENDING}"


def _is_inside(folder: Path, root: Path) -> bool:
    return Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(root))


def _content(path: Path) -> bytes | None:
    """Return what stands there; what is no file counts as another content, and so does a link, whatever it leads to."""
    if not os.path.lexists(path):
        return None
    try:
        return b"\0" if path.is_symlink() else read_given(path)
    except FileNotFoundError:
        return None
    except OSError:
        return b"\0"
