"""What is stored already, looked through for secrets: the shapes that are known grow, and what was kept stays.

Nothing here takes a secret out. The journal is chained and every projection is made from it: a fact that is corrected
gives its place to a version without the secret, but the version before it stands in the journal, in the database and
in items.json as before. To call that mended would mislead. So a finding names the thing, the kind and what a person can
do, never the secret; what can be done by a command (a fact that is shown is corrected) is left to the person, because
only she knows whether it was a secret at all. What was seen by others is best changed where it is used.
"""

import os
import shlex
import stat
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from typing import NamedTuple

import engram
from engram.base.disk.own_files import read_own
from engram.base.disk.safe_files import read_within
from engram.base.json_values import load_json
from engram.base.text import sha256_hex
from engram.config.paths import Paths
from engram.language.screen.secrets import Redaction
from engram.language.screen.secrets import redact
from engram.model.changes.change import Change
from engram.model.changes.change import EntitiesRearranged
from engram.model.changes.change import EntityAliased
from engram.model.changes.change import EntityCreated
from engram.model.changes.change import FactConfirmed
from engram.model.changes.change import FactRecorded
from engram.model.changes.change import FactRestored
from engram.model.changes.change import FactRetracted
from engram.model.changes.change import FactSuperseded
from engram.model.changes.change import HandoffSent
from engram.model.changes.change import HandoffSettled
from engram.model.changes.change import NoteRecorded
from engram.model.changes.change import ObservationOpened
from engram.model.changes.change import ObservationResolved
from engram.model.changes.change import ReviewSettled
from engram.model.changes.change import TensionOpened
from engram.model.changes.change import TensionResolved
from engram.model.changes.change import TurnCaptured
from engram.model.changes.rearrangement import Rearrangement
from engram.model.changes.record import Record
from engram.model.changes.session_changes import SessionAdded
from engram.model.changes.session_changes import SessionKindSet
from engram.model.changes.session_changes import SessionUpdated
from engram.model.fact import Fact
from engram.model.finding import Finding
from engram.model.finding import Level
from engram.model.observation import Observation
from engram.ports.journal import Journal

IN_STORE = "secret-stored"  # in the journal, and in whatever is made from it
IN_FILE = "secret-in-file"  # in a file beside the journal
_CHANGE_IT = "change that secret where it is used: the journal keeps what it holds"
_APPLY = "engram heartbeat run"  # commands lose their secrets when they are decided
_TEXTS = {".md", ".txt", ".json", ".jsonl"}  # kinds of files that are looked through
_MOST_BYTES = 20_000_000  # of a file that is looked through


class Held(NamedTuple):
    """A thing in the journal that holds a secret."""

    name: str  # id of the fact, turn, note or tension; path of the entity; name of the session
    kinds: tuple[str, ...]  # of the secrets
    fact: Fact | None = None  # the fact, when it is one
    shown: bool = True  # False: a fact that is no longer believed


def patterns_digest() -> str:
    """Return the SHA-256 of what secrets are known by: another one means that what was looked through may hold some."""
    language = Path(engram.__file__).parent / "language"
    known_by = sorted([*language.glob("secret*.py"), *(language / "patterns").glob("secret*.toml")])
    return sha256_hex(b"".join(read_own(path) for path in known_by))


def newest_change(paths: Paths) -> int:
    """Return when the newest of the files that `find_in_files` looks through was changed, in nanoseconds."""
    return max((_changed_at(path) for path in _files(*_written(paths), *_machine_state(paths))), default=0)


def find_in_journal(journal: Journal, after: int = 0) -> Iterator[Finding]:
    """Yield a finding for each thing recorded behind a position that holds a secret. Raises DamagedJournalError."""
    for held in held_secrets(change for record, _ in journal.read(after) for change in _changes(record)):
        what = f"what is now known as a secret ({_named(held.kinds)})"
        correction = _correction(held)
        message = f"agents are given this fact, and it holds {what}" if correction else f"it holds {what}"
        level = Level.WARNING if held.shown else Level.INFO
        name = redact(held.name).text
        yield Finding(code=IN_STORE, level=level, path=name, message=message, command=correction or _CHANGE_IT)


def held_secrets(changes: Iterable[Change]) -> list[Held]:
    """Return the things that hold a secret, in the order in which they were recorded, each once."""
    kinds: dict[str, tuple[str, ...]] = {}
    facts: dict[str, Fact] = {}
    retired: set[str] = set()
    for change in changes:
        name, texts = _texts(change)
        if isinstance(change, FactSuperseded | FactRetracted):
            retired.add(name)
        if isinstance(change, FactRestored):
            retired.discard(name)
        if found := kinds_in(texts):
            kinds[name] = tuple(dict.fromkeys(kinds.get(name, ()) + found))
            if isinstance(change, FactRecorded):
                facts[name] = change.fact
    return [Held(name, kinds[name], facts.get(name), name not in retired) for name in kinds]


def kinds_in(texts: Iterable[str | None]) -> tuple[str, ...]:
    """Return the kinds of secrets in some texts, each once."""
    return tuple(dict.fromkeys(kind for text in texts if text for kind in redact(text).kinds))


def find_in_files(paths: Paths, since_ns: int = 0) -> Iterator[Finding]:
    """Yield a finding for each file with a secret: texts of people (good to know), and machine state (a warning).

    Only files that were changed at that time (nanoseconds) or later are looked through.
    """
    for path in _files(*_written(paths)):
        if _changed_at(path) < since_ns:
            continue
        text = _read(paths, path)
        redacted = redact(text)
        if redacted.kinds:
            name = redact(paths.relative(path)).text
            message = f"a secret stands in line {_first_line(text, redacted)} ({_named(redacted.kinds)})"
            command = f"take it out of {shlex.quote(name)} if it should not stand there"
            yield Finding(code=IN_FILE, level=Level.INFO, path=name, message=message, command=command)
    for path in _files(*_machine_state(paths)):
        if _changed_at(path) >= since_ns and (kinds := _kinds_in_state(_read(paths, path))):
            name = redact(paths.relative(path)).text
            message = f"the file holds what is now known as a secret ({_named(kinds)})"
            command = _APPLY if path.parent == paths.spool else f"rm {shlex.quote(name)}"
            yield Finding(code=IN_FILE, level=Level.WARNING, path=name, message=message, command=command)


def _written(paths: Paths) -> tuple[Path, ...]:
    return paths.self_file, paths.memory, paths.ops


def _machine_state(paths: Paths) -> tuple[Path, ...]:
    return paths.spool, paths.edits, paths.runs, paths.state / "hooks.log", paths.state / "hooks.log.1"


def _correction(held: Held) -> str:
    """Return the command that takes a secret out of what agents are given; none when it stands elsewhere."""
    if held.fact is None or not held.shown or redact(held.name).kinds:
        return ""
    cleaned = redact(held.fact.text)
    return f"engram correct {shlex.quote(held.name)} --fact {shlex.quote(cleaned.text)}" if cleaned.kinds else ""


def _changes(record: Record) -> Iterator[Change]:
    return (change for decision in record.decisions for change in decision.changes)


def _texts(change: Change) -> tuple[str, tuple[str | None, ...]]:
    """Return the name of what a change is about, and the texts that somebody wrote."""
    written = _WRITTEN.get(type(change))
    return written(change) if written else ("", ())


def _texts_of_observation(observation: Observation) -> tuple[str | None, ...]:
    return observation.text, observation.suggestion.text if observation.suggestion else None


def _names_given(done: Rearrangement) -> tuple[str, ...]:
    given = (step.now.entity for step in done.entities if step.now.entity is not None)
    return tuple(name for entity in given for name in (entity.title, *entity.aliases))


_WRITTEN: dict[type, Callable[[Any], tuple[str, tuple[str | None, ...]]]] = {
    FactRecorded: lambda it: (it.fact.id, (it.fact.text, it.fact.value, it.fact.source.label, *it.fact.tags)),
    FactRestored: lambda it: (it.fact.id, (it.fact.reason,)),
    ObservationOpened: lambda it: (it.observation.id, _texts_of_observation(it.observation)),
    ObservationResolved: lambda it: (it.id, (it.resolution,)),
    ReviewSettled: lambda it: (it.settlement.id, (it.settlement.note,)),
    HandoffSent: lambda it: (it.handoff.id, (it.handoff.text,)),
    HandoffSettled: lambda it: (it.id, (it.reason,)),
    FactSuperseded: lambda it: (it.id, (it.reason,)),
    FactRetracted: lambda it: (it.id, (it.reason,)),
    FactConfirmed: lambda it: (it.id, (it.source.label,)),
    EntityCreated: lambda it: (it.entity.path, (it.entity.title, *it.entity.aliases)),
    EntityAliased: lambda it: (it.path, (it.alias,)),
    EntitiesRearranged: lambda it: (it.rearrangement.path, _names_given(it.rearrangement)),
    TensionOpened: lambda it: (it.tension.id, (it.tension.text,)),
    TensionResolved: lambda it: (it.id, (it.resolution,)),
    SessionAdded: lambda it: (it.session.name, (it.session.platform, it.session.project_title)),
    SessionUpdated: lambda it: (it.name, (it.project_title,)),
    SessionKindSet: lambda it: (it.name, ()),
    TurnCaptured: lambda it: (it.turn.id, (it.turn.text, it.turn.speaker)),
    NoteRecorded: lambda it: (it.entry.id, (it.entry.text, *it.entry.heading)),
}


def _named(kinds: Iterable[str]) -> str:
    return ", ".join(kinds)


def _files(*roots: Path) -> Iterator[Path]:
    """Yield the files to look through: each root that is one, and those of known kinds below the others, in order.

    Files come and go meanwhile (a command takes its own out of the spool); links are left out, and none is followed.
    """
    for root in roots:
        if root.is_symlink():
            continue
        below = (Path(folder, name) for folder, _, names in os.walk(root) for name in names)
        found = sorted(path for path in below if path.suffix in _TEXTS)
        yield from (path for path in found or [root] if _is_text(path))


def _is_text(path: Path) -> bool:
    try:
        found = path.lstat()
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size <= _MOST_BYTES


def _changed_at(path: Path) -> int:
    """Return when a file was changed, in nanoseconds; 0 for one that is gone."""
    try:
        return path.lstat().st_ctime_ns
    except OSError:
        return 0


def _read(paths: Paths, path: Path) -> str:
    try:
        return read_within(paths.root, paths.relative(path), most_bytes=_MOST_BYTES).decode("utf-8", errors="replace")
    except OSError:
        return ""  # gone between two looks, not ours to read, or behind a link: other checks speak of it


def _first_line(text: str, redacted: Redaction) -> int:
    lines = zip(text.split("\n"), redacted.text.split("\n"), strict=False)
    return 1 + next((number for number, (before, after) in enumerate(lines) if before != after), 0)


def _kinds_in_state(text: str) -> tuple[str, ...]:
    """Return the kinds of secrets in what a file of machine state says; of JSON, not in how its texts are written."""
    try:
        return kinds_in(_leaves(load_json(text)))
    except ValueError:
        return redact(text).kinds


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from _leaves(member)
    elif isinstance(value, list):
        for member in value:
            yield from _leaves(member)
