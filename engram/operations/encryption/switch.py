"""Encryption turned on, turned off, or given another key, while others go on: they wait for the store, or spool.

Whoever is killed on the way leaves a store that reads as it did; the same command goes on with it.
"""

import base64
import contextlib
import secrets
import shutil
from collections.abc import Iterator
from typing import Final
from typing import NamedTuple

from engram.base.disk.faults import fault_point
from engram.base.disk.files import make_folder
from engram.base.disk.own_files import read_own
from engram.base.text import sha256_hex
from engram.config.encryption_state import ON
from engram.config.encryption_state import TURNING_OFF
from engram.config.encryption_state import TURNING_ON
from engram.config.encryption_state import EncryptionState
from engram.config.encryption_state import read_encryption
from engram.config.encryption_state import write_encryption
from engram.config.memory_folder import memory_folder
from engram.config.memory_folder import require_memory_folder
from engram.config.paths import config_folder
from engram.errors import DamagedStateError
from engram.errors import RefusedError
from engram.operations.backups.backup import backups_made
from engram.operations.encryption.migration import Migration
from engram.operations.encryption.migration import files_encrypted
from engram.rules.life.waiting_files import is_ours
from engram.store.encryption.data_key import DataKey
from engram.store.encryption.data_key import make_data_key
from engram.store.encryption.key_source import approve
from engram.store.encryption.key_source import ensure_key
from engram.store.encryption.key_source import require_source
from engram.store.encryption.store_cipher import StoreCipher
from engram.store.encryption.store_cipher import unlock
from engram.store.store_format import note_encryption
from engram.workspace import Workspace

_WAITS_S: Final = 60.0  # for the store, at least


class Switched(NamedTuple):
    """What was done."""

    status: str  # on, off or rekeyed
    source: str  # where the key is
    files: int  # that were written anew
    left: tuple[str, ...] = ()  # pages in life/ and ops/ that are not as Engram wrote them, so that they stay
    backups: tuple[str, ...] = ()  # made before: in the clear, or with the key of before


class Switch:
    """Turns the encryption of one workspace on and off."""

    def __init__(self, workspace: Workspace) -> None:
        """Take the workspace."""
        self._workspace = workspace
        self._paths = workspace.paths
        self._cipher = StoreCipher(self._paths.encryption)
        self._migration = Migration(self._paths, self._cipher)

    def turn_on(self) -> Switched:
        """Encrypt the store, or go on with that; what is encrypted already stays as it is.

        Raises EncryptionKeyError where no key can be had or made, and the errors of a journal that does not read:
        then nothing has changed.
        """
        at, state = self._workspace, read_encryption(self._paths.encryption)
        if state is not None and state.phase == TURNING_OFF:
            raise RefusedError("encryption is being turned off", hint="engram encrypt off goes on with that")
        if state is None:
            self._require_sound()
            state = self._begin()
        else:
            approve(state.source)
            unlock(state)
        with self._held():
            at.progress("encrypting")
            files = self._migration.encrypt()
            self._migration.remove_projections()
            left = self._remove_pages()
            fault_point("before-encrypted")
            write_encryption(self._paths.encryption, state._replace(phase=ON))
        make_folder(self._paths.index)
        with at.reading():  # makes the database anew, in memory
            pass
        return Switched("on", state.source, files, left, tuple(backups_made(at)))

    def turn_off(self) -> Switched:
        """Put the store into the clear, or go on with that. Raises EncryptionKeyError without the key."""
        at, state = self._workspace, self._state()
        unlock(state)
        with self._held():
            place = memory_folder(state.place, self._paths.state) if state.encrypts else None
            write_encryption(self._paths.encryption, state._replace(phase=TURNING_OFF))
            fault_point("turning-off")
            if place is not None:
                shutil.rmtree(place, ignore_errors=True)
            at.progress("decrypting")
            files = self._migration.decrypt()
            if rest := files_encrypted(self._paths):
                raise DamagedStateError(f"{rest[0].name} is still encrypted", hint="engram encrypt off")
            note_encryption(self._paths.format, is_on=False)
            fault_point("before-decrypted")
            self._paths.encryption.unlink()
            make_folder(self._paths.index)
        at.store.refresh_mirror()
        return Switched("off", state.source, files)

    def change_key(self) -> Switched:
        """Wrap the data key with the person's key at the place that the settings name now.

        Raises RefusedError if the place is the same: a key is never written over while a store may need it.
        """
        at, state = self._workspace, self._state()
        source = self._new_source(state)
        key = unlock(state)
        with self._held():
            changed = _wrapped(key, source, state)
            self._keep_copy(changed)
            write_encryption(self._paths.encryption, changed)
        return Switched("rekeyed", source, 0, backups=tuple(backups_made(at)))

    def plan_on(self) -> str:
        """Return where the key would be; raise what `turn_on` raises before it changes anything."""
        state = read_encryption(self._paths.encryption)
        if state is None:
            self._require_possible()
        return self._workspace.settings.store.encryption_key if state is None else state.source

    def plan_off(self) -> str:
        """Return where the key is; raise what `turn_off` raises before it changes anything."""
        state = self._state()
        unlock(state)
        return state.source

    def plan_rekey(self) -> str:
        """Return where the new key would be; raise what `change_key` raises before it changes anything."""
        self._new_source(self._state())
        return self._workspace.settings.store.encryption_key

    # -- steps

    def _state(self) -> EncryptionState:
        state = read_encryption(self._paths.encryption)
        if state is None:
            raise RefusedError("this store is not encrypted", hint="engram encrypt on")
        return state

    def _new_source(self, state: EncryptionState) -> str:
        source = self._workspace.settings.store.encryption_key
        if state.phase == TURNING_OFF:
            raise RefusedError("encryption is being turned off", hint="engram encrypt off goes on with that")
        require_source(source, self._paths.root)
        if source == state.source:
            raise RefusedError(
                "the new key needs another place than the old one",
                hint="engram config store.encryption_key file:NEW, then engram encrypt rekey",
            )
        return source

    def _require_possible(self) -> None:
        at = self._workspace
        require_source(at.settings.store.encryption_key, self._paths.root)
        require_memory_folder()
        if at.settings.index.url:
            raise RefusedError(
                "the index lies on a server, which keeps its texts in the clear", hint='engram config index.url ""'
            )
        if at.settings.journal.url:
            raise RefusedError(
                "the journal is shared through a server, which keeps it in the clear",
                hint="engram migrate-store --help",
            )
        if self._paths.forgetting.exists():
            raise RefusedError("something is not wholly forgotten yet", hint="engram forget --resume")

    def _require_sound(self) -> None:
        """Bring everything up to date, and refuse what could not be gone on with; nothing is encrypted yet."""
        at = self._workspace
        self._require_possible()
        at.store.refresh_mirror()  # takes in what people edited in life/, which goes
        for _ in at.journal.read():
            pass

    def _begin(self) -> EncryptionState:
        source = self._workspace.settings.store.encryption_key
        first = EncryptionState(TURNING_ON, "", source, "", "", place=secrets.token_hex(8))
        state = _wrapped(make_data_key(), source, first)
        self._keep_copy(state)
        with self._held():
            self._workspace.journal.cut_torn_tail()
            note_encryption(self._paths.format, is_on=True)
            fault_point("turning-on")
            write_encryption(self._paths.encryption, state)
            fault_point("turned-on")
        return state

    @contextlib.contextmanager
    def _held(self) -> Iterator[None]:
        """Hold store and index: nobody reads or writes what is replaced."""
        at = self._workspace
        wait_s = max(at.settings.store.wait_s, _WAITS_S)
        with at.index.lock("encrypt").hold(wait_s=wait_s), at.locks.named("store", "encrypt").hold(wait_s=wait_s):
            at.store.require_writable()
            yield

    def _keep_copy(self, state: EncryptionState) -> None:
        """Keep what is lost with `.engram/encryption.json` in the person's own folder, too; it holds no secret."""
        write_encryption(config_folder() / "encryption" / f"{state.key_id}.json", state)

    def _remove_pages(self) -> tuple[str, ...]:
        """Remove the pages that Engram wrote of facts and questions, and return those that it did not."""
        paths, left = self._paths, []
        mirror = self._workspace.life.mirror
        written = mirror.load()
        mirror.remove([name for name, digest in written.files.items() if _is_as_written(mirror.read(name), digest)])
        for folder in (paths.life, paths.ops):
            for path in sorted(path for path in folder.rglob("*") if path.is_file()):
                if folder == paths.ops and not path.is_symlink() and is_ours(read_own(path)):
                    path.unlink()
                else:
                    left.append(paths.relative(path))
        for path in (paths.mirror_state, paths.state / "waiting"):
            path.unlink(missing_ok=True)
        return tuple(left)


def _wrapped(key: DataKey, source: str, state: EncryptionState) -> EncryptionState:
    own = ensure_key(source)
    texts = [base64.b64encode(part).decode() for part in (key.wrap(own), key.public_key)]
    return state._replace(key_id=key.id, source=source, wrapped=texts[0], public_key=texts[1])


def _is_as_written(content: bytes | None, digest: str) -> bool:
    return content is not None and sha256_hex(content) == digest
