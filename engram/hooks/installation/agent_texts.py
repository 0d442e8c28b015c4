"""The texts for agents that come with Engram: the skill, and the block for a file of instructions."""

import shlex
from pathlib import Path

import engram
from engram.errors import DamagedStateError

SKILL, BLOCK = "SKILL.md", "AGENTS.md"
_SLOT = "{{workspace}}"


def skill_text(root: Path) -> str:
    """Return the skill, as hosts that read skills want it, for agents that work with this workspace."""
    return _filled(SKILL, root)


def block_text(root: Path) -> str:
    """Return what stands between the marks in a file of instructions."""
    return _filled(BLOCK, root)


def _filled(name: str, root: Path) -> str:
    return _read(name).replace(_SLOT, shlex.quote(str(root)))


def _read(name: str) -> str:
    package = Path(engram.__file__).parent
    for folder in (package / "references", package.parent / "references"):  # installed; in the repository
        if (folder / name).is_file():
            return (folder / name).read_text(encoding="utf-8")
    raise DamagedStateError(f"{name} is not installed", hint="install Engram again")
