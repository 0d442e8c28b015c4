"""The turn of who changes domains: their registry and the files that follow from it."""

from contextlib import AbstractContextManager

from engram.workspace import Workspace


def hold_domains(workspace: Workspace, owner: str, wait_s: float | None = None) -> AbstractContextManager[None]:
    """Hold the domains alone; `owner` is what others read meanwhile. Raises StoreBusyError.

    `wait_s`: seconds to wait for the turn (None: the setting store.wait_s).
    """
    wait = workspace.settings.store.wait_s if wait_s is None else wait_s
    return workspace.locks.named("domains", owner).hold(wait_s=wait)
