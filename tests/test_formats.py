"""docs/FORMATS.md names just the keys that a real workspace holds, and that the code knows."""

import io
import json
import re
import time
import typing
import zlib
from collections.abc import Callable
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from engram.config.encryption_state import FILE
from engram.config.paths import Paths
from engram.heartbeat.child.phase_result import PhaseResult
from engram.heartbeat.child.run_records import RunRecords
from engram.heartbeat.maintenance.state import MaintenanceState
from engram.heartbeat.report.alerts import Alert
from engram.heartbeat.report.alerts import note_alerts
from engram.heartbeat.run.runner import run_heartbeat
from engram.hooks.events.recall_use import note_prompt
from engram.hooks.events.recall_use import note_reply
from engram.hooks.host import Event
from engram.importers.archive_import import export_archive
from engram.language.terms.used_words import own_word_prints
from engram.model.backup import BackedUpFile
from engram.model.backup import BackupManifest
from engram.model.changes.change import Change
from engram.model.changes.record import Decision
from engram.model.changes.record import Record
from engram.model.commands.command import CommandResult
from engram.model.commands.command import Envelope
from engram.model.document import Document
from engram.operations.backups.backup import back_up
from engram.ports.mirror import MirrorState
from engram.services.backup.contents import list_contents
from engram.services.backup.state import BackupState
from engram.store.index.edge_engine import EdgeEngine
from engram.store.index.engine import Where
from engram.store.index.state import State
from engram.store.journal.replica_journal import ReplicaState
from engram.store.journal.replica_journal import save_replica
from engram.store.store_format import StoreFormat
from engram.workspace import Workspace
from engram.workspace.signed_history import SignedHead
from tests.cases import for_each
from tests.conftest import engram_in
from tests.conftest import workspace_in
from tests.heartbeat.in_process import answer_in_process
from tests.store.encryption.making import make_encrypted

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "FORMATS.md").read_text(encoding="utf-8")
Rows = list[dict[str, Any]]

MODELS: dict[str, type[BaseModel]] = {
    "record": Record,
    "decision": Decision,
    "result": CommandResult,
    "envelope": Envelope,
    "index": State,
    "store": StoreFormat,
    "mirror": MirrorState,
    "maintenance": MaintenanceState,
    "alert": Alert,
    "signed": SignedHead,
    "replica": ReplicaState,
    "backup": BackupManifest,
    "piece": BackedUpFile,
    "backups": BackupState,
}


def rows_of(mark: str) -> list[tuple[str, list[str]]]:
    """Return the first two cells of each row of a table: the words in code of the first, and of the second."""
    table = PAGE.partition(f"<!-- {mark} -->\n")[2].partition("<!-- end -->")[0]
    cells = [line.split(" | ") for line in table.splitlines()[2:]]
    return [(cell[0].removeprefix("| "), re.findall(r"`([^`]+)`", cell[1])) for cell in cells]


def fields_of(form: str) -> set[str]:
    """Return the fields that a table of one form names."""
    return {name for cell, _ in rows_of(f"format: {form}") for name in re.findall(r"`([^`]+)`", cell)}


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A workspace in which those who write each file of the page have written it."""
    made = workspace_in(tmp_path_factory.mktemp("formats"))
    engram = engram_in(made)
    assert engram("note", "add", "We decided to use PostgreSQL 16 for billing.").code == 0
    assert made.submit("write", {"entity": "people/anna", "text": "Anna prefers tea", "create": True}).exit_code == 0
    assert made.submit("retract", {"id": "people/nobody-001", "reason": "it never held"}).exit_code != 0
    assert engram("config", "recall.log_questions", "true").code == 0
    assert engram("recall", "which tea does Anna prefer").code == 0
    transcript = made.paths.root / "talk.jsonl"
    transcript.write_text(
        json.dumps({"session": "demo", "speaker": "user", "text": "We ship on Tuesdays"}) + "\n", encoding="utf-8"
    )
    assert engram("capture", str(transcript)).code == 0
    with pytest.MonkeyPatch.context() as patched:
        answer_in_process(patched)
        assert run_heartbeat(made).status == "ok"
    note_alerts(made, [PhaseResult("review", "failed", "it broke", {}, ["it broke"])])
    show_and_reply(made)
    back_up(made, made.paths.root.with_name("backups"))
    return made


def show_and_reply(workspace: Workspace) -> None:
    """Log a prompt for which something was shown, and the reply to it."""
    event = Event("demo", prompt="What shall I offer Anna?", said="Offer tea, which Anna prefers.")
    hits = [{"id": "people/anna-001", "kind": "fact", "tokens": 6, "words": own_word_prints("Anna prefers tea", "")}]
    note_prompt(workspace.paths, event, "given", time.monotonic(), {"text": "", "tokens": 6, "hits": hits})
    note_reply(workspace.paths, event)


def journal_rows(workspace: Workspace) -> Rows:
    """Return the records as they stand in the file, each after a checksum that holds."""
    found = []
    for segment in sorted(workspace.paths.journal.glob("*.jsonl")):
        for line in segment.read_bytes().splitlines():
            assert f"{zlib.crc32(line[9:]):08x} ".encode() == line[:9]
            found.append(json.loads(line[9:]))
    return found


def index_payloads(workspace: Workspace) -> Rows:
    engine = EdgeEngine(workspace.paths.index, "shard")
    try:
        return list(engine.scan(Where()))
    finally:
        engine.close()


def json_file(path: Path) -> Rows:
    return [json.loads(path.read_bytes())]


def replica_file(path: Path) -> Rows:
    """Return what a machine that shares its journal keeps; this workspace does not, so the file goes again."""
    save_replica(path, ReplicaState(workspace="team", generation=1))
    try:
        return json_file(path)
    finally:
        path.unlink()


def json_lines(files: Iterable[Path]) -> Rows:
    return [json.loads(line) for file in files for line in file.read_bytes().splitlines()]


def manifests(workspace: Workspace) -> Rows:
    return [row for path in workspace.paths.root.with_name("backups").glob("backups/*.json") for row in json_file(path)]


def encryption_file(folder: Path) -> Path:
    """Return the file of a store that is encrypted."""
    folder.mkdir(exist_ok=True)
    make_encrypted(folder / FILE, folder / "own.key")
    return folder / FILE


def found_in(workspace: Workspace, form: str) -> Rows:
    """Return the objects of a form that lie in the workspace."""
    paths = workspace.paths
    decisions = [decision for record in journal_rows(workspace) for decision in record.get("decisions", [])]
    runs = RunRecords(paths.runs).latest(9)
    readers: dict[str, Callable[[], Rows]] = {
        "record": lambda: journal_rows(workspace),
        "decision": lambda: decisions,
        "result": lambda: [decision["result"] for decision in decisions],
        "envelope": lambda: json_file(
            workspace.spool.put(workspace.envelope("pin", {"id": "x"}).model_dump(mode="json"))
        ),
        "lock": lambda: json_file(paths.locks / "store.lock"),
        "lease": lambda: json_file(paths.heartbeat_lock),
        "store": lambda: json_file(paths.format),
        "encryption": lambda: json_file(encryption_file(paths.root.with_name("encrypted"))),
        "index": lambda: json_file(paths.index / "state.json"),
        "payload": lambda: index_payloads(workspace),
        "notes": lambda: [json.loads(paths.indexed_notes.read_bytes().splitlines()[0])],
        "mirror": lambda: json_file(paths.mirror_state),
        "run": lambda: runs,
        "phase": lambda: [phase for run in runs for phase in run["phases"]],
        "maintenance": lambda: json_file(paths.maintenance_state),
        "alert": lambda: json_lines([paths.alerts]),
        "access": lambda: json_lines(sorted(paths.accesses.glob("*.jsonl"))),
        "recall": lambda: json_lines([paths.recall_log]),
        "signed": lambda: json_file(paths.signed_head),
        "replica": lambda: replica_file(paths.replica),
        "backup": lambda: manifests(workspace),
        "piece": lambda: [file for manifest in manifests(workspace) for file in manifest["files"]],
        "backups": lambda: json_file(paths.backup_state),
    }
    return readers[form]()


FORMS = re.findall(r"<!-- format: (\w+) -->", PAGE)
WHOLE = ("encryption", "lock", "lease", "notes", "run", "access", "recall")  # of which the workspace holds every field


@for_each("form", FORMS)
def test_every_key_in_a_workspace_is_named(form: str, used: Workspace) -> None:
    rows = found_in(used, form)

    assert rows
    assert sorted({key for row in rows for key in row} - fields_of(form)) == []


@for_each("form", WHOLE)
def test_every_field_that_is_named_is_in_a_workspace(form: str, used: Workspace) -> None:
    found = {key for row in found_in(used, form) for key in row}

    assert sorted(fields_of(form) - found) == []


@for_each("form", MODELS)
def test_every_field_of_a_model_is_named_and_no_other(form: str) -> None:
    assert fields_of(form) == set(MODELS[form].model_fields)


def test_every_field_of_a_payload_and_of_a_phase_is_named_and_no_other() -> None:
    assert fields_of("payload") == {*Document.model_fields, "at_s"} - {"context"}
    assert fields_of("phase") == {*PhaseResult._fields} - {"changed"}
    assert {*FORMS} == {*MODELS, *WHOLE, "payload", "phase"}


def test_every_change_of_the_journal_is_named_with_its_fields() -> None:
    named = {cell.strip("`"): fields for cell, fields in rows_of("changes")}
    kinds = typing.get_args(typing.get_args(Change)[0])

    assert named == {one.model_fields["kind"].default: [*one.model_fields][1:] for one in kinds}


def test_every_consumer_is_named(used: Workspace) -> None:
    named = {cell.strip("`") for cell, _ in rows_of("consumers")}
    code = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "engram").rglob("*.py"))
    written = {mark["consumer"] for record in journal_rows(used) for mark in record.get("watermarks", [])}

    assert named == set(re.findall(r'^(?:CONSUMER|MOVES)\b[^=\n]*= "([\w-]+)"', code, flags=re.MULTILINE))
    assert {"extraction", "synthesis", "accesses", "capture"} <= written <= named


def test_every_place_in_the_folder_of_state_is_named(used: Workspace) -> None:
    named = {cell.strip("`").rstrip("/") for cell, _ in rows_of("paths")}
    paths = Paths(used.paths.root)
    projections = (paths.database, paths.index, paths.indexed_notes, paths.embedding_cache)
    layout = {path.name for path in (*vars(paths).values(), *projections) if path.parent == used.paths.state}

    assert named == layout | {path.name for path in used.paths.state.iterdir()}


def test_a_backup_holds_all_that_is_true_and_that_people_wrote(used: Workspace) -> None:
    table = PAGE.partition("<!-- paths -->\n")[2].partition("<!-- end -->")[0].splitlines()[2:]
    kinds = {cells[1].strip(" `/"): cells[2].strip() for line in table if (cells := line.split("|"))}
    kept = ("truth", "a person's texts", "state of `life/`")
    wanted = {name for name, kind in kinds.items() if kind.startswith(kept)}
    put_there = (
        used.paths.edits / "kept.md",
        used.paths.spool / "1-0-x.json",
        used.paths.domain_registry,
        used.paths.cards,
    )
    for path in (*put_there, used.paths.encryption):
        path.parent.mkdir(exist_ok=True)
        path.touch()

    listed = list_contents(used.paths).paths
    used.paths.encryption.unlink()

    assert wanted >= {"journal", "spool", "domains.json"}
    assert wanted == {path.split("/")[1] for path in listed if path.startswith(".engram/")}
    assert {"engram.toml", "MEMORY.md", "memory", "life"} == {path.split("/")[0] for path in listed} - {".engram"}


def test_every_line_of_an_archive_is_named(used: Workspace) -> None:
    named = {cell.strip("`"): set(fields) for cell, fields in rows_of("archive")}
    (used.paths.memory / "large.bin").write_bytes(bytes(3 << 20))
    out = io.BytesIO()
    export_archive(used, out)

    lines = [json.loads(line) for line in out.getvalue().splitlines()]

    assert named.keys() == {line["kind"] for line in lines}
    for line in lines:
        assert set(line) - {"kind"} <= named[line["kind"]]
    for kind, fields in named.items():
        assert fields == {key for line in lines if line["kind"] == kind for key in line} - {"kind"}
