"""Parts of a workspace that are loaded when they are first needed: a process that asks one question waits for none."""

from types import ModuleType


def write_path() -> ModuleType:
    """Return `workspace.write_path`, which only those who write need."""
    from engram.workspace import write_path as loaded  # noqa: PLC0415 - see the module's first lines

    return loaded


def signed_history() -> ModuleType:
    """Return `workspace.signed_history`, which few need."""
    from engram.workspace import signed_history as loaded  # noqa: PLC0415 - for a journal that was written anew

    return loaded
