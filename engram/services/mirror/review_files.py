"""Keeps ops/tensions and ops/observations as mirrors of what waits for review, each with a list for programs.

They are read, never taken in: whoever wants to settle something uses `engram review`. A file that somebody edited is
copied to where edits are kept before it is written anew; files that are not ours are left alone. `rebuild mirror` and
the heartbeat write all of them; the digest that `verify` prints covers life/ and not these.
"""

from pathlib import Path

from engram.base.disk.files import make_folder
from engram.base.disk.files import write_atomically
from engram.base.disk.files import write_durably
from engram.base.disk.inner_folders import refuse_link
from engram.base.text import sha256_hex
from engram.config.paths import Paths
from engram.config.settings import Settings
from engram.errors import DamagedStateError
from engram.language.screen.secrets import redact
from engram.model.observation import ObservationStatus
from engram.model.tension import TensionStatus
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.rules.life.waiting_files import is_ours
from engram.rules.life.waiting_files import list_observations
from engram.rules.life.waiting_files import list_tensions
from engram.rules.life.waiting_files import render_index
from engram.rules.life.waiting_files import render_observation
from engram.rules.life.waiting_files import render_tension
from engram.services.mirror.view import MIRROR_LIMIT

_NAMES = {"tensions": "tension-*.md", "observations": "observation-*.md"}
_INDEX = "index.json"  # in each folder: all that is private to nobody, also what was settled


def refresh_waiting(database: FactDatabase, paths: Paths, settings: Settings, *, thorough: bool) -> int:
    """Write the files of what waits, remove those of what does not, and return how many changed.

    Nothing is looked at while the database says that nothing changed, unless `thorough`. More things than
    `MIRROR_LIMIT` are left to a thorough refresh.
    """
    mark = f"{database.waiting_mark()} {settings.timezone}"
    known = _read_mark(paths)
    if mark == known and not thorough:
        return 0
    counts = database.counts()
    if counts["open_tensions"] + counts["open_observations"] > MIRROR_LIMIT and not thorough:
        return 0
    wanted = _render(database, settings)
    try:
        changed = _write_all(paths, wanted)
    except OSError as problem:
        name = paths.relative(Path(problem.filename)) if problem.filename else "ops"
        hint = "make room for it, then engram rebuild mirror"
        raise DamagedStateError(f"{name} cannot be written: {problem.strerror}", hint=hint) from problem
    if mark != known:
        make_folder(paths.state)
        write_atomically(_mark_file(paths), mark.encode() + b"\n", mode=0o600)
    return changed


def _write_all(paths: Paths, wanted: dict[str, dict[str, bytes]]) -> int:
    changed = 0
    for folder, pattern in _NAMES.items():
        place = paths.ops / folder
        for one in (paths.ops, place):  # whoever put it there may lead out of the workspace
            refuse_link(one, paths.relative(one))
        there = {path.name for path in place.glob(pattern)} if place.is_dir() else set()
        there |= {_INDEX} if _is_our_index(place / _INDEX) else set()
        for name in sorted(there | wanted[folder].keys()):
            changed += _put(paths, place / name, wanted[folder].get(name))
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


def _is_our_index(path: Path) -> bool:
    return path.is_file() and not path.is_symlink() and is_ours(path.read_bytes())


def _put(paths: Paths, path: Path, content: bytes | None) -> bool:
    """Bring one file to its content (None: gone) and return whether it changed; a person's words are kept first."""
    found = path.read_bytes() if path.is_file() and not path.is_symlink() else None
    if found == content or (found is None and path.exists()):
        return False
    if found is not None and not is_ours(found):
        make_folder(paths.edits)
        kept = paths.edits / f"{sha256_hex(found)[:16]}-{path.name}"
        if not kept.exists():
            text = found.decode("utf-8", errors="surrogateescape")  # nothing that Engram keeps holds a secret
            write_durably(kept, redact(text).text.encode("utf-8", errors="surrogateescape"))
    if content is None:
        path.unlink()
    else:
        make_folder(path.parent, root=paths.root)
        write_atomically(path, content, root=paths.root)
    return True


def _mark_file(paths: Paths) -> Path:
    return paths.state / "waiting"


def _read_mark(paths: Paths) -> str:
    try:
        return _mark_file(paths).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""
