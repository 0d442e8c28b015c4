"""One turn of the encryption, for a process of its own that is killed at a point of it."""

from pathlib import Path

from engram.config import memory_folder
from engram.operations.encryption.switch import Switch
from engram.workspace import open_workspace


def switch(memory: str, root: str, verb: str) -> None:
    """Call `Switch.VERB` on the workspace, with a folder in the place of the machine's memory."""
    vars(memory_folder).update(BASE=Path(memory), MOUNTS=Path(memory).parent / "mounts")
    getattr(Switch(open_workspace(root)), verb)()
