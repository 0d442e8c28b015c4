"""A workspace as an object: opened or made, looked after, and let go of.

What reads files and runs phases is imported by who asks for it: a program that asks questions must not wait for that.
"""

import datetime as dt
import os
from collections.abc import Callable
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING
from typing import Any

from engram.api.continuity import Continuity
from engram.api.domains import Domains
from engram.api.facts import Facts
from engram.api.opened import require_one_of
from engram.api.questions import Questions
from engram.api.recall import Recalling
from engram.api.records import Keeping
from engram.api.values import ActorName
from engram.base.clock import utc_now
from engram.base.disk.home import at_home
from engram.config.paths import find_workspace
from engram.config.settings import load_settings
from engram.errors import UnknownCommandError
from engram.model.finding import Finding
from engram.operations.examine import checkup_of
from engram.operations.setup import make_workspace
from engram.operations.upkeep import REBUILDABLE
from engram.operations.upkeep import Upkeep
from engram.services.doctor.checks import examine
from engram.services.doctor.verify import Verified
from engram.services.facts.status import overview
from engram.warm.warm_store import WarmWorkspace

if TYPE_CHECKING:
    from engram.heartbeat.run.result import RunResult
    from engram.importers.export_run import ExportReport
    from engram.importers.import_report import ImportReport
    from engram.importers.import_undo import UndoReport
    from engram.importers.transcripts.report import CaptureReport

StrPath = str | os.PathLike[str]


class Memory(Facts, Questions, Recalling, Continuity, Keeping, Domains):
    """A workspace, with the verbs of the command line as methods; made by `engram.open` and `engram.init`.

    Threads may share one: their calls take turns. Nothing is locked between two calls but the index, which is let go of
    as soon as another process asks for it (the command line, a heartbeat) and after a minute. The settings are those of
    when it was opened. A process that forks opens its memory after the fork. What cannot be done raises an
    `engram.EngramError`: `code`, `message`, `hint` and `details` are those of the command line. Warnings go to standard
    error.
    """

    def status(self, command_id: str | None = None) -> dict[str, Any]:
        """Return how things stand, or what became of a command that was `accepted`, with the keys of `engram status`.

        Raises UnknownCommandError.
        """
        with self._turn:
            if command_id is None:
                return overview(Upkeep(self._workspace).standing())
            found = self._workspace.commands.find_result(command_id)
            if found is None:
                raise UnknownCommandError(f"no command {command_id!r} was given here", id=command_id)
            return found.model_dump(mode="json")

    def capture(
        self,
        *files: StrPath,
        format: str = "auto",  # noqa: A002 - as the option is called
        session: str | None = None,
        dry_run: bool = False,
    ) -> "CaptureReport":
        """Capture the turns of transcripts and notes, exactly once; the report says what was left out, and why.

        `format` is one of those of `engram capture`, `session` that of what names none. Raises MalformedInputError
        when a file cannot be read; bad lines in it are in the report, and the others are captured.
        """
        with self._turn:
            names = [_named(file) for file in files]
            report: CaptureReport = _long_verbs().capture(self._workspace, names, format, session, dry_run=dry_run)
            return report

    def import_memory(
        self,
        format: str,  # noqa: A002 - as the argument is called
        path: StrPath,
        *,
        entity: str | None = None,
        as_own: bool = False,
        dry_run: bool = False,
    ) -> "ImportReport":
        """Import a file or folder of another memory, or an archive (jsonl); importing the same again adds nothing.

        `format` is one of those of `engram import`, `entity` whom statements are about that name nobody; None: the
        owner; `as_own` says that you made an archive: it is taken over as it is. What was not understood is `refused`
        in the report, and the rest is imported. Raises MalformedInputError when the path cannot be read.
        """
        with self._turn:
            report: ImportReport = _long_verbs().import_memory(
                self._workspace, format, Path(path), entity=entity, as_own=as_own, dry_run=dry_run
            )
            return report

    def undo_import(self, import_id: str, *, dry_run: bool = False) -> "UndoReport":
        """Take back what an import made and nobody changed since; the report names what stays. Raises NotFoundError.

        The id is the report's `import_id`.
        """
        with self._turn:
            report: UndoReport = _long_verbs().undo_import(self._workspace, import_id, dry_run=dry_run)
            return report

    def export(self, path: StrPath, *, format: str = "jsonl", dry_run: bool = False) -> "ExportReport":  # noqa: A002 - as above
        """Export the store to a file (jsonl: one archive with everything) or a folder (markdown, json).

        Raises RefusedError for a place that is taken.
        """
        with self._turn:
            report: ExportReport = _long_verbs().export(self._workspace, _named(path), format, dry_run=dry_run)
            return report

    def heartbeat_run(self, *, phase: Sequence[str] = (), force: bool = False) -> "RunResult":
        """Run the heartbeat once: read new notes and turns, keep facts, bring index and life/ up to date.

        `phase` names those to run, else all; with `force` everything is read again. Its status is ok, ok_with_warnings,
        skipped (another one runs) or failed.
        """
        with self._turn:
            done: RunResult = _long_verbs().heartbeat_run(self._workspace, phase, force=force)
            return done

    def doctor(self) -> list[Finding]:
        """Check every invariant and return what is wrong, each with the command that mends it; changes nothing."""
        with self._turn:
            return examine(checkup_of(self._workspace))

    def verify(self) -> Verified:
        """Check the journal's hash chain and every projection against it, and return the digests."""
        with self._turn:
            return Upkeep(self._workspace).verify()

    def rebuild(self, what: str = "all") -> dict[str, Any]:
        """Make the database, the index, the mirror or all of them anew from the journal; return what was done."""
        require_one_of("what", what, (*REBUILDABLE, "all"))
        with self._turn:
            return Upkeep(self._workspace).rebuild(what)


def _named(path: StrPath) -> str:
    """Return the name of a file; a dash is one here, and no stream of the program that this runs in."""
    name = str(Path(path))
    return "./-" if name == "-" else name


def _long_verbs() -> ModuleType:
    from engram.api import long_verbs  # noqa: PLC0415 - 0.1 s, and see the module's first lines

    return long_verbs


def open_memory(
    path: StrPath | None = None, *, actor: ActorName = "user", now: Callable[[], dt.datetime] = utc_now
) -> Memory:
    """Open a workspace.

    Args:
        path: its folder; None: ENGRAM_WORKSPACE, else the nearest folder from here upwards that holds engram.toml, else
            ~/engram.
        actor: who changes things through it; what an agent or a tool writes is screened more strictly.
        now: the clock, for tests and replays: returns an aware instant.

    Returns:
        The memory, which is also a context manager.

    Raises:
        NoWorkspaceError: when there is none. `engram.init` makes one.
        SettingsError: when its engram.toml cannot be.
    """
    paths = find_workspace(None if path is None else str(Path(path)))
    return Memory(WarmWorkspace(paths, load_settings(paths.settings), now), actor=actor)


def init_memory(
    path: StrPath,
    *,
    agent: str | None = None,
    timezone: str | None = None,
    owner: str | None = None,
    actor: ActorName = "user",
    now: Callable[[], dt.datetime] = utc_now,
) -> Memory:
    """Make a workspace, or what is missing of one, and open it; again it changes nothing.

    Args:
        path: its folder, which is made when it is not there.
        agent: name of the agent that owns it; None: main.
        timezone: of day boundaries, such as Europe/Berlin; None: this machine's.
        owner: path of the person whose first person is meant in notes, such as people/anna.
        actor: as for `engram.open`.
        now: as for `engram.open`.

    Raises:
        BadValueError: for a value that cannot be.
        RefusedError: when its engram.toml says something else already.
    """
    root = at_home(path).resolve()
    wanted = {"agent": agent, "timezone": timezone, "owner": owner}
    given = {name: value for name, value in wanted.items() if value is not None}
    make_workspace(root, given, now=now, force=False, dry_run=False)
    return open_memory(root, actor=actor, now=now)
