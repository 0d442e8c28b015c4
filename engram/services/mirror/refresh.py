"""Brings life/ up to the journal, and turns what people edited there into commands first.

The survival budget: tiers are computed when read, so nothing can be demoted by mistake but what agents are shown, the
summaries. Where more facts would leave them at once than `decay.survival_share` and `survival_count` allow, every file
keeps the tiers that it has, until a person accepts (`engram decay --accept`), uses the facts, or mends the clock or the
settings that were wrong. A step of one day under the same settings is decay as it was foretold and is never held.
"""

import datetime as dt
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple
from typing import Protocol

from engram.base.clock import local_day
from engram.base.text import sha256_hex
from engram.config.settings import Settings
from engram.model.commands.command import CommandResult
from engram.model.commands.command import Envelope
from engram.model.commands.command import Outcome
from engram.model.fact import Actor
from engram.ports.database import FactDatabase
from engram.ports.journal import Journal
from engram.ports.mirror import Mirror
from engram.ports.mirror import MirrorState
from engram.ports.mirror import Stamp
from engram.rules.life.mirror import INDEX
from engram.rules.life.mirror import is_an_index
from engram.services.mirror.refresh_report import Report
from engram.services.mirror.view import Difference
from engram.services.mirror.view import MirrorView


class Recording(Protocol):
    """What refreshing needs of `services.commands.recorder.Recorder`."""

    @property
    def database(self) -> FactDatabase:
        """The database, attached."""
        ...

    def record(self, envelopes: Sequence[Envelope]) -> list[CommandResult]:
        """Decide and record commands."""
        ...


class _Task(NamedTuple):
    """What one refresh works on, and how far it goes; see `refresh`."""

    recorder: Recording
    journal: Journal
    mirror: Mirror
    settings: Settings
    now: dt.datetime
    thorough: bool
    takes_edits: bool

    def view(self, state: MirrorState) -> MirrorView:
        """Return what the files would say now, with the tiers that they keep."""
        view = MirrorView(self.recorder.database, self.journal, self.settings, state)
        view.keep_tiers(state)
        return view


def refresh(  # noqa: PLR0913 - the parts, and how far it goes
    recorder: Recording,
    journal: Journal,
    mirror: Mirror,
    *,
    settings: Settings,
    now: dt.datetime,
    thorough: bool = False,
    accept: bool = False,
    takes_edits: bool = True,
) -> dict[str, Any]:
    """Record the edits that stand in life/, then write the files of every entity that changed.

    Args:
        recorder: records the edits; its database is the one that is mirrored.
        journal: tells what changed since the mirror's position.
        mirror: the files.
        settings: decay, time zone, and how large an entity may be to be written at once.
        now: when the edits were found; where decay goes by the wall clock, its day is the day of the tiers from now on.
        thorough: look at every file and every tier (heartbeat, rebuild); else only at entities that changed.
        accept: let the facts go that the survival budget holds.
        takes_edits: else a file that somebody edited stays as it is, and waits for who takes it in.

    Returns:
        Counts `entities`, `files_written`, `edits`; lists `refused`, `ignored`, `damaged`, `kept`, `behind`; `demoted`,
        None unless it was asked which tiers are lower than before: {"left_hot", "left_warm", "left_summaries",
        "entities": {path: facts}}; `held_since`, the day whose tiers the files keep, None when they do not.

    Raises:
        DamagedStateError: when the mirror's state does not read; nothing was written.
    """
    task = _Task(recorder, journal, mirror, settings, now, thorough=thorough, takes_edits=takes_edits)
    report = Report()
    state = mirror.load()
    if thorough and settings.decay.clock == "wall":
        state = state.model_copy(update={"turned_on": local_day(now, settings.zone)})
    view, wanted = _take_in(task, state, report)
    wanted |= view.let_time_pass(now) if thorough else set()  # only now: edits were made in what stood there
    retiered: set[str] = set()
    if thorough and (accept or state.weighed != view.weighed):
        retiered = set(view.entities) - wanted
        state = _weigh(view, state, report, accept=accept)
    if wanted or retiered or state.position != view.position or mirror.read(INDEX) is None:
        _write(task, view, state, wanted, retiered=retiered, report=report)
    if thorough and state.held and state.basis is not None:
        report.held_since = str(local_day(state.basis.at, settings.zone))
    return report.stats()


def find_differences(database: FactDatabase, journal: Journal, mirror: Mirror, settings: Settings) -> list[Difference]:
    """Return every file of life/ that is not as it was last written; changes nothing."""
    state = mirror.load()
    view = MirrorView(database, journal, settings, state)
    view.keep_tiers(state)
    every = (difference for path in sorted(view.entities) for difference in view.differences(mirror, state, path))
    found = [difference for difference in every if difference.kind != "current"]
    lost = INDEX in state.files and mirror.read(INDEX) is None
    return [*found, Difference(INDEX, "missing")] if lost else found


def find_changed(database: FactDatabase, journal: Journal, mirror: Mirror, settings: Settings) -> list[str]:
    """Return the paths of entities that changed since the mirror was last refreshed, in order."""
    state = mirror.load()
    return sorted(MirrorView(database, journal, settings, state).changed_since(state))


def _take_in(task: _Task, state: MirrorState, report: Report) -> tuple[MirrorView, set[str]]:
    """Record what people edited; return what the files are to say with it, and the entities that changed."""
    view = task.view(state)
    wanted = view.changed_since(state)
    looked_at = view.entities if task.thorough else wanted & set(view.entities)
    for path, differences in _found(task, view, state, sorted(looked_at)):
        wanted |= {path} if path else set()
        report.note(task.mirror, differences)
        _record_edits(task, differences, state, report)
    if not report.edits:
        return view, wanted
    view = task.view(state)  # they are facts now: look again
    return view, wanted | view.changed_since(state)


def _weigh(view: MirrorView, state: MirrorState, report: Report, *, accept: bool) -> MirrorState:
    """Choose by which tiers the files are written, and return the state that says so."""
    found = view.weigh(state)
    report.note_demotions(found.demotions)
    held = found.is_held and not accept
    view.basis = state.basis if held and state.basis is not None else view.today
    return state.model_copy(update={"weighed": view.weighed, "basis": view.basis, "held": held})


def _record_edits(task: _Task, differences: Sequence[Difference], state: MirrorState, report: Report) -> None:
    envelopes: dict[tuple[str, str], Envelope] = {}
    for difference in differences:
        for number, edit in enumerate(difference.plan.edits):
            # Made of the file and the state it was edited from: repeated after a crash, it is one effect.
            mark = sha256_hex(f"{state.position} {difference.name} {sha256_hex(difference.content)} {number}")
            envelope = Envelope(id=f"edit-{mark[:32]}", kind=edit.kind, at=task.now, actor=Actor.FILE, args=edit.args)
            said = str(edit.args.get("id", "")), str(edit.args.get("text", ""))
            envelopes.setdefault(said, envelope)  # the same change in both files is one
    if envelopes:
        results = task.recorder.record(list(envelopes.values()))
        report.edits += len(results)
        report.refused += [
            f"{result.kind} {result.id or ''}: {result.reason}".replace(" :", ":")
            for result in results
            if result.status == Outcome.REFUSED
        ]


def _write(
    task: _Task, view: MirrorView, state: MirrorState, wanted: set[str], *, retiered: set[str], report: Report
) -> None:
    """Write the files of entities that changed, wholly, and of those whose tiers did; then what is gone and the index.

    An entity that is too large to be written at once waits for a thorough refresh.
    """
    mirror = task.mirror
    later = {path for path in wanted if path in view.entities and view.is_large(path) and not task.thorough}
    written = _Written(dict(state.files), dict(state.stamps))
    for path in view.reading_ahead(sorted((wanted | retiered) & set(view.entities) - later)):
        entity = view.entities[path]
        content = view.render(entity, view.facts(path), with_items=path in wanted)
        edited = {name for name in content if _was_edited(mirror, state, name, report)}
        if edited:
            later.add(path)  # somebody edits it just now, or it waits: the next refresh takes it in
        if edited and task.takes_edits:
            continue
        count = _write_changed(mirror, {name: content[name] for name in content if name not in edited}, written)
        report.files_written += count
        report.entities += bool(count)
    _remove_gone(mirror, view, written, report)
    _write_index(mirror, view, written, report)
    report.behind = tuple(sorted(later))
    now = {"position": view.position, "made_with": view.made_with, "behind": report.behind, **written._asdict()}
    now |= {"held_at": view.holding_at}
    mirror.save(state.model_copy(update=now))


def _was_edited(mirror: Mirror, state: MirrorState, name: str, report: Report) -> bool:
    """Tell whether the file holds words that were neither written by us nor read by this refresh."""
    content = mirror.read(name)
    return content is not None and sha256_hex(content) not in {state.files.get(name), report.read.get(name)}


class _Written(NamedTuple):
    """What was last written to life/, by name: see `MirrorState`."""

    files: dict[str, str]
    stamps: dict[str, Stamp]


def _write_changed(mirror: Mirror, content: dict[str, bytes], written: _Written) -> int:
    changed = {name: data for name, data in content.items() if mirror.read(name) != data}
    mirror.write(changed)
    written.files.update({name: sha256_hex(data) for name, data in content.items()})
    written.stamps.update({name: stamp for name in content if (stamp := mirror.stamp(name)) is not None})
    return len(changed)


def _found(
    task: _Task, view: MirrorView, state: MirrorState, paths: Iterable[str]
) -> Iterator[tuple[str | None, list[Difference]]]:
    """Yield the differences that a refresh sees to with the entity, then those of folders that one has left.

    What somebody edited is left out where no edits are taken in.
    """
    for path in paths:
        seen_to = [
            one for one in view.differences(task.mirror, state, path) if task.takes_edits or one.kind != "edited"
        ]
        if seen_to:
            yield path, seen_to
    for differences in view.left_behind(task.mirror, state) if task.takes_edits else ():
        yield None, differences


def _remove_gone(mirror: Mirror, view: MirrorView, written: _Written, report: Report) -> None:
    files = written.files
    gone = [name for name in files if name != INDEX and name.rpartition("/")[0] not in view.entities]
    for name in gone:
        content = mirror.read(name)
        if content is not None and sha256_hex(content) != files[name]:
            report.kept.append(mirror.keep(name, content))
        del files[name]
        written.stamps.pop(name, None)
    mirror.remove(gone)


def _write_index(mirror: Mirror, view: MirrorView, written: _Written, report: Report) -> None:
    content, found = view.index(), mirror.read(INDEX)
    if found is not None and not is_an_index(found):
        report.kept.append(mirror.keep(INDEX, found))
        report.ignored.append(f"life/{INDEX}: was changed; it lists what is known and holds no facts")
    report.files_written += _write_changed(mirror, {INDEX: content}, written)
