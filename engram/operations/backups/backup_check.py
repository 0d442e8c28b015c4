"""Whether the backups of a folder are whole: every piece is read, and the newest is restored into a scratch folder."""

import os
from pathlib import Path
from typing import Any
from typing import NamedTuple

from engram.base.disk.home import at_home
from engram.errors import DamagedBackupError
from engram.errors import EngramError
from engram.model.backup import BackupManifest
from engram.operations.backups.backup_layout import laid_out
from engram.operations.backups.backup_layout import require_as_backed_up
from engram.services.backup.history import head_text
from engram.store.backup_folder import BackupFolder
from engram.store.backup_folder import bears_signature
from engram.store.signature.key import find_key_of


class BackupCheck(NamedTuple):
    """What was found of one backup."""

    id: str
    position: int | None  # None: its manifest does not read
    head: str
    is_restored: bool  # it was laid out, and its database built
    is_signed: bool | None  # with the key of this person; None: not signed, or with another key
    problems: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the command line."""
        return {
            "backup": self.id,
            "position": self.position,
            "head": self.head,
            "restored": self.is_restored,
            "signed": self.is_signed,
            "problems": list(self.problems),
        }


def verify_backups(folder: Path) -> list[BackupCheck]:
    """Read every piece of every backup in a folder, restore the newest beside, and return what was found, oldest first.

    Raises NotFoundError when there is no backup.
    """
    place = BackupFolder(at_home(folder).resolve())
    listed = place.backups()
    if not listed.damaged:
        place.require_any()
    checked = _Pieces(place)
    found = [
        BackupCheck(said.partition(".json")[0], None, "", is_restored=False, is_signed=None, problems=(said,))
        for said in listed.damaged
    ]
    for manifest in listed.whole:
        problems = checked.problems_of(manifest)
        is_newest = manifest is listed.whole[-1]
        if is_newest and not problems:
            problems = _restore_problems(place, manifest)
        head = head_text(manifest.position, manifest.head)
        is_signed = bears_signature(manifest, find_key_of(manifest.key))
        if is_signed is False:
            problems = (*problems, "the manifest does not bear the signature of its key")
        found.append(
            BackupCheck(
                manifest.id, manifest.position, head, is_restored=is_newest, is_signed=is_signed, problems=problems
            )
        )
    return sorted(found, key=lambda one: one.id)


class _Pieces:
    """The pieces of a folder, each read once."""

    def __init__(self, place: BackupFolder) -> None:
        self._place = place
        self._damage: dict[str, str] = {}  # of pieces that were read -> what is wrong with them, or nothing

    def problems_of(self, manifest: BackupManifest) -> tuple[str, ...]:
        damages = ((file.path, self._damage_of(name, file.size)) for file in manifest.files for name in file.pieces)
        return tuple(f"{path}: {damage}" for path, damage in damages if damage)

    def _damage_of(self, name: str, most: int) -> str:
        if name not in self._damage:
            try:
                with Path(os.devnull).open("wb") as nowhere:
                    self._place.copy(name, nowhere, most)
                self._damage[name] = ""
            except DamagedBackupError as damage:
                self._damage[name] = damage.message
        return self._damage[name]


def _restore_problems(place: BackupFolder, manifest: BackupManifest) -> tuple[str, ...]:
    try:
        with (
            place.scratch() as folder,
            laid_out(place, manifest, folder) as scratch,
            scratch.store.projection.folded() as rebuilt,
        ):
            require_as_backed_up(rebuilt, manifest)
    except EngramError as problem:
        return (problem.message,)
    return ()
