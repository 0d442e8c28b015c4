"""The prompt templates in references/, and how their slots are filled."""

import functools
import re
from collections.abc import Mapping
from pathlib import Path

import engram
from engram.errors import DamagedStateError

_SLOT = re.compile(r"\{\{([a-z_]+)\}\}")


def fill_template(name: str, slots: Mapping[str, str]) -> str:
    """Return a template with its slots filled in one pass; raise DamagedStateError when it is not as it should be."""
    text = _read_template(name)
    wanted = slots_of(name)
    if wanted != set(slots):
        odd = ", ".join(sorted(wanted ^ set(slots)))
        raise DamagedStateError(
            f"the template {name}.md has other slots than its phase fills: {odd}", hint="install Engram again"
        )
    return _SLOT.sub(lambda slot: slots[slot[1]], text)


def slots_of(name: str) -> set[str]:
    """Return the slots of a template."""
    return set(_SLOT.findall(_read_template(name)))


@functools.cache
def _read_template(name: str) -> str:
    package = Path(engram.__file__).parent
    places = (package / "references", package.parent / "references")  # installed; in the repository
    for folder in places:
        if (folder / f"{name}.md").is_file():
            return (folder / f"{name}.md").read_text(encoding="utf-8")
    raise DamagedStateError(f"the template {name}.md is not installed", hint="install Engram again")
