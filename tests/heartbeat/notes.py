"""Notes that tests put into a workspace."""

from pathlib import Path

from engram.workspace import Workspace


def put_note(workspace: Workspace, name: str, text: str | bytes) -> Path:
    """Write a file below memory/ and return its path."""
    file = workspace.paths.memory / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file
