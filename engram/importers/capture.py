"""Capturing files: their turns into the store, exactly once, and from where the last capture left each file."""

from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path

from engram.base.project import Project
from engram.importers.transcripts.files import STDIN
from engram.importers.transcripts.files import CapturedFile
from engram.importers.transcripts.files import Choices
from engram.importers.transcripts.files import FileReport
from engram.importers.transcripts.files import check_readable
from engram.importers.transcripts.remembered import CONSUMER
from engram.importers.transcripts.remembered import read_mark
from engram.importers.transcripts.report import CaptureReport
from engram.model.conversation import Turn
from engram.model.conversation import Watermark
from engram.ports.database import FactDatabase
from engram.ports.progress import Progress
from engram.ports.progress import tell_nobody
from engram.services.extract.turn_commands import capture_commands
from engram.services.extract.turn_commands import make_turns
from engram.services.extract.turn_commands import said_before
from engram.workspace import Workspace

_TOLD = "reading conversations, kB"  # to whoever looks on
_KILO = 1000
_TURNS_AT_ONCE = 2000  # turns, of one or of many files, that share one record of the journal
_CHARS_AT_ONCE = 8_000_000  # of their text, after which fewer do


def capture_files(
    workspace: Workspace,
    names: Sequence[str],
    choices: Choices,
    *,
    dry_run: bool,
    progress: Progress = tell_nobody,
) -> CaptureReport:
    """Capture the turns of files (`-` is standard input) and return what became of them.

    Nothing is stored when one of the files cannot be opened. Turns that are stored already are left out, so the same
    file twice adds nothing; an unchanged file is not read again, and of a grown one only what is new. Memory holds at
    most 2,000 turns. `progress` is told how much of the files is read. Raises MalformedInputError when a file cannot be
    read, StoreBusyError when the store is not free in time.
    """
    for name in names:
        check_readable(name)
    with workspace.reading() as database:
        marks, known_sessions = database.watermarks(CONSUMER), database.turn_counts().keys()
    basket = _Basket(workspace, dry_run=dry_run)
    reports = []
    meter = _Meter(progress, dict.fromkeys(names))
    for name in dict.fromkeys(names):
        reports.append(_capture(workspace, name, choices, marks, known_sessions, basket, meter))
        meter.finish(name)
    basket.empty()
    return CaptureReport(
        basket.captured,
        basket.known,
        reports,
        sorted(basket.sessions),
        basket.refused,
        dry_run=dry_run,
        kept_apart=tuple(sorted(basket.sessions & basket.kept_apart)),
    )


def _capture(
    workspace: Workspace,
    name: str,
    choices: Choices,
    marks: Mapping[str, str],
    known_sessions: Collection[str],
    basket: "_Basket",
    meter: "_Meter",
) -> FileReport:
    path = None if name == STDIN else workspace.paths.relative(Path(name).resolve())
    file = CapturedFile(name, choices, read_mark(marks.get(path or "")), known_sessions)
    seen: dict[str, int] = {}
    for raw in file.turns():
        (turn,) = make_turns([raw], path=path, seen=seen)
        basket.put(turn, is_live=raw.key is not None, is_kept_apart=file.is_kept_apart(turn.session))
        meter.tell(file.bytes_read)
        if (project := file.project()) is not None:
            basket.projects.setdefault(turn.session, project)
    basket.known += file.known()
    if path is not None and (mark := file.mark()) is not None:
        basket.remember(mark.watermark(path))
    return file.report(path or STDIN)


class _Meter:
    """Tells how much of some files is read, in kB: most of a transcript is no turn, and a file may be most of all."""

    def __init__(self, progress: Progress, names: Iterable[str]) -> None:
        self._progress = progress
        self._sizes = {name: Path(name).stat().st_size for name in names if name != STDIN and Path(name).is_file()}
        self._total = sum(self._sizes.values())
        self._done = 0
        self.tell(0)

    def tell(self, of_this: int) -> None:
        """Tell how far it is, with so many bytes of the file that is being read."""
        self._progress(_TOLD, _kilo(self._done + of_this), _kilo(self._total))

    def finish(self, name: str) -> None:
        """Take a file as read."""
        self._done += self._sizes.get(name, 0)
        self.tell(0)


def _kilo(size: int) -> int:
    return -(-size // _KILO)


class _Basket:
    """Turns on their way into the store: recorded many at a time, each lot with the marks of the files it completes."""

    def __init__(self, workspace: Workspace, *, dry_run: bool) -> None:
        self.captured = 0
        self.known = 0
        self.sessions: set[str] = set()
        self.refused: list[str] = []
        self.kept_apart: set[str] = set()  # sessions that are made such when they are new
        self.projects: dict[str, Project] = {}  # by session, where the first of its files was begun
        self._workspace = workspace
        self._dry_run = dry_run
        self._turns: list[Turn] = []
        self._marks: list[Watermark] = []
        self._chars = 0
        self._live: set[str] = set()  # sessions of programs whose hooks may keep prompts as they are typed
        self._counted: set[str] = set()  # ids that a dry run would have stored by now

    def put(self, turn: Turn, *, is_live: bool, is_kept_apart: bool) -> None:
        """Take a turn, and record what is held when it is enough; `is_live` ones may have come by a hook already."""
        self._turns.append(turn)
        self._chars += len(turn.text)
        if is_live:
            self._live.add(turn.session)
        if is_kept_apart:
            self.kept_apart.add(turn.session)
        if len(self._turns) >= _TURNS_AT_ONCE or self._chars >= _CHARS_AT_ONCE:
            self.empty()

    def remember(self, mark: Watermark) -> None:
        """Take the mark of a file whose turns have all been put."""
        self._marks.append(mark)

    def empty(self) -> None:
        """Record what is held; it is durable when this returns."""
        turns, marks = self._turns, self._marks
        self._turns, self._marks, self._chars = [], [], 0
        self.sessions.update(turn.session for turn in turns)
        if self._dry_run:
            self._count(turns)
        elif turns or marks:
            self._record(turns, marks)

    def _count(self, turns: Sequence[Turn]) -> None:
        with self._workspace.reading() as database:
            fresh = [turn for turn in self._fresh(database, turns) if turn.id not in self._counted]
        self._counted.update(turn.id for turn in fresh)
        self.captured += len(fresh)
        self.known += len(turns) - len(fresh)

    def _record(self, turns: Sequence[Turn], marks: Sequence[Watermark]) -> None:
        with self._workspace.writing("capture") as recorder:
            fresh = self._fresh(recorder.database, turns)
            envelopes = [
                self._workspace.envelope("capture", args)
                for args in capture_commands(fresh, self.kept_apart, self.projects)
            ]
            # A mark says that all before it is stored: after a refusal nothing is passed over the next time.
            results = recorder.record_together(envelopes, () if self.refused else marks, unless_refused=True)
        captured = sum(int(result.details.get("captured", 0)) for result in results)
        self.refused += [result.reason or "refused" for result in results if result.exit_code]
        self.captured += captured
        self.known += len(turns) - len(fresh)

    def _fresh(self, database: FactDatabase, turns: Sequence[Turn]) -> list[Turn]:
        """Return the turns that are not stored yet, each once."""
        known = database.known_ids("turn", [turn.id for turn in turns])
        fresh: dict[str, Turn] = {}
        for turn in turns:
            if turn.id not in known:
                fresh.setdefault(turn.id, turn)
        live = {turn.session for turn in fresh.values()} & self._live
        stored = live & database.turn_counts().keys() if live else ()
        heard = said_before(fresh.values(), [turn for name in sorted(stored) for turn in database.list_turns(name)])
        return [turn for turn in fresh.values() if turn.id not in heard]
