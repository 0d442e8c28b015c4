"""What is encrypted in a store, and how it looks: lines of the journal, commands in the spool, and whole files.

Where a store is not encrypted, everything passes through as it is, and no other package is imported.
"""

import json
import os
from binascii import a2b_base64
from binascii import b2a_base64
from binascii import crc32
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any
from typing import Final

from engram.config.encryption_state import FILE
from engram.config.encryption_state import EncryptionState
from engram.config.encryption_state import read_encryption
from engram.errors import DamagedStateError
from engram.errors import EncryptionKeyError
from engram.store.encryption.cipher import UndecryptableError
from engram.store.encryption.cipher import decrypt
from engram.store.encryption.cipher import decrypt_packed
from engram.store.encryption.cipher import decrypt_with
from engram.store.encryption.cipher import encrypt
from engram.store.encryption.cipher import encrypt_for
from engram.store.encryption.cipher import encrypt_packed

if TYPE_CHECKING:
    from engram.store.encryption.data_key import DataKey

ENCRYPTED_FILE: Final = b"engram encrypted file 1\n"  # begins a file that is encrypted as a whole
_BODY: Final = 9  # where the JSON of a line begins: behind its CRC
LINE_MARK: Final = b'{"encrypted":1,"position":'  # begins the JSON of a line that is encrypted
_DATA_MARK: Final = b',"data":"'
_LINE_END: Final = b'"}'
_SPOOL_MARK: Final = b'{"v": 2, "encrypted": "hpke", '
_unlocked: "dict[str, DataKey]" = {}  # data keys that this process has opened, by their id


class StoreCipher:
    """Encrypts what is written into a store, and decrypts what is read of it."""

    def __init__(self, state_file: Path) -> None:
        """Take the file that says how the store is encrypted; where there is none, it is not."""
        self._file = state_file
        self._read: tuple[tuple[int, int, int], EncryptionState] | None = None  # what the file said, and its stamp then

    @classmethod
    def beside(cls, folder: Path) -> "StoreCipher":
        """Return the cipher of the store that a folder of its state, such as journal/, belongs to."""
        return cls(folder.parent / FILE)

    def is_on(self) -> bool:
        """Tell whether what is written now is to be encrypted."""
        state = self._find_state()
        return state is not None and state.encrypts

    def unlock(self) -> "DataKey":
        """Return the data key. Raises EncryptionKeyError when the person's key cannot be had, or is another one."""
        return unlock(self._state())

    # -- lines of the journal

    def encrypt_lines(self, lines: Sequence[bytes], first: int) -> Sequence[bytes]:
        """Return the lines of positions from `first` on as they are to be written."""
        if not lines or not self.is_on():
            return lines
        key = self._journal_key()
        return [_encrypted_line(key, line, position) for position, line in enumerate(lines, first)]

    def decrypt_line(self, line: bytes) -> bytes:
        """Return a line as it was before it was encrypted; one whose CRC is wrong comes back as it is.

        Raises UndecryptableError, and EncryptionKeyError without the key.
        """
        if not is_encrypted_line(line) or not _crc_holds(line):
            return line
        position, mark, data = line[_BODY + len(LINE_MARK) : -len(_LINE_END)].partition(_DATA_MARK)
        if not mark or not position.isdigit():
            return line
        return decrypt_packed(self._journal_key(), a2b_base64(data), _place_of_line(int(position)))

    # -- commands in the spool

    def encrypt_command(self, data: bytes, name: str) -> bytes:
        """Return what is written of a command; that takes no secret, so hooks need no key."""
        state = self._find_state()
        if state is None or not state.encrypts:
            return data
        encrypted = encrypt_for(a2b_base64(state.public_key), data, _place_of_command(name))
        fields = {"v": 2, "encrypted": "hpke", "key": state.key_id, "data": _text(encrypted)}
        return json.dumps(fields).encode()

    def decrypt_command(self, data: bytes, name: str) -> bytes:
        """Return a command as it was put in. Raises UndecryptableError, and EncryptionKeyError without the key."""
        if not data.startswith(_SPOOL_MARK):
            return data
        key = self.unlock()
        try:
            said: Any = json.loads(data)
            encrypted = a2b_base64(said["data"])
        except (ValueError, KeyError, TypeError) as problem:
            raise UndecryptableError("it is not as it was written") from problem
        return decrypt_with(key.spool_key, encrypted, _place_of_command(name))

    # -- whole files

    def encrypt_file(self, data: bytes, place: str) -> bytes:
        """Return what is written of a file; `place` tells it from others, such as by its name."""
        if data.startswith(ENCRYPTED_FILE) or not self.is_on():
            return data
        return ENCRYPTED_FILE + encrypt(self.unlock().derive("engram files v1"), data, place.encode())

    def decrypt_file(self, data: bytes, place: str) -> bytes:
        """Return a file as it was before. Raises UndecryptableError, and EncryptionKeyError without the key."""
        if not data.startswith(ENCRYPTED_FILE):
            return data
        return decrypt(self.unlock().derive("engram files v1"), data[len(ENCRYPTED_FILE) :], place.encode())

    # -- inside

    def _journal_key(self) -> bytes:
        return self.unlock().derive("engram journal v1")

    def _find_state(self) -> EncryptionState | None:
        """Return what the file says, which is read again only when it was replaced: a journal has many lines."""
        try:
            found = os.stat(self._file)  # noqa: PTH116 - for every line
        except (FileNotFoundError, NotADirectoryError):
            return None
        stamp = found.st_ino, found.st_mtime_ns, found.st_size
        if self._read is None or self._read[0] != stamp:
            state = read_encryption(self._file)
            self._read = None if state is None else (stamp, state)
            return state
        return self._read[1]

    def _state(self) -> EncryptionState:
        state = self._find_state()
        if state is None:
            raise DamagedStateError(
                f"something here is encrypted, and {self._file.name} is gone",
                hint=f"put .engram/{self._file.name} back from a backup, or from ~/.config/engram/encryption",
            )
        return state


def unlock(state: EncryptionState) -> "DataKey":
    """Return the data key of a store; it is asked for once in a process."""
    known = _unlocked.get(state.key_id)
    if known is None:
        from engram.store.encryption.opened_key import open_data_key  # noqa: PLC0415 - whoever only spools needs no key

        known = open_data_key(state)
        _unlocked[state.key_id] = known
    if _text(known.public_key) != state.public_key:
        raise EncryptionKeyError("the public key of this store is not its own: somebody has changed it")
    return known


def lock_all() -> None:
    """Forget the keys that this process has opened."""
    _unlocked.clear()


def is_encrypted_line(line: bytes) -> bool:
    """Tell whether a line of the journal is encrypted."""
    return line.startswith(LINE_MARK, _BODY)


def is_encrypted_command(data: bytes) -> bool:
    """Tell whether the file of a command is encrypted."""
    return data.startswith(_SPOOL_MARK)


def _encrypted_line(key: bytes, line: bytes, position: int) -> bytes:
    data = _text(encrypt_packed(key, line, _place_of_line(position)))
    body = LINE_MARK + str(position).encode() + _DATA_MARK + data.encode() + _LINE_END
    return f"{crc32(body):08x} ".encode() + body


def _crc_holds(line: bytes) -> bool:
    return line[:_BODY] == f"{crc32(line[_BODY:]):08x} ".encode()


def _place_of_line(position: int) -> bytes:
    return f"engram journal v1\n{position}".encode()


def _place_of_command(name: str) -> bytes:
    return f"engram spool v1\n{name}".encode()


def _text(data: bytes) -> str:
    return b2a_base64(data, newline=False).decode()
