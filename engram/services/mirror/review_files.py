"""Keeps ops/tensions and ops/observations as mirrors of what waits for review, each with a list for programs.

They are read, never taken in: whoever wants to settle something uses `engram review`. A file that somebody edited is
copied to where edits are kept before it is written anew; files that are not ours are left alone. `rebuild mirror` and
the heartbeat write all of them; the digest that `verify` prints covers life/ and not these.
"""

from engram.config.settings import Settings
from engram.model.observation import ObservationStatus
from engram.model.tension import TensionStatus
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.ports.mirror import ReviewMirror
from engram.rules.life.waiting_files import is_ours
from engram.rules.life.waiting_files import list_observations
from engram.rules.life.waiting_files import list_tensions
from engram.rules.life.waiting_files import render_index
from engram.rules.life.waiting_files import render_observation
from engram.rules.life.waiting_files import render_tension
from engram.services.mirror.view import MIRROR_LIMIT

_NAMES = {"tensions": "tension-*.md", "observations": "observation-*.md"}
_INDEX = "index.json"  # in each folder: all that is private to nobody, also what was settled


def refresh_waiting(database: FactDatabase, mirror: ReviewMirror, settings: Settings, *, thorough: bool) -> int:
    """Write the files of what waits, remove those of what does not, and return how many changed.

    Nothing is looked at while the database says that nothing changed, unless `thorough`. More things than
    `MIRROR_LIMIT` are left to a thorough refresh.
    """
    mark = f"{database.waiting_mark()} {settings.timezone}"
    known = mirror.mark()
    if mark == known and not thorough:
        return 0
    counts = database.counts()
    if counts["open_tensions"] + counts["open_observations"] > MIRROR_LIMIT and not thorough:
        return 0
    changed = _write_all(mirror, _render(database, settings))
    if mark != known:
        mirror.save_mark(mark)
    return changed


def _write_all(mirror: ReviewMirror, wanted: dict[str, dict[str, bytes]]) -> int:
    changed = 0
    for folder, pattern in _NAMES.items():
        there = mirror.names(folder, pattern)
        listed = mirror.read(f"{folder}/{_INDEX}")
        there |= {_INDEX} if listed is not None and is_ours(listed) else set()
        for name in sorted(there | wanted[folder].keys()):
            changed += _put(mirror, f"{folder}/{name}", wanted[folder].get(name))
    return changed


def _render(database: FactDatabase, settings: Settings) -> dict[str, dict[str, bytes]]:
    tensions, noticed = database.list_tensions("all"), database.list_observations("all")
    ids = {side for one in tensions for side in (one.fact1, one.fact2)} | {key for one in noticed for key in one.facts}
    found = database.list_facts(FactFilter(status="all", ids=tuple(sorted(ids)))) if ids else []
    facts = {fact.id: fact for fact in found}
    files = {
        "tensions": {
            f"{one.id}.md": render_tension(one, facts, settings.zone)
            for one in tensions
            if one.status == TensionStatus.OPEN
        },
        "observations": {
            f"{one.id}.md": render_observation(one, facts, settings.zone)
            for one in noticed
            if one.status == ObservationStatus.OPEN
        },
    }
    files["tensions"][_INDEX] = render_index("tensions", list_tensions(tensions, facts))
    files["observations"][_INDEX] = render_index("observations", list_observations(noticed, facts))
    return {
        folder: {name: content for name, content in contents.items() if content is not None}
        for folder, contents in files.items()
    }


def _put(mirror: ReviewMirror, name: str, content: bytes | None) -> bool:
    """Bring one file to its content (None: gone) and return whether it changed; a person's words are kept first."""
    found = mirror.read(name)
    if found == content:
        return False
    if found is not None and not is_ours(found):
        mirror.keep(name, found)
    if content is not None:
        return mirror.write(name, content)
    mirror.remove(name)
    return True
