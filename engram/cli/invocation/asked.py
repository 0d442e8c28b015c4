"""What the user said before or after the command's name, and the way results are printed. Light: click is not loaded.

`datetime` and `pathlib` (3 and 5 ms) are imported only by those who need them.
"""

import json
import os
import re
import sys
from collections.abc import Callable
from collections.abc import Sequence
from typing import TYPE_CHECKING
from typing import Any
from typing import NamedTuple

from engram.base.clock import utc_now
from engram.base.telemetry_switch import is_on
from engram.cli.terminal.streams import line_breaks
from engram.cli.terminal.streams import print_answer
from engram.cli.terminal.streams import print_aside
from engram.cli.terminal.streams import silence_stdout
from engram.cli.terminal.streams import without_orders

if TYPE_CHECKING:
    import datetime as dt

    from engram.cli.terminal.progress import TerminalProgress
    from engram.errors import EngramError
    from engram.model.commands.envelope import PlainEnvelope
    from engram.workspace import Workspace

_ACTS = "[\x7f-\x9f]"  # acts on a terminal, and JSON lets it stand


class Spooled(NamedTuple):
    """A command that lies in the spool."""

    envelope: "PlainEnvelope"
    name: str  # of its file
    deadline: float  # of time.monotonic, until which its result is waited for
    is_awaited: bool = True


class Invocation:
    """What the user said before or after the command's name, once for all commands."""

    def __init__(self) -> None:
        """Begin with nothing said."""
        self.workspace_dir: str | None = None
        self.as_json = False
        self.now_at: dt.datetime | None = None
        self._progress: TerminalProgress | None = None  # where a person looks on
        self.ends_process = False  # nobody else's work goes on in it
        self.report: Callable[[EngramError], int] = lambda problem: problem.exit_code  # says what went wrong
        self.afterwards: Callable[[], None] | None = None  # what is done for others once the answer is given
        self.spooled: Spooled | None = None  # the command is durable already, and only its result is missing

    def now(self) -> "dt.datetime":
        """Return the instant of --now, else the clock's."""
        return self.now_at or utc_now()

    def workspace(self) -> "Workspace":
        """Open the workspace."""
        from engram.workspace import open_workspace  # noqa: PLC0415 - 0.2 s: not for a hook or a short `write`

        workspace = open_workspace(self.workspace_dir, now=self.now)
        if not self.as_json and sys.stderr.isatty():
            from engram.cli.terminal.progress import shown_while_it_runs  # noqa: PLC0415 - click, and only on a terminal

            workspace.progress = self._progress = shown_while_it_runs(sys.stderr)
        return workspace

    def go_on(self) -> None:
        """Do for others what this process can once its answer is given; it ends a moment later.

        Whatever goes wrong there is said and changes no exit code, which is that of what was asked for.
        """
        if self.afterwards is None:
            return
        sys.stdout.flush()
        try:
            self.afterwards()
        except Exception as problem:  # noqa: BLE001 - the end of a process: its own answer is given
            self.tell(f"warning: commands of others were left to them: {type(problem).__name__}: {problem}")

    def leave(self, code: int) -> None:
        """End the process at once if it is ours to end; what is held open is let go of by the system."""
        if not self.ends_process or is_on():  # which hears of a command when it has ended
            return
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except OSError:
            return  # an orderly end knows what to do
        os._exit(code)

    def fail(self, problem: "EngramError") -> None:
        """End the process at once with an error if it is ours to end: what goes on in it cannot be ended otherwise."""
        if self.ends_process:
            self.leave(self.report(problem))

    @property
    def for_screen(self) -> bool:
        """Whether a person reads the answer on a terminal; else a program, a log or a mail of cron."""
        return not self.as_json and sys.stdout.isatty()

    def emit(self, value: Any, text: str | Callable[[], str], *, exact: bool = False) -> None:
        """Print the value as JSON when asked to, else the text for people, in lines that fit on their screen.

        `exact` text is another program's and stays as it is.
        """
        if self.as_json:
            print_answer(json_line(value))
            return
        words = text if isinstance(text, str) else text()
        words = words if exact else without_orders(words, styled=self.for_screen)
        self.clear_progress()
        if words and not exact and self.for_screen:
            words = line_breaks().fitted(words)
        if words:
            print_answer(words)

    def tell(self, text: str) -> None:
        """Print words to standard error, in lines that fit on a person's screen."""
        text = without_orders(text, styled=sys.stderr.isatty())
        if sys.stderr.isatty():
            text = line_breaks().fitted(text)
        self.clear_progress()
        print_aside(text)

    def emit_table(
        self, value: Any, plain: Callable[[], str], columns: Sequence[tuple[str, bool]], rows: Sequence[tuple[str, ...]]
    ) -> None:
        """Print the value as JSON, or plain text for a pipe, or rows below a header where a person reads a terminal.

        `columns` are (title, whether long text goes on in the next line).
        """
        if self.as_json or not rows or not reads_terminal():
            self.emit(value, plain)
            return
        from engram.cli.terminal import tables  # noqa: PLC0415 - it loads rich: 40 ms, and only for a terminal

        self.clear_progress()
        tables.draw([tables.Column(*column) for column in columns], rows)

    def clear_progress(self) -> None:
        """Take away the line that says how far it is, where a person looks on."""
        if self._progress is not None:
            self._progress.clear()

    def emit_line(self, value: Any, text: str) -> None:
        """Print one line of a stream at once, so that whoever reads it can act on it."""
        try:
            self.emit(value, text)
            sys.stdout.flush()
        except BrokenPipeError:  # the reader has gone; what was asked for is done to its end
            silence_stdout()


def json_line(value: Any) -> str:
    """Return a value as JSON on one line, in which nothing acts on a terminal."""
    return re.sub(_ACTS, lambda sign: f"\\u{ord(sign[0]):04x}", json.dumps(value, ensure_ascii=False))


def reads_terminal() -> bool:
    """Tell whether a person reads standard output on a terminal that they want colours on."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
