"""What every command shares: the options --workspace, --json and --now, and the way results are printed.

Light: `engram signal` may take six times as long as an empty Python process, and click alone takes three and a half. So
`datetime` and `pathlib` (3 and 5 ms) are imported only by those who need them.
"""

import inspect
import json
import os
import re
import sys
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from typing import TYPE_CHECKING
from typing import Any

import click

from engram.base.text import has_control
from engram.cli.terminal.streams import print_answer
from engram.cli.terminal.streams import silence_stdout
from engram.cli.terminal.streams import without_orders
from engram.errors import BadValueError
from engram.errors import MalformedInputError

if TYPE_CHECKING:
    import datetime as dt

    from engram.cli.terminal.progress import TerminalProgress
    from engram.workspace import Workspace

_ACTS = re.compile("[\x7f-\x9f]")  # acts on a terminal, and JSON lets it stand
STDIN = "-"
MAX_INPUT_BYTES = 64 * 1024 * 1024  # of one file or of standard input


class Invocation:
    """What the user said before or after the command's name, once for all commands."""

    def __init__(self) -> None:
        """Begin with nothing said."""
        self.workspace_dir: str | None = None
        self.as_json = False
        self.now_at: dt.datetime | None = None
        self._progress: TerminalProgress | None = None  # where a person looks on
        self.ends_process = False  # nobody else's work goes on in it

    def now(self) -> "dt.datetime":
        """Return the instant of --now, else the clock's."""
        from engram.base.clock import utc_now  # noqa: PLC0415 - see the module's first lines

        return self.now_at or utc_now()

    def workspace(self) -> "Workspace":
        """Open the workspace; the import is here because it is heavy and the hook path must not pay for it."""
        from engram.workspace import open_workspace  # noqa: PLC0415 - see above

        workspace = open_workspace(self.workspace_dir, now=self.now)
        if not self.as_json and sys.stderr.isatty():
            from engram.cli.terminal.progress import TerminalProgress  # noqa: PLC0415 - see above

            workspace.progress = self._progress = TerminalProgress(sys.stderr)
            click.get_current_context().call_on_close(self._progress.clear)
        return workspace

    def leave(self, code: int) -> None:
        """End the process at once if it is ours to end; what is held open is let go of by the system."""
        if not self.ends_process:
            return
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except OSError:
            return  # an orderly end knows what to do
        os._exit(code)

    @property
    def for_screen(self) -> bool:
        """Whether a person reads the answer on a terminal; else a program, a log or a mail of cron."""
        return not self.as_json and sys.stdout.isatty()

    def emit(self, value: Any, text: str | Callable[[], str], *, exact: bool = False) -> None:
        """Print the value as JSON when asked to, else the text for people, in lines that fit on their screen.

        `exact` text is another program's and stays as it is.
        """
        if self.as_json:
            print_answer(_ACTS.sub(lambda sign: f"\\u{ord(sign[0]):04x}", json.dumps(value, ensure_ascii=False)))
            return
        words = text if isinstance(text, str) else text()
        words = words if exact else without_orders(words, styled=self.for_screen)
        if self._progress is not None:
            self._progress.clear()
        if words and not exact and self.for_screen:
            from engram.cli.terminal.line_breaks import fitted  # noqa: PLC0415 - it loads a part of rich

            words = fitted(words)
        if words:
            print_answer(words)

    def tell(self, text: str) -> None:
        """Print words to standard error, in lines that fit on a person's screen."""
        text = without_orders(text, styled=sys.stderr.isatty())
        if sys.stderr.isatty():
            from engram.cli.terminal.line_breaks import fitted  # noqa: PLC0415 - as above

            text = fitted(text)
        if self._progress is not None:
            self._progress.clear()
        click.echo(text, err=True)

    def emit_table(
        self, value: Any, plain: Callable[[], str], columns: Sequence[tuple[str, bool]], rows: Sequence[tuple[str, ...]]
    ) -> None:
        """Print the value as JSON, or plain text for a pipe, or rows below a header where a person reads a terminal.

        `columns` are (title, whether long text goes on in the next line).
        """
        if self.as_json or not rows or not reads_terminal():
            self.emit(value, plain)
            return
        from engram.cli.terminal.tables import Column  # noqa: PLC0415 - it loads rich
        from engram.cli.terminal.tables import draw  # noqa: PLC0415 - as above

        if self._progress is not None:
            self._progress.clear()
        draw([Column(*column) for column in columns], rows)

    def emit_line(self, value: Any, text: str) -> None:
        """Print one line of a stream at once, so that whoever reads it can act on it."""
        try:
            self.emit(value, text)
            sys.stdout.flush()
        except BrokenPipeError:  # the reader has gone; what was asked for is done to its end
            silence_stdout()


def reads_terminal() -> bool:
    """Tell whether a person reads standard output on a terminal that they want colours on."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def invocation() -> Invocation:
    """Return the invocation of the running command."""
    return click.get_current_context().ensure_object(Invocation)


def _set_workspace(ctx: click.Context, _param: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.ensure_object(Invocation).workspace_dir = value


def _set_json(ctx: click.Context, _param: click.Parameter, value: bool) -> None:  # noqa: FBT001 - click's signature
    if value:
        ctx.ensure_object(Invocation).as_json = True


def _set_now(ctx: click.Context, _param: click.Parameter, value: str | None) -> None:
    if value is None:
        return
    from engram.base.clock import from_iso  # noqa: PLC0415 - see the module's first lines

    try:
        ctx.ensure_object(Invocation).now_at = from_iso(value)
    except ValueError as problem:
        raise BadValueError(
            f"--now {value!r} is not an ISO 8601 instant with a time zone", hint="such as 2026-02-24T10:00:00Z"
        ) from problem


def common_options() -> list[click.Option]:
    """Return fresh options that stand before or after every command's name."""
    return [
        click.Option(
            ["--workspace"],
            metavar="DIR",
            expose_value=False,
            is_eager=True,
            callback=_set_workspace,
            help="Workspace folder; else ENGRAM_WORKSPACE, else the nearest folder with engram.toml, else ~/engram.",
        ),
        click.Option(
            ["--json"], is_flag=True, expose_value=False, is_eager=True, callback=_set_json, help="Print JSON."
        ),
        click.Option(
            ["--now"], metavar="ISO", expose_value=False, is_eager=True, callback=_set_now, help="Set the clock."
        ),
    ]


class WithExample(click.Command):
    """A command whose help ends with the example that stands last in its docstring."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Add the common options behind the command's own, and take the example out of the help."""
        super().__init__(*args, **kwargs)
        self.params.extend(common_options())
        words, _, tail = inspect.cleandoc(self.help or "").partition("\b\nExample:")
        self.help = words.strip()
        self.examples = [line.strip() for line in tail.splitlines() if line.strip()]

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """Write the example as it is typed, not wrapped."""
        if self.examples:
            formatter.write("\nExample:\n" + "".join(f"  {line}\n" for line in self.examples))


class EngramSet(WithExample, click.Group):
    """A command that has others below it."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which ones have a name like it."""
        is_option = args[0].startswith("-")  # click says itself what is wrong with one
        if not (is_option or ctx.resilient_parsing) and self.get_command(ctx, args[0]) is None:
            from engram.cli.invocation.words import no_such_command  # noqa: PLC0415 - who names a command does without

            raise no_such_command(ctx, args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)


class EngramCommand(WithExample):
    """A command for which text that begins with a dash is text."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; a positional such as `-x is bad` is text because an option's name holds no space."""
        return super().parse_args(ctx, _dash_text_last(args, self._options_with_value()))

    def _options_with_value(self) -> set[str]:
        options = [param for param in self.params if isinstance(param, click.Option) and not param.is_flag]
        return {name for option in options for name in option.opts}


def _dash_text_last(args: list[str], with_value: set[str]) -> list[str]:
    kept: list[str] = []
    texts: list[str] = []
    for place, arg in enumerate(args):
        if arg == "--":
            return [*kept, "--", *texts, *args[place + 1 :]]
        is_value = bool(kept) and place > 0 and args[place - 1] in with_value
        name = arg.split("=", 1)[0]
        if arg.startswith("-") and any(ch.isspace() for ch in name) and not is_value:
            texts.append(arg)
        else:
            kept.append(arg)
    return [*kept, "--", *texts] if texts else kept


def read_text(name: str) -> str:
    """Return the UTF-8 text of a file, or of standard input for `-`.

    Raises MalformedInputError when it cannot be read, is too large, or is not UTF-8 text.
    """
    raw = _read_bytes(name)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise MalformedInputError(
            f"{_called(name)} is not UTF-8 text (byte {problem.start})", hint="convert it to UTF-8 first"
        ) from problem
    if "\0" in text:
        raise MalformedInputError(f"{_called(name)} holds a NUL character", hint="only text can be read")
    return text


def _called(name: str) -> str:
    return "standard input" if name == STDIN else name


def _read_bytes(name: str) -> bytes:
    if name == STDIN:
        raw = sys.stdin.buffer.read(MAX_INPUT_BYTES + 1)
    else:
        try:
            with open(name, "rb") as file:  # noqa: PTH123 - see the module's first lines
                raw = file.read(MAX_INPUT_BYTES + 1)
        except OSError as problem:
            why = problem.strerror or "it cannot be read"
            raise MalformedInputError(f"cannot read {name}: {why}", hint="check the file name") from problem
    if len(raw) > MAX_INPUT_BYTES:
        raise MalformedInputError(f"{_called(name)} is larger than {MAX_INPUT_BYTES >> 20} MiB", hint="split it")
    return raw


def check_words(**values: str | None) -> None:
    """Refuse option values that no option may hold: control characters and bytes that are not UTF-8."""
    for name, value in values.items():
        if value is not None:
            check_text(name.replace("_", "-"), value)


def check_text(name: str, value: str) -> None:
    """Refuse one value with a control character or broken UTF-8, naming the option."""
    if not has_control(value):
        return
    if any("\ud800" <= ch <= "\udfff" for ch in value):
        raise BadValueError(f"--{name} is not valid UTF-8", hint="pass text in UTF-8")
    raise BadValueError(f"--{name} holds a control character", hint="pass text without control characters")


def table(rows: Iterable[tuple[str, ...]]) -> str:
    """Return rows as left-aligned columns."""
    lines = [tuple(row) for row in rows]
    if not lines:
        return ""
    widths = [max(len(row[place]) for row in lines) for place in range(len(lines[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in lines
    )
