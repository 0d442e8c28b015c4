"""The data key of a store, opened with the key of its person."""

from binascii import a2b_base64

from engram.config.encryption_state import EncryptionState
from engram.store.encryption.data_key import DataKey
from engram.store.encryption.data_key import unwrap
from engram.store.encryption.key_source import find_key

try:
    import resource
except ImportError:
    _HAS_LIMITS = False  # Windows
else:
    _HAS_LIMITS = True


def open_data_key(state: EncryptionState) -> DataKey:
    """Return the data key. Raises EncryptionKeyError when the person's key cannot be had, or is another one."""
    _dump_no_core()
    own = find_key(state.source)
    return unwrap(a2b_base64(state.wrapped), own, state.key_id, state.public_key)


def _dump_no_core() -> None:
    """Let the system write nothing of this process to a disk when it dies: keys and words are in it from now on."""
    if _HAS_LIMITS:
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
