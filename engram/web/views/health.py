"""Health: how far the projections are behind, how the store grew, what doctor found, what was measured of this version.

Doctor is asked for: on a large store it takes minutes, and whoever looks again sees how far it is.
"""

import json
from importlib import resources
from typing import Any
from typing import Final

from engram import __version__
from engram.errors import NotFoundError
from engram.operations.upkeep import Upkeep
from engram.services.facts.status import overview
from engram.services.visibility import require_owner
from engram.web.asked import Asked
from engram.web.asked import Page
from engram.web.examination import examination_of

_FIGURES: Final = ("crash", "attack")  # files of engram/web/figures, which `scripts/bench NAME --json` writes
_MOST_WEEKS: Final = 104


def health(page: Page, asked: Asked) -> dict[str, Any]:
    """Return how the store stands; with `doctor` in the path how far doctor is, which `begin=1` lets look."""
    require_owner(page.caller, "health")
    workspace = page.workspace
    if asked.rest == "doctor":
        examination = examination_of(workspace.paths.root)
        if asked.text("begin") == "1":
            examination.begin()
        return examination.state()
    if asked.rest:
        raise NotFoundError(f"health has no part {asked.rest!r}", hint="/health")
    standing = overview(Upkeep(workspace).standing())
    with workspace.reading() as database:
        weeks = database.weeks(workspace.settings.zone)[-_MOST_WEEKS:]
    return {
        "standing": {name: told for name, told in standing.items() if name not in {"watermarks", "last_heartbeat"}},
        "weeks": [{**week._asdict(), "begins_on": week.begins_on.isoformat()} for week in weeks],
        "figures": {name: _figures(name) for name in _FIGURES},
        "version": __version__,
        "doctor": examination_of(workspace.paths.root).state(),
    }


def _figures(name: str) -> dict[str, Any] | None:
    """Return what a benchmark counted; None where this version came without it."""
    try:
        text = (resources.files("engram.web") / "figures" / f"{name}.json").read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    found: dict[str, Any] = json.loads(text)
    return found
