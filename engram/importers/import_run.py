"""Importing another memory: every item becomes a command that goes the normal way, a file in memory/, or a remark.

Exactly once: the id of a command is made of the format, the file and what the item says, so the same source again adds
nothing, and a source that grew adds what is new. Versions that took each other's place are written oldest first, so
that what was superseded there is superseded here.
"""

import os
from collections.abc import Iterable
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from typing import NamedTuple

from engram.base.self_names import is_self_name
from engram.base.text import MAX_FACT_CHARS
from engram.base.text import clean_statement
from engram.base.text import has_control
from engram.base.text import slug_problem
from engram.base.text import slugify
from engram.importers.import_report import ImportReport
from engram.importers.imported_facts import FactWriter
from engram.importers.imported_notes import plan_notes
from engram.importers.imported_notes import write_notes
from engram.importers.imported_turns import record_sessions
from engram.importers.imported_turns import record_turns
from engram.importers.memories.attribution import Surroundings
from engram.importers.memories.attribution import attribute
from engram.importers.memories.formats import FORMATS
from engram.importers.memories.items import Effect
from engram.importers.memories.items import EntityItem
from engram.importers.memories.items import FactItem
from engram.importers.memories.items import Item
from engram.importers.memories.items import NoteItem
from engram.importers.memories.items import Remark
from engram.importers.memories.items import SourceFile
from engram.importers.memories.items import Subject
from engram.importers.memories.items import TurnItem
from engram.importers.memories.source import read_source
from engram.importers.recorder import ImportRecorder
from engram.importers.recorder import open_recording
from engram.language.names.mentions import Known
from engram.language.names.new_entities import MIN_MENTIONS
from engram.model.commands.command import Outcome
from engram.model.conversation import Session
from engram.model.conversation import Turn
from engram.model.entity import Entity
from engram.model.fact import Actor
from engram.services.extract.subject.home import Home
from engram.services.extract.subject.home import agent_home
from engram.services.extract.subject.home import folder_home
from engram.services.extract.turn_commands import MAX_TURN_CHARS
from engram.services.extract.turn_commands import RawTurn
from engram.services.extract.turn_commands import make_turns
from engram.services.imports import ledger
from engram.services.imports.ledger import KeptFile
from engram.workspace import Workspace

NOBODY = "people/owner"  # whom statements without a subject are about when the settings name no owner


def import_memory(
    workspace: Workspace, form: str, path: Path, *, entity: str | None = None, dry_run: bool = False
) -> ImportReport:
    """Import a file or folder of another memory system and return what became of each item.

    `entity` is whom statements are about that name nobody; else the owner in the settings. With `dry_run` everything is
    decided on a copy in memory and nothing changes. Raises MalformedInputError when the path cannot be read at all.
    """
    source = os.fsencode(path.name or str(path)).decode("utf-8", "replace")
    subject = Subject(entity or workspace.settings.owner or NOBODY, workspace.settings.zone, source)
    found = _read(workspace, path, form, subject)
    with open_recording(workspace, form, source, dry_run=dry_run) as recorder:
        around = _surroundings(recorder, subject.owner, None if entity else _folder(path))
        items = attribute(_checked(found), around)
        turns = make_turns([_raw(item) for item in items if isinstance(item, TurnItem)], path=None)
        report = _import_items(workspace, recorder, items, turns, dry_run=dry_run)
    _refresh(workspace, report)
    return report


class Beside(NamedTuple):
    """What comes with the items of another store of Engram."""

    sessions: Sequence[Session] = ()
    turns: Sequence[Turn] = ()
    files: Sequence[KeptFile] = ()  # that were written already


def import_items(
    workspace: Workspace, form: str, source: str, items: Iterable[Item], beside: Beside, *, dry_run: bool
) -> ImportReport:
    """Import what was read elsewhere; see `import_memory`."""
    with open_recording(workspace, form, source, dry_run=dry_run) as recorder:
        recorder.note_files(beside.files)
        remarks = record_sessions(workspace, recorder, beside.sessions)
        report = _import_items(workspace, recorder, [*_checked(items), *remarks], beside.turns, dry_run=dry_run)
    _refresh(workspace, report)
    return report


def _surroundings(recorder: ImportRecorder, owner: str, folder: str | None) -> Surroundings:
    """Return what is known here; lines that name nobody belong to their agent, else to the project of the folder.

    Without a folder, because the caller says whose the memory is, they belong to the owner.
    """
    known = [Known(one.path, (one.title, *one.aliases)) for one in recorder.entities().values()]
    owners = Home(owner)
    beside = (folder_home(folder) if folder else None) or owners

    def home(agent: str) -> Home:
        return owners if folder is None else agent_home(agent) or beside

    return Surroundings(known, owner, home, MIN_MENTIONS)


def _folder(path: Path) -> str:
    real = path.resolve()
    return str(real if real.is_dir() else real.parent)


def _read(workspace: Workspace, path: Path, form: str, subject: Subject) -> list[Item]:
    read = [_unless_mirror(workspace, path, one) for one in read_source(path, FORMATS[form])]
    items: list[Item] = [one for one in read if isinstance(one, Remark)]
    items += FORMATS[form].parse([one for one in read if isinstance(one, SourceFile)], subject)
    return [_unless_ours(workspace, path, item) if isinstance(item, NoteItem) else item for item in items]


def _unless_mirror(workspace: Workspace, path: Path, file: SourceFile | Remark) -> SourceFile | Remark:
    """Return a file, or a remark in its place when this workspace itself writes it."""
    real, life = _real(path, file.file if isinstance(file, Remark) else file.name), _real(workspace.paths.life, "")
    if real.is_relative_to(life) and real.relative_to(life).as_posix() in workspace.life.mirror.load().files:
        name = workspace.paths.relative(workspace.paths.life / real.relative_to(life))
        return Remark(name, "", "this workspace writes it itself", Effect.LEFT_OUT)
    return file


def _unless_ours(workspace: Workspace, path: Path, note: NoteItem) -> Item:
    """Return a note, or a remark in its place when it lies in this workspace already."""
    ours = (workspace.paths.memory, workspace.paths.self_file)
    if any(_real(path, note.file).is_relative_to(_real(one, "")) for one in ours):
        return Remark(note.file, "", "it is a note of this workspace already", Effect.LEFT_OUT)
    return note


def _real(root: Path, name: str) -> Path:
    return Path(os.path.realpath(root if root.is_file() or not name else root / name))


def _import_items(
    workspace: Workspace, recorder: ImportRecorder, items: Sequence[Item], turns: Sequence[Turn], *, dry_run: bool
) -> ImportReport:
    remarks = [item for item in items if isinstance(item, Remark)]
    entities, made = _record_entities(workspace, recorder, items)
    remarks += entities
    writer = FactWriter(workspace, recorder)
    facts = writer.write([item for item in items if isinstance(item, FactItem)])
    captured, lost = record_turns(workspace, recorder, turns)
    earlier = ledger.read_entries(recorder.marks())
    notes = [item for item in items if isinstance(item, NoteItem)]
    plan = plan_notes(workspace.paths, recorder.entry.format, notes, earlier)
    recorder.note_files([kept for kept, _ in plan.files])
    if not dry_run:
        write_notes(workspace.paths, plan.files)
    added = sum(kept.added for kept, _ in plan.files)
    return ImportReport(
        import_id=recorder.entry.id or None,
        format=recorder.entry.format,
        source=recorder.entry.source,
        items=sum(not isinstance(item, Remark | TurnItem) for item in items) + len(turns),
        facts=facts,
        entities=made,
        notes={"written": len(plan.files) - added, "added": added, "known": plan.known},
        turns=captured,
        remarks=[*remarks, *writer.remarks, *lost, *plan.remarks],
        dry_run=dry_run,
        candidates=writer.count_candidates(),
    )


def _refresh(workspace: Workspace, report: ImportReport) -> None:
    if not report.dry_run and report.import_id is not None:
        with workspace.writing("mirror") as writer:
            workspace.life.refresh_quietly(writer)


def _checked(items: Iterable[Item]) -> list[Item]:
    """Return the items, with a remark in the place of each that holds what no text may hold."""
    return [_check(item) for item in items]


def _check(item: Item) -> Item:
    if isinstance(item, Remark):
        return Remark(_clean(item.file), _clean(item.place), _clean(item.reason), item.effect)
    place = getattr(item, "place", "")
    if isinstance(item, FactItem) and len(item.text) > MAX_FACT_CHARS * 2:  # before anything is looked for in it
        return Remark(
            _clean(item.file), _clean(place), f"it has {len(item.text)} characters; {MAX_FACT_CHARS} is the most"
        )
    told = [part for part in item if isinstance(part, str)]
    if isinstance(item, FactItem):
        told = [
            item.text,
            item.entity,
            item.title or "",
            *item.tags,
            item.attribute or "",
            item.value or "",
            item.scope,
        ]
    elif isinstance(item, NoteItem):
        told = [item.name]
    if any(has_control(part) for part in told):
        return Remark(_clean(item.file), _clean(place), "it holds a control character or broken UTF-8")
    if isinstance(item, TurnItem):
        return _check_turn(item)
    return item


def _check_turn(item: TurnItem) -> Item:
    if len(item.text) > MAX_TURN_CHARS:
        return Remark(item.file, item.place, f"it is longer than {MAX_TURN_CHARS} characters")
    if any(slug_problem(part) for part in item.session.split("/")):
        return Remark(item.file, item.place, f"no session can be called {item.session[:60]!r}")
    return item


def _clean(text: str) -> str:
    return "".join(ch if ch.isprintable() else "\ufffd" for ch in text)


def _record_entities(workspace: Workspace, recorder: ImportRecorder, items: Sequence[Item]) -> tuple[list[Remark], int]:
    wanted = {item.path: item for item in reversed(items) if isinstance(item, EntityItem)}
    if not wanted:
        return [], 0
    known = recorder.entities()
    fresh = [item for path, item in sorted(wanted.items()) if path not in known]
    ids = recorder.current_ids([ledger.command_id(recorder.entry.format, "entity", item.path) for item in fresh])
    results = recorder.record(
        [
            workspace.envelope("entity-add", _entity_args(item), actor=Actor.IMPORT, command_id=command_id)
            for item, command_id in zip(fresh, ids, strict=True)
        ]
    )
    remarks = [
        Remark(item.file, item.place, f"entity {item.path}: {result.reason}")
        for item, result in zip(fresh, results, strict=True)
        if result.status == Outcome.REFUSED
    ]
    made = len(fresh) - len(remarks)
    there = [(item, known[path]) for path, item in sorted(wanted.items()) if path in known]
    return [*remarks, *_record_names(workspace, recorder, there)], made


def _entity_args(item: EntityItem) -> dict[str, Any]:
    return {"path": item.path, "title": item.title, "aliases": list(item.aliases)}


def _record_names(
    workspace: Workspace, recorder: ImportRecorder, there: Sequence[tuple[EntityItem, Entity]]
) -> list[Remark]:
    """Give entities that were here before the names that they have only in the source."""
    news = [(item, name) for item, entity in there for name in _missing_names(item, entity)]
    results = recorder.record(
        [
            workspace.envelope(
                "entity-alias",
                {"path": item.path, "alias": name},
                actor=Actor.IMPORT,
                command_id=ledger.command_id(recorder.entry.format, "alias", item.path, name),
            )
            for item, name in news
        ]
    )
    return [
        Remark(item.file, item.place, f"entity {item.path}: {result.reason}")
        for (item, _), result in zip(news, results, strict=True)
        if result.status == Outcome.REFUSED
    ]


def _missing_names(item: EntityItem, entity: Entity) -> list[str]:
    """Return the names that the entity does not have here; none is a title that only spells its path, or "me"."""
    known = {name.casefold() for name in (entity.title, *entity.aliases)}
    spelled = slugify(item.title) == item.path.partition("/")[2]
    names = [clean_statement(name) for name in (*(() if spelled else (item.title,)), *item.aliases)]
    return [name for name in dict.fromkeys(names) if name and not is_self_name(name) and name.casefold() not in known]


def _raw(item: TurnItem) -> RawTurn:
    return RawTurn(item.session, item.text, ref=item.ref, speaker=item.speaker, at=item.at)
